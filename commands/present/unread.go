package present

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"stuckbot/checks"
	"stuckbot/checks/sweep"
)

const (
	// namesShown is how many names a folded line gives.
	namesShown = 3
	// linesShown is how many lines one cluster gets.
	linesShown = 10
)

// unread lists the clusters that were not reached and what was not read in the others, with what to do.
func (p *Printer) unread(r *sweep.Result, s Screen) string {
	if !r.Partial() {
		return ""
	}
	var b strings.Builder
	b.WriteString(p.Text("unread.title", nil) + "\n")
	for _, c := range r.Clusters {
		if c.Failure != nil {
			b.WriteString(paragraph(p.line("unread.line", c.Name, "", p.Failure(*c.Failure, r.At)), s))
		}
	}
	for _, part := range byCluster(r.Unreadable) {
		for i, f := range part {
			if i == linesShown {
				rest := p.Count("unread.rest", things(part[i:]), Args{"where": f.cluster})
				b.WriteString(paragraph(rest, s))
				break
			}
			b.WriteString(paragraph(p.line("unread.line-what", f.cluster, p.foldedWhat(f), p.Failure(f.failure, r.At)), s))
		}
	}
	return b.String() + "\n"
}

// line joins what is clean already: each part was cleaned and bounded on its own.
func (p *Printer) line(id ID, where, what, sentence string) string {
	return strings.NewReplacer("{where}", p.Clean(where), "{what}", p.Clean(what), "{sentence}", sentence).Replace(p.texts[id])
}

// folded is unreadable things of one cluster that differ only in their last word, which is a namespace's name, or, where the
// account lacks permissions, in their first word too, which is a resource.
type folded struct {
	cluster string
	// same is the text before the last word: the resources and place, for example "in namespace".
	same      string
	resources []string
	place     string
	names     []string
	// count is the number of things, which is larger than that of names where several resources were joined.
	count   int
	failure checks.Failure
}

// fold puts things that failed in the same way into one, in the order in which they come: namespaces of one resource first,
// then resources of the same namespaces.
func fold(unreadable []checks.Unreadable) []folded {
	var all []folded
	for _, u := range unreadable {
		f := unfolded(u)
		at := slices.IndexFunc(all, func(other folded) bool {
			return f.place != "" && other.alike(f) && slices.Equal(other.resources, f.resources)
		})
		if at < 0 {
			all = append(all, f)
			continue
		}
		all[at].names = append(all[at].names, f.names...)
		all[at].count++
	}
	return joinResources(all)
}

// unfolded takes the sentence of one thing apart: a resource, a place, a name.
func unfolded(u checks.Unreadable) folded {
	f := folded{cluster: u.Cluster, names: []string{u.What}, count: 1, failure: u.Failure}
	before, after := strings.IndexByte(u.What, ' '), strings.LastIndexByte(u.What, ' ')
	if before < after {
		f.resources, f.place, f.names = []string{u.What[:before]}, u.What[before+1:after], []string{u.What[after+1:]}
	}
	return f
}

func (f folded) alike(other folded) bool {
	return f.cluster == other.cluster && f.place == other.place && f.failure.Kind == other.failure.Kind
}

// joinResources makes "configmaps, secrets in namespace vault" of two that the account may not read.
func joinResources(all []folded) []folded {
	var joined []folded
	for _, f := range all {
		at := slices.IndexFunc(joined, func(other folded) bool {
			return f.failure.Kind == checks.FailureForbidden && other.alike(f) && f.place != "" && slices.Equal(other.names, f.names)
		})
		if at < 0 {
			joined = append(joined, f)
			continue
		}
		joined[at].resources = append(joined[at].resources, f.resources...)
		joined[at].count += f.count
	}
	for i, f := range joined {
		if f.place != "" {
			joined[i].same = strings.Join(f.resources, ", ") + " " + f.place + " "
		}
	}
	return joined
}

func byCluster(unreadable []checks.Unreadable) [][]folded {
	var parts [][]folded
	for _, f := range fold(unreadable) {
		if last := len(parts) - 1; last >= 0 && parts[last][0].cluster == f.cluster {
			parts[last] = append(parts[last], f)
			continue
		}
		parts = append(parts, []folded{f})
	}
	return parts
}

func things(part []folded) int {
	n := 0
	for _, f := range part {
		n += f.count
	}
	return n
}

func (p *Printer) foldedWhat(f folded) string { return f.same + p.names(f.names, "unread.fold") }

// names lists the first few names, and how many more there are.
func (p *Printer) names(names []string, id ID) string {
	if len(names) <= namesShown {
		return strings.Join(names, ", ")
	}
	return p.Text(id, Args{"names": strings.Join(names[:namesShown], ", "), "more": strconv.Itoa(len(names) - namesShown)})
}

// Unreadable returns the sentence for one thing that could not be read.
func (p *Printer) Unreadable(u checks.Unreadable, now time.Time) string {
	return p.line("unread.line-what", u.Cluster, u.What, p.Failure(u.Failure, now))
}
