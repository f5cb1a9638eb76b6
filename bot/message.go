package bot

import "time"

// Message is what people read, without a platform's markup. Text from a cluster can do no harm in it: every Span is
// escaped when it is rendered, and only a Span's Style makes it bold, code, a time or a mention.
type Message struct {
	// Summary is the one line that a notification shows.
	Summary string  `json:"summary"`
	Blocks  []Block `json:"blocks,omitempty"`
}

// BlockKind says what a Block is.
type BlockKind string

// The kinds of blocks.
const (
	// BlockHeadline is the largest line; its Spans are read as plain text.
	BlockHeadline BlockKind = "headline"
	// BlockText is a paragraph.
	BlockText BlockKind = "text"
	// BlockNote is small print.
	BlockNote BlockKind = "note"
	// BlockLines is a list with one entry a line. A message that is too long is split between its lines.
	BlockLines BlockKind = "lines"
	// BlockPre is preformatted text, such as a log line or a command; its Spans are read as plain text.
	BlockPre BlockKind = "pre"
	// BlockButtons is a row of buttons.
	BlockButtons BlockKind = "buttons"
	// BlockDivider is a line.
	BlockDivider BlockKind = "divider"
)

// Block is one part of a Message.
type Block struct {
	Kind BlockKind `json:"kind"`
	// Spans is the content of a headline, text, note or pre.
	Spans []Span `json:"spans,omitempty"`
	// Lines is the content of lines.
	Lines   [][]Span `json:"lines,omitempty"`
	Buttons []Button `json:"buttons,omitempty"`
}

// Style says how a Span looks.
type Style string

// The styles. The zero value is plain text.
const (
	Plain Style = ""
	Bold  Style = "bold"
	Code  Style = "code"
	// Mention stands for a person; the Span's Text is the person's id.
	Mention Style = "mention"
	// Clock stands for the Span's Time, shown in the reader's own time zone where the platform can.
	Clock Style = "clock"
)

// Span is a run of text of one style.
type Span struct {
	Text  string    `json:"text,omitempty"`
	Style Style     `json:"style,omitempty"`
	Time  time.Time `json:"time,omitzero"`
}

// T returns plain text.
func T(text string) Span { return Span{Text: text} }

// B returns bold text.
func B(text string) Span { return Span{Text: text, Style: Bold} }

// C returns text in a fixed-width font, for names and commands.
func C(text string) Span { return Span{Text: text, Style: Code} }

// Headline returns a headline.
func Headline(text string) Block { return Block{Kind: BlockHeadline, Spans: []Span{T(text)}} }

// Text returns a paragraph.
func Text(spans ...Span) Block { return Block{Kind: BlockText, Spans: spans} }

// Note returns small print.
func Note(spans ...Span) Block { return Block{Kind: BlockNote, Spans: spans} }

// Pre returns preformatted text.
func Pre(text string) Block { return Block{Kind: BlockPre, Spans: []Span{T(text)}} }

// Button is something to press. Its authority comes from the store alone: it carries an id, a verb and a digest, and no
// command.
type Button struct {
	ID     string `json:"id"`
	Verb   string `json:"verb"`
	Digest string `json:"digest,omitempty"`
	Label  string `json:"label"`
	// Look is "", "primary" or "danger".
	Look    string   `json:"look,omitempty"`
	Confirm *Confirm `json:"confirm,omitempty"`
}

// Confirm is a question that is asked before a Button counts as pressed.
type Confirm struct {
	Title, Text, Yes, No string
}
