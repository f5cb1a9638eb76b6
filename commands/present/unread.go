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

// folded is unreadable things of one cluster that differ only in their last word, which is a namespace's name.
type folded struct {
	cluster string
	// same is the text before the last word.
	same    string
	names   []string
	failure checks.Failure
}

// fold puts things that failed in the same way into one, in the order in which they come.
func fold(unreadable []checks.Unreadable) []folded {
	var all []folded
	for _, u := range unreadable {
		same, name := "", u.What
		if cut := strings.LastIndexByte(u.What, ' '); cut >= 0 {
			same, name = u.What[:cut+1], u.What[cut+1:]
		}
		at := slices.IndexFunc(all, func(f folded) bool {
			return f.cluster == u.Cluster && f.same == same && same != "" && f.failure.Kind == u.Failure.Kind
		})
		if at >= 0 {
			all[at].names = append(all[at].names, name)
			continue
		}
		all = append(all, folded{u.Cluster, same, []string{name}, u.Failure})
	}
	return all
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
		n += len(f.names)
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
