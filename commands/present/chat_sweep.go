package present

import (
	"slices"
	"strconv"
	"strings"

	"stuckbot/bot"
	"stuckbot/checks"
	"stuckbot/checks/sweep"
)

// SweepProgress is the message that stands in the channel while a sweep runs.
func (p *Printer) SweepProgress(s sweep.Progress, asker string) bot.Message {
	title := p.Count("chat.sweep.running", s.Total, nil)
	m := bot.Message{Summary: title, Blocks: []bot.Block{bot.Headline(title)}}
	if s.Done > 0 || s.Stuck > 0 {
		m.Blocks = append(m.Blocks, bot.Text(bot.T(p.Progress(s))))
	}
	m.Blocks = append(m.Blocks, bot.Note(p.askedBy(asker)...))
	return m
}

// SweepMessage is a sweep's result as the channel reads it: the headline, production first, one line for each subject,
// then apart what is held on purpose and what could not be read.
func (p *Printer) SweepMessage(r *sweep.Result, asker string) bot.Message {
	parts := p.headlineParts(r)
	title := capital(parts[0])
	m := bot.Message{Summary: title, Blocks: []bot.Block{bot.Headline(title)}}
	if len(parts) > 1 {
		m.Blocks = append(m.Blocks, bot.Text(bot.T(capital(strings.Join(parts[1:], "; "))+".")))
	}
	production, others, held := p.groups(r)
	both := len(production) > 0 && len(others) > 0
	if both {
		m.Blocks = append(m.Blocks, bot.Text(bot.B(p.Text("chat.sweep.production", nil))))
	}
	m.Blocks = append(m.Blocks, p.subjectLines(production, r)...)
	if both {
		m.Blocks = append(m.Blocks, bot.Text(bot.B(p.Text("chat.sweep.others", nil))))
	}
	m.Blocks = append(m.Blocks, p.subjectLines(others, r)...)
	if len(held) > 0 {
		m.Blocks = append(m.Blocks, bot.Text(bot.B(p.Count("chat.sweep.held", len(held), nil))))
		m.Blocks = append(m.Blocks, p.subjectLines(held, r)...)
	}
	m.Blocks = append(m.Blocks, p.unreadBlocks(r)...)
	foot := append([]bot.Span{bot.T(p.Count("chat.sweep.read", reached(r), Args{
		"total": strconv.Itoa(len(r.Clusters)), "took": Took(r.Took)}) + " ")}, p.askedBy(asker)...)
	m.Blocks = append(m.Blocks, bot.Note(append(foot, bot.T(" · "), bot.Span{Style: bot.Clock, Time: r.At})...))
	return m
}

// groups sorts what is not Active into production, the rest, and what somebody holds on purpose.
func (p *Printer) groups(r *sweep.Result) (production, others, held []checks.Observation) {
	isProd := map[string]bool{}
	for _, c := range r.Clusters {
		isProd[c.Name] = isProduction(c.Labels["env"])
	}
	for _, o := range order(r) {
		switch {
		case o.Held:
			held = append(held, o)
		case isProd[o.Subject.Cluster]:
			production = append(production, o)
		default:
			others = append(others, o)
		}
	}
	return production, others, held
}

func (p *Printer) subjectLines(all []checks.Observation, r *sweep.Result) []bot.Block {
	if len(all) == 0 {
		return nil
	}
	block := bot.Block{Kind: bot.BlockLines}
	for _, o := range all {
		block.Lines = append(block.Lines, p.subjectLine(o, r))
	}
	return []bot.Block{block}
}

// subjectLine is one stuck subject: cluster, what, from which revision to which, for how long, by whom deployed, and why.
func (p *Printer) subjectLine(o checks.Observation, r *sweep.Result) []bot.Span {
	spans := []bot.Span{
		bot.C(p.Clean(o.Subject.Cluster)), bot.T(" "), bot.B(p.Clean(p.releaseCell(o))),
		bot.T(" " + revisionCell(o)),
	}
	if o.Version != "" {
		spans = append(spans, bot.T(" ("+p.Clean(o.Version)+")"))
	}
	args := Args{"state": p.stateCell(o)}
	if why := p.Why(o); !strings.EqualFold(why, o.State.Title()) { // "pending-upgrade" says nothing new
		args["why"] = why
	}
	if text, known := age(o.Since, r.At); known {
		args["age"] = text
	}
	if o.Owner != "" && o.Owner != checks.OwnerUnknown {
		args["owner"] = string(o.Owner)
	}
	return append(spans, bot.T(p.Text("chat.sweep.line", args)))
}

// unreadBlocks lists what could not be read, with what to do.
func (p *Printer) unreadBlocks(r *sweep.Result) []bot.Block {
	var lines [][]bot.Span
	n := 0
	for _, c := range r.Clusters {
		if c.Failure != nil {
			n++
			lines = append(lines, []bot.Span{bot.C(p.Clean(c.Name)), bot.T(" " + p.Failure(*c.Failure, r.At))})
		}
	}
	for _, part := range byCluster(r.Unreadable) {
		n += things(part)
		for _, f := range part {
			lines = append(lines, []bot.Span{bot.C(p.Clean(f.cluster)), bot.T(" " + p.Clean(f.same+strings.Join(f.names, ", ")) + ": " + p.Failure(f.failure, r.At))})
		}
	}
	if n == 0 {
		return nil
	}
	return []bot.Block{bot.Text(bot.B(p.Count("chat.sweep.unread", n, nil))), {Kind: bot.BlockLines, Lines: lines}}
}

func reached(r *sweep.Result) int {
	return len(slices.DeleteFunc(slices.Clone(r.Clusters), func(c sweep.Cluster) bool { return c.Failure != nil }))
}

func (p *Printer) askedBy(person string) []bot.Span {
	if person == "" {
		return nil
	}
	return []bot.Span{bot.T(p.Text("chat.asked-by", nil) + " "), {Style: bot.Mention, Text: person}}
}
