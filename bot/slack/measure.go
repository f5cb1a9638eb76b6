package slack

import (
	"strconv"

	sdk "github.com/slack-go/slack"
)

// measure is how many units of a message's size a block takes: all text that people read in it.
func measure(b sdk.Block) int {
	switch b := b.(type) {
	case *sdk.HeaderBlock:
		return units(b.Text.Text)
	case *sdk.ContextBlock:
		n := 0
		for _, e := range b.ContextElements.Elements {
			if t, ok := e.(*sdk.TextBlockObject); ok {
				n += units(t.Text)
			}
		}
		return n
	case *sdk.ActionBlock:
		n := 0
		for _, e := range b.Elements.ElementSet {
			if button, ok := e.(*sdk.ButtonBlockElement); ok {
				n += measureButton(button)
			}
		}
		return n
	case *sdk.RichTextBlock:
		n := 0
		for _, e := range b.Elements {
			n += measureRich(e)
		}
		return n
	}
	return 0
}

func measureButton(b *sdk.ButtonBlockElement) int {
	n := units(b.Text.Text)
	if c := b.Confirm; c != nil {
		n += units(c.Title.Text) + units(c.Text.Text) + units(c.Confirm.Text) + units(c.Deny.Text)
	}
	return n
}

func measureRich(e sdk.RichTextElement) int {
	n := 0
	switch e := e.(type) {
	case *sdk.RichTextList:
		for _, item := range e.Elements {
			n += measureRich(item)
		}
	case *sdk.RichTextSection:
		for _, s := range e.Elements {
			n += measureInline(s)
		}
		n++ // the end of the line
	case *sdk.RichTextPreformatted:
		for _, s := range e.Elements {
			n += measureInline(s)
		}
	}
	return n
}

// measureInline counts what is not text, such as a mention, with what Slack's own markup for it would take.
func measureInline(e sdk.RichTextSectionElement) int {
	switch e := e.(type) {
	case *sdk.RichTextSectionTextElement:
		return units(e.Text)
	case *sdk.RichTextSectionUserElement:
		return units(e.UserID) + len("<@>")
	case *sdk.RichTextSectionDateElement:
		return len("<!date^^|>") + len(strconv.FormatInt(int64(e.Timestamp), 10)) + units(e.Format) + units(*e.Fallback)
	}
	return 0
}
