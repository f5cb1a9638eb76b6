package slack

import (
	"fmt"
	"strings"
	"time"

	sdk "github.com/slack-go/slack"

	"stuckbot/bot"
)

// clockFormat is how Slack shows a time in the reader's own time zone.
const clockFormat = "{date_short_pretty} {time}"

// utc is how a time reads where it cannot be shown in the reader's time zone.
func utc(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// section makes a line of rich text, or nil when there is nothing to show. Its text elements are never parsed: whatever
// stands in them can neither mention nor link nor format anything.
func section(spans []bot.Span) *sdk.RichTextSection {
	var elements []sdk.RichTextSectionElement
	for _, s := range spans {
		if e := element(s); e != nil {
			elements = append(elements, e)
		}
	}
	if len(elements) == 0 {
		return nil
	}
	return sdk.NewRichTextSection(elements...)
}

func element(s bot.Span) sdk.RichTextSectionElement {
	switch {
	case s.Style == bot.Mention && isUser(s.Text):
		return sdk.NewRichTextSectionUserElement(s.Text, nil)
	case s.Style == bot.Clock && isMoment(s.Time):
		fallback := utc(s.Time)
		return sdk.NewRichTextSectionDateElement(s.Time.Unix(), clockFormat, nil, &fallback)
	}
	text := cleanLine(spanText(s))
	if text == "" {
		return nil
	}
	return sdk.NewRichTextSectionTextElement(text, textStyle(s.Style))
}

func textStyle(s bot.Style) *sdk.RichTextSectionTextStyle {
	switch s {
	case bot.Bold:
		return &sdk.RichTextSectionTextStyle{Bold: true}
	case bot.Code:
		return &sdk.RichTextSectionTextStyle{Code: true}
	}
	return nil
}

// spanText is a span as plain text.
func spanText(s bot.Span) string {
	switch {
	case s.Style == bot.Mention && isUser(s.Text):
		return "@" + s.Text
	case s.Style == bot.Clock && isMoment(s.Time):
		return utc(s.Time)
	case s.Style == bot.Clock && s.Text == "":
		return "at an unknown time"
	}
	return s.Text
}

func plain(spans []bot.Span) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(spanText(s))
	}
	return b.String()
}

// isUser reports whether text is a Slack user id; nothing else may become a mention.
func isUser(text string) bool {
	if len(text) < 2 || len(text) > 32 || text[0] != 'U' && text[0] != 'W' {
		return false
	}
	return isID(text)
}

// isID reports whether text is made of what Slack's ids are made of.
func isID(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < '0' || c > '9') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return text != ""
}

// isMoment reports whether Slack can show a time.
func isMoment(t time.Time) bool { return t.Unix() > 0 && t.Year() < 3000 }

// renderNote makes small print. Its text stands in plain text objects. Times and mentions need markup and stand in objects
// of their own, which we write whole.
func renderNote(spans []bot.Span) []sdk.Block {
	var elements []sdk.MixedElement
	for _, run := range noteRuns(spans) {
		elements = append(elements, run)
	}
	var out []sdk.Block
	for len(elements) > 0 {
		n := min(len(elements), maxNoteElements)
		out = append(out, sdk.NewContextBlock("", elements[:n]...))
		elements = elements[n:]
	}
	return out
}

// noteRuns joins neighbouring text to one object each.
func noteRuns(spans []bot.Span) []*sdk.TextBlockObject {
	var out []*sdk.TextBlockObject
	var run strings.Builder
	flush := func() {
		if text := strings.TrimSpace(run.String()); text != "" {
			out = append(out, plainObject(text))
		}
		run.Reset()
	}
	for _, s := range spans {
		if markup := noteMarkup(s); markup != "" {
			flush()
			out = append(out, &sdk.TextBlockObject{Type: sdk.MarkdownType, Text: markup, Verbatim: true})
			continue
		}
		run.WriteString(cleanLine(spanText(s)))
	}
	flush()
	return out
}

// noteMarkup is the only markup that we write. Nothing in it comes from a cluster: a user id of capitals and digits, or a
// number of seconds and its date in digits.
func noteMarkup(s bot.Span) string {
	switch {
	case s.Style == bot.Mention && isUser(s.Text):
		return "<@" + s.Text + ">"
	case s.Style == bot.Clock && isMoment(s.Time):
		return fmt.Sprintf("<!date^%d^%s|%s>", s.Time.Unix(), clockFormat, utc(s.Time))
	}
	return ""
}
