package slack

import (
	"fmt"
	"strings"

	"stuckbot/bot"
)

// Split implements bot.Split: it cuts a message into pages that Slack takes whole. Lists are cut between their entries,
// other text between lines or words, and buttons stay in their order. Nothing is left out: an entry that is longer than
// Slack allows becomes several. Pages of several end with a note that says which one it is.
func (t *Transport) Split(m bot.Message) []bot.Message { return split(m) }

func split(m bot.Message) []bot.Message {
	blocks := m.Blocks
	summary := strings.TrimSpace(cleanLine(m.Summary))
	if long := units(summary) > maxSummaryUnits; long || nothing(blocks) {
		if long {
			m.Summary = shorten(summary, maxSummaryUnits)
		}
		blocks = append([]bot.Block{bot.Text(bot.T(summary))}, blocks...)
	}
	var pieces []bot.Block
	for _, b := range blocks {
		pieces = append(pieces, fit(b)...)
	}
	pages := pack(pieces, maxBlocks, maxUnits)
	if len(pages) == 1 {
		m.Blocks = pages[0]
		return []bot.Message{m}
	}
	const note = 60
	pages = pack(pieces, maxBlocks-1, maxUnits-note)
	out := make([]bot.Message, len(pages))
	for i, page := range pages {
		label := bot.PageNote(i+1, len(pages))
		out[i] = bot.Message{Summary: m.Summary, Blocks: append(page, bot.Note(bot.T(label)))}
		if i > 0 {
			out[i].Summary = fmt.Sprintf("%s (%s)", m.Summary, label)
		}
	}
	return out
}

// nothing reports whether blocks show nothing.
func nothing(blocks []bot.Block) bool {
	rendered, err := renderBlocks(blocks)
	return err == nil && len(rendered) == 0
}

// pack fills pages with blocks in their order.
func pack(pieces []bot.Block, blockLimit, unitLimit int) [][]bot.Block {
	var pages [][]bot.Block
	var page []bot.Block
	blocks, size := 0, 0
	for _, p := range pieces {
		b, u := cost(p)
		if len(page) > 0 && (blocks+b > blockLimit || size+u > unitLimit) {
			pages, page, blocks, size = append(pages, page), nil, 0, 0
		}
		page, blocks, size = append(page, p), blocks+b, size+u
	}
	return append(pages, page)
}

// cost is what a block takes of a message. One that cannot be rendered costs nothing: its message will be refused.
func cost(b bot.Block) (blocks, size int) {
	rendered, err := renderBlock(b)
	if err != nil {
		return 0, 0
	}
	for _, r := range rendered {
		size += measure(r)
	}
	return len(rendered), size
}

// fit cuts a block into blocks each of which keeps within the limits of one.
func fit(b bot.Block) []bot.Block {
	switch b.Kind {
	case bot.BlockHeadline:
		text := cleanLine(plain(b.Spans))
		if units(text) <= maxHeaderUnits {
			return []bot.Block{b}
		}
		return fit(bot.Text(bot.B(text)))
	case bot.BlockText:
		return each(wrapSpans(b.Spans, maxBlockUnits-1), func(s []bot.Span) bot.Block { return bot.Text(s...) })
	case bot.BlockNote:
		return fitNote(b.Spans)
	case bot.BlockLines:
		return fitLines(b.Lines)
	case bot.BlockPre:
		return each(wrap(cleanBlock(plain(b.Spans)), maxBlockUnits), func(s string) bot.Block { return bot.Pre(strings.TrimSuffix(s, "\n")) })
	case bot.BlockButtons:
		return fitButtons(b.Buttons)
	}
	return []bot.Block{b}
}

func each[T any](parts []T, block func(T) bot.Block) []bot.Block {
	var out []bot.Block
	for _, p := range parts {
		out = append(out, block(p))
	}
	return out
}

// fitNote makes notes of at most ten spans, which are at most ten elements.
func fitNote(spans []bot.Span) []bot.Block {
	var out []bot.Block
	for _, part := range wrapSpans(spans, maxBlockUnits) {
		if len(noteRuns(part)) <= maxNoteElements {
			out = append(out, bot.Note(part...))
			continue
		}
		for len(part) > 0 {
			n := min(len(part), maxNoteElements)
			out = append(out, bot.Note(part[:n]...))
			part = part[n:]
		}
	}
	return out
}

func fitLines(lines [][]bot.Span) []bot.Block {
	var out []bot.Block
	var list [][]bot.Span
	size, spans := 0, 0
	flush := func() {
		if len(list) > 0 {
			out = append(out, bot.Block{Kind: bot.BlockLines, Lines: list})
		}
		list, size, spans = nil, 0, 0
	}
	for _, line := range lines {
		for _, entry := range wrapLine(line) {
			n := spansSize(entry) + 1
			if size+n > maxBlockUnits || len(list) == maxListItems || spans+len(entry) > 2*maxSpans {
				flush()
			}
			list, size, spans = append(list, entry), size+n, spans+len(entry)
		}
	}
	flush()
	return out
}

// wrapLine cuts an entry that is too long into several; those that go on begin with a sign of it.
func wrapLine(line []bot.Span) [][]bot.Span {
	const sign = "… "
	parts := wrapSpans(line, maxBlockUnits-10)
	if len(parts) == 0 {
		return [][]bot.Span{nil}
	}
	for i := range parts[1:] {
		parts[i+1] = append([]bot.Span{bot.T(sign)}, parts[i+1]...)
	}
	return parts
}

// wrapSpans cuts spans into groups of at most limit units.
func wrapSpans(spans []bot.Span, limit int) [][]bot.Span {
	var groups [][]bot.Span
	var group []bot.Span
	left := limit
	flush := func() {
		if len(group) > 0 {
			groups = append(groups, group)
		}
		group, left = nil, limit
	}
	for _, s := range spans {
		for _, part := range wrapSpan(s, left, limit) {
			n := spansSize([]bot.Span{part})
			if n > left || len(group) == maxSpans {
				flush()
			}
			group, left = append(group, part), left-n
		}
	}
	flush()
	return groups
}

// wrapSpan cuts a span into a first part that fills what is left of a line, and others of at most limit units.
func wrapSpan(s bot.Span, left, limit int) []bot.Span {
	size := spansSize([]bot.Span{s})
	if size <= left || s.Style == bot.Mention && isUser(s.Text) || s.Style == bot.Clock && isMoment(s.Time) {
		return []bot.Span{s}
	}
	text, style := cleanLine(spanText(s)), s.Style
	if style == bot.Mention || style == bot.Clock { // no part of it may become one
		style = bot.Plain
	}
	var parts []bot.Span
	if left > limit/4 { // less is not worth a cut
		n := cut(text, prefix(text, left))
		parts, text = append(parts, bot.Span{Text: text[:n], Style: style}), text[n:]
	}
	for _, piece := range wrap(text, limit) {
		parts = append(parts, bot.Span{Text: piece, Style: style})
	}
	return parts
}

// spansSize is the size of spans within a line.
func spansSize(spans []bot.Span) int {
	n := 0
	for _, s := range spans {
		if e := element(s); e != nil {
			n += measureInline(e)
		}
	}
	return n
}

func fitButtons(buttons []bot.Button) []bot.Block {
	var out []bot.Block
	for len(buttons) > 0 {
		n := min(len(buttons), maxActions)
		for n > 1 {
			if _, size := cost(bot.Block{Kind: bot.BlockButtons, Buttons: buttons[:n]}); size <= maxBlockUnits {
				break
			}
			n--
		}
		out = append(out, bot.Block{Kind: bot.BlockButtons, Buttons: buttons[:n]})
		buttons = buttons[n:]
	}
	return out
}
