package present

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"stuckbot/checks"
	"stuckbot/checks/sweep"
)

// Headline says in one line what a sweep found and what it could not see. It says that nothing is stuck only if everything
// was read and understood.
func (p *Printer) Headline(r *sweep.Result) string {
	parts := strings.Join(p.headlineParts(r), "; ")
	return p.Text("headline", Args{"parts": capital(parts), "took": Took(r.Took)})
}

// headlineParts returns the headline's parts; the first is the one that matters most.
func (p *Printer) headlineParts(r *sweep.Result) []string {
	t := count(r)
	parts := []string{p.stuckPart(r, t)}
	add := func(n int, part func() string) {
		if n > 0 {
			parts = append(parts, part())
		}
	}
	add(t.states[checks.Unknown], func() string { return p.unclear(t) })
	add(t.held, func() string { return p.Text("headline.held", Args{"things": p.things(t, t.held)}) })
	if list := p.others(t); list != "" {
		parts = append(parts, p.Text("headline.others", Args{"list": list}))
	}
	add(t.silent, func() string { return p.Count("headline.no-answer", t.silent, nil) })
	add(t.unreadClusters, func() string { return p.Count("headline.unread-cluster", t.unreadClusters, nil) })
	add(t.notTried, func() string { return p.Count("headline.not-tried", t.notTried, nil) })
	add(len(r.Unreadable), func() string { return p.Count("headline.unread", len(r.Unreadable), nil) })
	return parts
}

func (p *Printer) stuckPart(r *sweep.Result, t totals) string {
	args := Args{"total": strconv.Itoa(len(r.Clusters)), "things": p.things(t, t.stuck)}
	if len(r.Clusters) == 1 {
		args["cluster"] = r.Clusters[0].Name
	}
	failed := t.silent + t.unreadClusters + t.notTried
	switch {
	case t.stuck > 0 && len(r.Clusters) == 1:
		return p.Text("headline.stuck-here", args)
	case t.stuck > 0:
		return p.Count("headline.stuck", len(t.stuckIn), args)
	case failed == len(r.Clusters):
		return p.Text("headline.nothing-read", nil)
	case r.Partial() || t.states[checks.Unknown] > 0:
		return p.Text("headline.none-partial", nil)
	case len(r.Clusters) == 1:
		return p.Text("headline.none-here", args)
	default:
		return p.Text("headline.none", args)
	}
}

// totals is what a headline counts. What is held is in no state's number.
type totals struct {
	stuck, held int
	stuckIn     map[string]bool
	states      map[checks.State]int
	helmOnly    bool
	// silent clusters did not answer, unreadClusters did and could not be read all the same.
	silent, unreadClusters, notTried int
}

func count(r *sweep.Result) totals {
	t := totals{stuckIn: map[string]bool{}, states: map[checks.State]int{}, helmOnly: true}
	for _, o := range r.Observations {
		t.helmOnly = t.helmOnly && o.Subject.System == checks.SystemHelm
		switch {
		case o.Held:
			t.held++
		case o.State == checks.PendingUpgrade:
			t.stuck++
			t.stuckIn[o.Subject.Cluster] = true
		default:
			t.states[o.State]++
		}
	}
	for _, c := range r.Clusters {
		if c.Failure == nil {
			continue
		}
		switch c.Failure.Kind {
		case checks.FailureTimeout, checks.FailureRefused, checks.FailureDNS, checks.FailureNetwork:
			t.silent++
		case checks.FailureNotTried:
			t.notTried++
		default:
			t.unreadClusters++
		}
	}
	return t
}

// things names a number of subjects as the people of their system do.
func (p *Printer) things(t totals, n int) string {
	if t.helmOnly {
		return p.Count("things.release", n, nil)
	}
	return p.Count("things.subject", n, nil)
}

func (p *Printer) unclear(t totals) string {
	n := t.states[checks.Unknown]
	return p.Count("headline.unclear", n, Args{"things": p.things(t, n)})
}

func (p *Printer) others(t totals) string {
	var list []string
	for _, state := range checks.States() {
		if n := t.states[state]; n > 0 && state != checks.Unknown {
			list = append(list, p.Text("counts.state", Args{"n": strconv.Itoa(n), "state": state.Title()}))
		}
	}
	return strings.Join(list, ", ")
}

func capital(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[size:]
}
