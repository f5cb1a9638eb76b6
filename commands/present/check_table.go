package present

import (
	"io"
	"strconv"
	"strings"
	"time"

	"stuckbot/checks"
)

// CheckTable writes a check for people: a line for each cluster, then what failed and what to do, then warnings.
func (p *Printer) CheckTable(w io.Writer, c *Check, s Screen) error {
	var b strings.Builder
	narrow := false
	if len(c.Clusters) > 0 {
		var err error
		if narrow, _, err = p.render(&b, p.checkColumns(c), s); err != nil {
			return err
		}
		b.WriteString("\n")
	}
	p.section(&b, "check.failed", p.failures(c), s)
	for _, cluster := range c.Clusters {
		b.WriteString(p.rules(cluster, s))
	}
	p.section(&b, "check.warnings", p.warnings(c), s)
	if narrow {
		b.WriteString(wrap(p.Text("screen.narrow", nil), s.Width))
	}
	b.WriteString(p.verdict(c))
	_, err := io.WriteString(w, b.String())
	return err
}

func (p *Printer) checkColumns(c *Check) []column {
	title := func(id ID) string { return p.Text("column."+id, nil) }
	name := column{id: "cluster", title: title("cluster"), least: 12, middle: true}
	reachable := column{id: "reachable", title: title("reachable")}
	version := column{id: "kubernetes", title: title("kubernetes"), least: 8}
	clock := column{id: "clock", title: title("clock")}
	permissions := column{id: "permissions", title: title("permissions")}
	for _, cluster := range c.Clusters {
		name.cells = append(name.cells, p.Clean(cluster.Name))
		reachable.cells = append(reachable.cells, p.yesNo(cluster.Failure == nil))
		version.cells = append(version.cells, orNone(p.Clean(cluster.Server.Version)))
		clock.cells = append(clock.cells, p.clockCell(cluster))
		permissions.cells = append(permissions.cells, p.permissionsCell(cluster))
	}
	return []column{name, reachable, version, clock, permissions}
}

func (p *Printer) yesNo(yes bool) string {
	if yes {
		return p.Text("check.yes", nil)
	}
	return p.Text("check.no", nil)
}

func (p *Printer) clockCell(c CheckedCluster) string {
	ahead, known := c.clock()
	if !known {
		return noValue
	}
	return p.difference(ahead)
}

func (p *Printer) difference(ahead time.Duration) string {
	switch {
	case ahead.Abs() <= clockNoise:
		return p.Text("check.clock-even", nil)
	case ahead > 0:
		return p.Text("check.clock-ahead", Args{"age": Age(ahead)})
	default:
		return p.Text("check.clock-behind", Args{"age": Age(-ahead)})
	}
}

func (p *Printer) permissionsCell(c CheckedCluster) string {
	if c.Failure != nil || c.AccessFailure != nil {
		return noValue
	}
	granted := len(c.Access) - len(c.missing())
	return p.Text("check.permissions", Args{"n": strconv.Itoa(granted), "total": strconv.Itoa(len(c.Access))})
}

// failures lists what failed, a sentence each.
func (p *Printer) failures(c *Check) []string {
	var all []string
	for _, problem := range c.Problems {
		all = append(all, p.Text("check.config-failed", Args{"problem": problem}))
	}
	if c.StorageProblem != "" {
		all = append(all, p.Text("check.storage", Args{"problem": c.StorageProblem}))
	}
	for _, f := range c.Chat {
		if f.Problem != "" && !f.Degraded {
			all = append(all, p.chatLine(f))
		}
	}
	for _, cluster := range c.Clusters {
		switch {
		case cluster.Failure != nil:
			all = append(all, p.line("check.line", cluster.Name, "", p.Failure(*cluster.Failure, c.At)))
		case cluster.AccessFailure != nil:
			review := p.Text("check.review", Args{"sentence": p.Failure(*cluster.AccessFailure, c.At)})
			all = append(all, p.line("check.line", cluster.Name, "", review))
		}
		for _, missing := range cluster.missing() {
			all = append(all, p.line("check.line", cluster.Name, "", p.missing(missing)))
		}
	}
	return all
}

func (p *Printer) chatLine(f ChatFinding) string {
	return p.Text("check.chat", Args{"what": f.What, "problem": f.Problem, "advice": f.Advice})
}

func (p *Printer) missing(a Access) string {
	where := p.Text("check.everywhere", nil)
	switch {
	case len(a.In) > 0:
		where = p.Text("check.in", Args{"namespaces": p.names(a.In, "check.in-more")})
	case a.Group == "" && a.Resource == "namespaces":
		where = "" // they are in no namespace themselves
	}
	return p.Text("check.missing", Args{
		"verb": a.Verb, "resource": qualified(a.Permission), "where": where,
		"why": p.Text(ID(a.Why), nil), "reason": a.Reason,
	})
}

func qualified(permission checks.Permission) string {
	if permission.Group == "" {
		return permission.Resource
	}
	return permission.Resource + "." + permission.Group
}

func (p *Printer) warnings(c *Check) []string {
	var all []string
	for _, file := range c.Readable {
		all = append(all, p.Text("check.file-mode", Args{"path": file.Path, "mode": file.Mode.String()}))
	}
	for _, f := range c.Chat {
		if f.Problem != "" && f.Degraded {
			all = append(all, p.chatLine(f))
		}
	}
	for _, cluster := range c.Clusters {
		if ahead, known := cluster.clock(); known && ahead.Abs() >= clockWarning {
			text := p.Text("check.clock", Args{"difference": p.difference(ahead)})
			all = append(all, p.line("check.line", cluster.Name, "", text))
		}
	}
	return all
}

func (p *Printer) section(b *strings.Builder, title ID, lines []string, s Screen) {
	if len(lines) == 0 {
		return
	}
	b.WriteString(p.Text(title, nil) + "\n")
	for _, line := range lines {
		b.WriteString(paragraph(line, s))
	}
	b.WriteString("\n")
}

// verdict closes the check; it says that something is in order only if nothing failed.
func (p *Printer) verdict(c *Check) string {
	if failed := c.Failed(); failed > 0 {
		return p.Count("check.problems", failed, nil) + "\n"
	}
	if c.File == "" {
		return p.Text("check.config-none", nil) + "\n" + p.Count("check.fine", len(c.Clusters), nil) + "\n"
	}
	chat := ""
	if len(c.Chat) > 0 {
		chat = p.Text("check.chat-fine", nil) + "\n"
	}
	return p.Text("check.config", Args{"file": c.File}) + "\n" + chat +
		p.Text("check.storage-fine", Args{"path": c.Storage}) + "\n" +
		p.Count("check.fine", len(c.Clusters), nil) + "\n"
}
