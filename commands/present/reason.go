package present

import (
	"maps"
	"time"

	"stuckbot/checks"
)

// Summary says in one line why an observation is in its state, with its age.
func (p *Printer) Summary(o checks.Observation, now time.Time) string {
	return p.reason("summary.", o, now)
}

// Why is Summary without the age, shorter, for a table that shows the age beside it.
func (p *Printer) Why(o checks.Observation) string { return p.reason("why.", o, time.Time{}) }

func (p *Printer) reason(prefix ID, o checks.Observation, now time.Time) string {
	args := maps.Clone(Args(o.Reason.Args))
	if args == nil {
		args = Args{}
	}
	args["last"] = p.Text("reason.none-deployed", nil)
	if deployed := args["deployed"]; deployed != "" && deployed != "0" {
		args["last"] = p.Text("reason.last", Args{"deployed": deployed})
	}
	if !o.Since.IsZero() && !now.Before(o.Since) {
		args["age"] = Age(now.Sub(o.Since))
	}
	text := p.Text(p.reasonID(prefix, o), args)
	if o.Held {
		return p.Text("reason.held", Args{"why": text})
	}
	return text
}

func (p *Printer) reasonID(prefix ID, o checks.Observation) ID {
	id := prefix + ID(o.Reason.ID)
	if o.Reason.ID == "" || !p.Has(id) {
		return prefix + "unknown"
	}
	if locked := id + ".locked"; o.State == checks.PendingUpgrade && p.Has(locked) {
		return locked
	}
	return id
}
