package present

import (
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Screen is what text is written to.
type Screen struct {
	// Width in cells; 0 means that lines may have any length.
	Width int
	// Color allows colours.
	Color bool
}

const (
	gap      = 2
	ellipsis = "…"
)

// column is one column of a table. All its cells are clean.
type column struct {
	id    ID
	title string
	cells []string
	// leave is the order in which columns are left out where the screen is too narrow; 0 means never.
	leave int
	// least is the width down to which a column may be cut; 0 means that it is never cut.
	least int
	// middle cuts in the middle, where both ends of a text matter.
	middle bool
	// colors is the colour of each cell, if any.
	colors []text.Colors

	width int
}

func (c column) natural() int {
	width := text.StringWidthWithoutEscSequences(c.title)
	for _, cell := range c.cells {
		width = max(width, text.StringWidthWithoutEscSequences(cell))
	}
	return width
}

// fit chooses the columns and their widths for a screen: first columns are left out until the rest fits when cut as far as
// it may be, then what found room after all comes back, then the last columns are cut. narrow reports whether a cell will
// lose text.
func fit(columns []column, width int) (kept, left []column, narrow bool) {
	for i := range columns {
		columns[i].width = columns[i].natural()
	}
	if width <= 0 {
		return columns, nil, false
	}
	out := map[ID]bool{}
	order := leaving(columns)
	for _, id := range order {
		if total(columns, out, leastWidth) <= width {
			break
		}
		out[id] = true
	}
	for _, id := range slices.Backward(order) {
		if out[id] {
			out[id] = false
			out[id] = total(columns, out, leastWidth) > width
		}
	}
	for _, c := range columns {
		if out[c.id] {
			left = append(left, c)
			continue
		}
		kept = append(kept, c)
	}
	return kept, left, cut(kept, width)
}

// cut narrows columns, the last first: they are the ones for reading on, the first ones are for finding. Where that is not
// enough and nothing is left to leave out, it cuts further than is good.
func cut(columns []column, width int) bool {
	narrow := false
	for _, least := range []func(column) int{leastWidth, floorWidth} {
		for i := len(columns) - 1; i >= 0; i-- {
			over := total(columns, nil, func(c column) int { return c.width }) - width
			if over <= 0 {
				return narrow
			}
			if w := max(least(columns[i]), columns[i].width-over); w < columns[i].width {
				columns[i].width, narrow = w, true
			}
		}
	}
	return narrow
}

// floorWidth is where even a screen that is too narrow for anything stops cutting.
func floorWidth(c column) int {
	const floor = 8
	if c.least == 0 {
		return c.width
	}
	return min(floor, c.width)
}

func leastWidth(c column) int {
	if c.least == 0 {
		return c.width
	}
	return min(c.least, c.width)
}

func total(columns []column, out map[ID]bool, width func(column) int) int {
	sum := -gap
	for _, c := range columns {
		if !out[c.id] {
			sum += gap + width(c)
		}
	}
	return sum
}

// leaving returns the columns that may be left out, the least important first.
func leaving(columns []column) []ID {
	may := slices.DeleteFunc(slices.Clone(columns), func(c column) bool { return c.leave == 0 })
	slices.SortStableFunc(may, func(a, b column) int { return a.leave - b.leave })
	var ids []ID
	for _, c := range may {
		ids = append(ids, c.id)
	}
	return ids
}

// render writes columns side by side and returns what the screen was too narrow for.
func (p *Printer) render(w io.Writer, columns []column, s Screen) (narrow bool, left []string, err error) {
	kept, dropped, narrow := fit(columns, s.Width)
	t := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", strings.Repeat(" ", gap)
	style.Format = table.FormatOptions{Header: text.FormatDefault}
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	t.AppendHeader(headerOf(kept))
	for i := range kept[0].cells {
		t.AppendRow(rowOf(kept, i, s.Color))
	}
	for _, c := range dropped {
		left = append(left, c.title)
	}
	_, err = io.WriteString(w, t.Render()+"\n")
	return narrow || len(dropped) > 0, left, err
}

func headerOf(columns []column) table.Row {
	var row table.Row
	for _, c := range columns {
		row = append(row, shorten(c.title, c.width, false))
	}
	return row
}

func rowOf(columns []column, i int, colored bool) table.Row {
	var row table.Row
	for _, c := range columns {
		cell := shorten(c.cells[i], c.width, c.middle)
		if colored && c.colors != nil && c.colors[i] != nil {
			cell = paint(c.colors[i], cell)
		}
		row = append(row, cell)
	}
	return row
}

// paint colours a cell whether or not the library believes that the standard output is a terminal: the caller knows where
// it writes.
func paint(colors text.Colors, cell string) string {
	return text.Escape(cell, colors.EscapeSeq())
}

// shorten cuts a text to a width and shows that it did.
func shorten(cell string, width int, middle bool) string {
	cells := text.StringWidthWithoutEscSequences(cell)
	if cells <= width {
		return cell
	}
	runes := []rune(cell)
	if !middle || width < 5 || cells != len(runes) {
		return text.Snip(cell, width, ellipsis)
	}
	head := (width - 1) / 3
	return string(runes[:head]) + ellipsis + string(runes[len(runes)-(width-1-head):])
}

// minWrap is the width below which wrapping would make a text harder to read.
const minWrap = 20

// wrap breaks a text into lines of a width, between words.
func wrap(body string, width int) string {
	if width < minWrap {
		return body + "\n"
	}
	var b strings.Builder
	for _, line := range strings.Split(text.WrapSoft(body, width), "\n") {
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// paragraph is wrap with the text indented, and once more after its first line.
func paragraph(body string, s Screen) string {
	const indent = "  "
	lines := strings.TrimSuffix(wrap(body, max(0, s.Width-2*len(indent))), "\n")
	return indent + strings.ReplaceAll(lines, "\n", "\n"+indent+indent) + "\n"
}
