package slack

import (
	"fmt"
	"strings"

	sdk "github.com/slack-go/slack"

	"stuckbot/bot"
)

// content is a message as Slack takes it.
type content struct {
	// text is what notifications show: one line of Slack's markup, in which everything is literal.
	text   string
	blocks []sdk.Block
}

// render turns a message into blocks. It shortens nothing: a message that is too large, or that has a button which could
// not be understood when it is pressed, is bot.ErrRejected. Split makes messages that are small enough.
func render(m bot.Message) (content, error) {
	blocks, err := renderBlocks(m.Blocks)
	if err != nil {
		return content{}, fmt.Errorf("%w: %w", bot.ErrRejected, err)
	}
	summary := summaryOf(m)
	if len(blocks) == 0 {
		if blocks, err = renderBlock(bot.Text(bot.T(m.Summary))); err != nil || len(blocks) == 0 {
			return content{}, fmt.Errorf("%w: it is empty", bot.ErrRejected)
		}
	}
	if err := check(blocks); err != nil {
		return content{}, fmt.Errorf("%w: %w", bot.ErrRejected, err)
	}
	return content{text: escape(summary), blocks: blocks}, nil
}

// check looks whether blocks keep within the limits.
func check(blocks []sdk.Block) error {
	total := 0
	for _, b := range blocks {
		size := measure(b)
		if size > maxBlockUnits {
			return fmt.Errorf("a %s block of %d characters is too long", b.BlockType(), size)
		}
		total += size
	}
	if len(blocks) > maxBlocks || total > maxUnits {
		return fmt.Errorf("%d blocks with %d characters are too many", len(blocks), total)
	}
	return nil
}

func summaryOf(m bot.Message) string {
	summary := strings.TrimSpace(cleanLine(m.Summary))
	for i := 0; summary == "" && i < len(m.Blocks); i++ {
		summary = strings.TrimSpace(cleanLine(plain(m.Blocks[i].Spans)))
	}
	if summary == "" {
		summary = "…"
	}
	return shorten(summary, maxSummaryUnits)
}

// shorten cuts text that is too long, and shows that it did.
func shorten(text string, limit int) string {
	if units(text) <= limit {
		return text
	}
	n := boundary(text, prefix(text, limit-1))
	return strings.TrimRight(text[:n], " ") + "…"
}

func renderBlocks(blocks []bot.Block) ([]sdk.Block, error) {
	var out []sdk.Block
	for _, b := range blocks {
		r, err := renderBlock(b)
		if err != nil {
			return nil, err
		}
		out = append(out, r...)
	}
	return out, nil
}

// renderBlock renders one block; one without content becomes nothing.
func renderBlock(b bot.Block) ([]sdk.Block, error) {
	switch b.Kind {
	case bot.BlockHeadline:
		return renderHeadline(b.Spans), nil
	case bot.BlockText:
		return richText(section(b.Spans)), nil
	case bot.BlockNote:
		return renderNote(b.Spans), nil
	case bot.BlockLines:
		return renderLines(b.Lines), nil
	case bot.BlockPre:
		return renderPre(b.Spans), nil
	case bot.BlockButtons:
		return renderButtons(b.Buttons)
	case bot.BlockDivider:
		return []sdk.Block{sdk.NewDividerBlock()}, nil
	}
	return nil, fmt.Errorf("unknown kind of block %q", b.Kind)
}

func renderHeadline(spans []bot.Span) []sdk.Block {
	text := strings.TrimSpace(cleanLine(plain(spans)))
	if text == "" {
		return nil
	}
	if units(text) > maxHeaderUnits {
		return richText(section([]bot.Span{bot.B(text)}))
	}
	return []sdk.Block{sdk.NewHeaderBlock(plainObject(text))}
}

func renderLines(lines [][]bot.Span) []sdk.Block {
	var items []sdk.RichTextElement
	for _, line := range lines {
		item := section(line)
		if item == nil { // an entry is a line even when it is empty
			item = section([]bot.Span{bot.T(" ")})
		}
		items = append(items, item)
	}
	if len(items) == 0 {
		return nil
	}
	return richText(sdk.NewRichTextList(sdk.RTEListBullet, 0, items...))
}

func renderPre(spans []bot.Span) []sdk.Block {
	text := strings.TrimRight(cleanBlock(plain(spans)), "\n")
	if text == "" {
		return nil
	}
	return richText(&sdk.RichTextPreformatted{
		Type: sdk.RTEPreformatted, Elements: []sdk.RichTextSectionElement{sdk.NewRichTextSectionTextElement(text, nil)},
	})
}

// richText makes a block of an element, or nothing of none.
func richText(element sdk.RichTextElement) []sdk.Block {
	if s, ok := element.(*sdk.RichTextSection); ok && s == nil {
		return nil
	}
	return []sdk.Block{sdk.NewRichTextBlock("", element)}
}

// plainObject is text that Slack shows as it is: without emoji names it parses nothing.
func plainObject(text string) *sdk.TextBlockObject {
	noEmoji := false
	return &sdk.TextBlockObject{Type: sdk.PlainTextType, Text: text, Emoji: &noEmoji}
}
