package present

import (
	"cmp"
	"slices"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"stuckbot/checks"
	"stuckbot/checks/sweep"
)

const noValue = "–"

// order sorts observations by what a person should look at first: production, then the state, then the oldest, then the
// name.
func order(r *sweep.Result) []checks.Observation {
	production := map[string]bool{}
	for _, c := range r.Clusters {
		production[c.Name] = isProduction(c.Labels["env"])
	}
	sorted := slices.Clone(r.Observations)
	slices.SortStableFunc(sorted, func(a, b checks.Observation) int {
		return cmp.Or(
			first(production[a.Subject.Cluster], production[b.Subject.Cluster]),
			cmp.Compare(rank(a), rank(b)),
			older(a.Since, b.Since),
			a.Compare(b),
		)
	})
	return sorted
}

func isProduction(env string) bool { return env == "prod" || env == "production" }

// rank is the state's place in checks.States. What somebody holds on purpose comes just before what is moving.
func rank(o checks.Observation) int {
	state := o.State
	if o.Held {
		state = checks.Upgrading
	}
	place := 2 * slices.Index(checks.States(), state)
	if o.Held {
		return place - 1
	}
	return place
}

func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	default:
		return 1
	}
}

// older compares two beginnings; an unknown one comes last.
func older(a, b time.Time) int {
	if a.IsZero() || b.IsZero() {
		return first(!a.IsZero(), !b.IsZero())
	}
	return a.Compare(b)
}

// columns makes the table of what is not Active.
func (p *Printer) columns(r *sweep.Result) []column {
	sorted := order(r)
	of := func(id ID, leave, least int, cell func(checks.Observation) string) column {
		c := column{id: id, title: p.Text("column."+id, nil), leave: leave, least: least}
		for _, o := range sorted {
			c.cells = append(c.cells, p.Clean(cell(o)))
		}
		return c
	}
	cluster := of("cluster", 0, 12, func(o checks.Observation) string { return o.Subject.Cluster })
	release := of("release", 0, 24, p.releaseCell)
	cluster.middle, release.middle = true, true
	state := of("state", 0, 0, p.stateCell)
	for _, o := range sorted {
		state.colors = append(state.colors, colorOf(o))
	}
	return []column{
		cluster,
		of("system", 1, 0, func(o checks.Observation) string { return string(o.Subject.System) }),
		release,
		state,
		of("revision", 5, 17, revisionCell),
		of("version", 3, 10, func(o checks.Observation) string { return orNone(o.Version) }),
		of("for", 6, 0, func(o checks.Observation) string { return ageCell(o.Since, r.At) }),
		of("owner", 2, 0, func(o checks.Observation) string { return orNone(string(o.Owner)) }),
		of("why", 4, 24, p.Why),
	}
}

func (p *Printer) releaseCell(o checks.Observation) string {
	name := o.Subject.Name
	if o.Subject.Namespace != "" {
		name = o.Subject.Namespace + "/" + name
	}
	if o.Helm != nil && o.Helm.Storage == checks.HelmConfigMaps {
		return p.Text("release.configmap", Args{"release": name})
	}
	return name
}

func (p *Printer) stateCell(o checks.Observation) string {
	if o.Held {
		return p.Text("state.held", Args{"state": o.State.Title()})
	}
	return o.State.Title()
}

func revisionCell(o checks.Observation) string {
	if o.Actual == o.Desired && o.Desired != "" {
		return o.Desired
	}
	return orNone(o.Actual) + " → " + orNone(o.Desired)
}

func ageCell(since, now time.Time) string {
	if text, known := age(since, now); known {
		return text
	}
	return noValue
}

func orNone(cell string) string {
	if cell == "" {
		return noValue
	}
	return cell
}

func colorOf(o checks.Observation) text.Colors {
	switch {
	case o.Held, o.State == checks.OutOfSync:
		return text.Colors{text.FgYellow}
	case o.State == checks.PendingUpgrade, o.State == checks.Failed:
		return text.Colors{text.FgRed, text.Bold}
	case o.State == checks.Unknown:
		return text.Colors{text.FgMagenta}
	default:
		return text.Colors{text.FgCyan}
	}
}
