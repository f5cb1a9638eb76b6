package present

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"stuckbot/checks"
	"stuckbot/checks/sweep"
)

// SweepTable writes a sweep for people: what is not Active, one line a cluster, what could not be read, the headline.
func (p *Printer) SweepTable(w io.Writer, r *sweep.Result, s Screen) error {
	var b strings.Builder
	narrow, left := false, []string(nil)
	if len(r.Observations) > 0 {
		var err error
		if narrow, left, err = p.render(&b, p.columns(r), s); err != nil {
			return err
		}
		b.WriteString("\n")
	}
	if len(r.Clusters) > 0 {
		cut, _, err := p.render(&b, p.clusterColumns(r), s)
		if err != nil {
			return err
		}
		narrow = narrow || cut
		b.WriteString("\n")
	}
	b.WriteString(p.unread(r, s))
	if narrow {
		b.WriteString(wrap(p.Text("screen.narrow", Args{"columns": strings.Join(left, ", ")}), s.Width))
	}
	b.WriteString(wrap(p.Headline(r), s.Width))
	_, err := io.WriteString(w, b.String())
	return err
}

func (p *Printer) clusterColumns(r *sweep.Result) []column {
	partly := map[string]bool{}
	for _, u := range r.Unreadable {
		partly[u.Cluster] = true
	}
	title := func(id ID) string { return p.Text("column."+id, nil) }
	name := column{id: "cluster", title: title("cluster"), least: 12, middle: true}
	read := column{id: "read", title: title("read")}
	took := column{id: "took", title: title("took"), leave: 1}
	counts := column{id: "counts", title: title("counts"), least: 16}
	for _, c := range r.Clusters {
		name.cells = append(name.cells, p.Clean(c.Name))
		read.cells = append(read.cells, p.readCell(c, partly[c.Name]))
		took.cells = append(took.cells, Took(c.Took))
		counts.cells = append(counts.cells, p.countsCell(c, partly[c.Name]))
	}
	return []column{name, read, took, counts}
}

func (p *Printer) readCell(c sweep.Cluster, partly bool) string {
	switch {
	case c.Failure != nil:
		return p.Text("read.no", nil)
	case partly:
		return p.Text("read.partly", nil)
	default:
		return p.Text("read.yes", nil)
	}
}

// countsCell lists how many subjects are in which state, what needs a person first. Where a part was not read it says that
// these are the ones that were.
func (p *Printer) countsCell(c sweep.Cluster, partly bool) string {
	if c.Failure != nil {
		return noValue
	}
	if len(c.Counts) == 0 {
		return p.Text("counts.none", nil)
	}
	id := ID("counts.system")
	if partly {
		id = "counts.partly"
	}
	var systems []string
	for _, system := range sortedSystems(c.Counts) {
		total, states := 0, []string(nil)
		for _, state := range checks.States() {
			if n := c.Counts[system][state]; n > 0 {
				total += n
				states = append(states, p.Text("counts.state", Args{"n": strconv.Itoa(n), "state": state.Title()}))
			}
		}
		systems = append(systems, p.Text(id,
			Args{"system": string(system), "total": strconv.Itoa(total), "states": strings.Join(states, ", ")}))
	}
	return strings.Join(systems, "; ")
}

func sortedSystems(counts map[checks.System]map[checks.State]int) []checks.System {
	var systems []checks.System
	for system := range counts {
		systems = append(systems, system)
	}
	slices.Sort(systems)
	return systems
}
