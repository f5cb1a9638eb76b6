package slack

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stuckbot/bot"
)

func TestSplitLeavesAloneWhatFits(t *testing.T) {
	m := sweepOf(20)
	got := split(m)
	if diff := cmp.Diff([]bot.Message{m}, got); diff != "" {
		t.Error(diff)
	}
}

// Every one of 2,000 lines is on exactly one page, in order and whole.
func TestSplitCutsBetweenLines(t *testing.T) {
	m := sweepOf(2000)
	pages := split(m)
	var got [][]bot.Span
	for i, p := range pages {
		for _, b := range p.Blocks {
			got = append(got, b.Lines...)
		}
		note := plain(p.Blocks[len(p.Blocks)-1].Spans)
		if want := fmt.Sprintf("page %d of %d", i+1, len(pages)); note != want {
			t.Errorf("note %q, want %q", note, want)
		}
		if i > 0 && p.Summary != fmt.Sprintf("2000 stuck (page %d of %d)", i+1, len(pages)) {
			t.Errorf("summary %q", p.Summary)
		}
	}
	if !reflect.DeepEqual(m.Blocks[1].Lines, got) {
		t.Errorf("%d lines, or others", len(got))
	}
	if len(pages) < 8 || len(pages) > 20 {
		t.Errorf("%d pages", len(pages))
	}
	if again := split(m); !reflect.DeepEqual(pages, again) {
		t.Error("cutting it again gives other pages")
	}
}

func TestSplitBlocks(t *testing.T) {
	var blocks []bot.Block
	for i := range 120 {
		blocks = append(blocks, bot.Text(bot.T(fmt.Sprintf("paragraph %d", i))))
	}
	pages := split(bot.Message{Summary: "x", Blocks: blocks})
	if len(pages) != 3 {
		t.Fatalf("%d pages", len(pages))
	}
	for i, want := range []int{50, 50, 23} {
		if n := len(pages[i].Blocks); n != want {
			t.Errorf("page %d has %d blocks, want %d", i+1, n, want)
		}
	}
	if n := len(split(bot.Message{Summary: "x", Blocks: blocks[:50]})); n != 1 {
		t.Errorf("50 blocks make %d pages", n)
	}
}

func TestSplitLongText(t *testing.T) {
	words := strings.Repeat("word ", 20000)
	for name, m := range map[string]bot.Message{
		"text":     {Summary: "x", Blocks: []bot.Block{bot.Text(bot.T(words))}},
		"bold":     {Summary: "x", Blocks: []bot.Block{bot.Text(bot.T("a "), bot.B(words))}},
		"pre":      {Summary: "x", Blocks: []bot.Block{bot.Pre(words)}},
		"note":     {Summary: "x", Blocks: []bot.Block{bot.Note(bot.T(words))}},
		"headline": {Summary: "x", Blocks: []bot.Block{bot.Headline(words)}},
		"entry":    {Summary: "x", Blocks: []bot.Block{{Kind: bot.BlockLines, Lines: [][]bot.Span{{bot.T(words)}}}}},
		"summary":  {Summary: words},
	} {
		pages := split(m)
		if n := strings.Count(allText(pages), "word"); n != 20000 {
			t.Errorf("%s: %d words of 20000 are left", name, n)
		}
		if strings.Count(strings.ReplaceAll(allText(pages), "word", ""), "w") > 0 {
			t.Errorf("%s: a word was cut", name)
		}
		for _, p := range pages {
			if _, err := render(p); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if len(pages) < 9 || len(pages) > 12 {
			t.Errorf("%s: %d pages for 100,000 characters", name, len(pages))
		}
	}
}

func TestSplitManySmallThings(t *testing.T) {
	var spans []bot.Span
	var buttons []bot.Button
	for i := range 300 {
		spans = append(spans, bot.T("at "), bot.Span{Style: bot.Mention, Text: "U0ALICE"})
		buttons = append(buttons, bot.Button{ID: fmt.Sprint(i), Verb: "show", Label: "Show"})
	}
	pages := split(bot.Message{Summary: "x", Blocks: []bot.Block{bot.Text(spans...), bot.Note(spans...), {Kind: bot.BlockButtons, Buttons: buttons}}})
	mentions, pressable := 0, 0
	for _, p := range pages {
		c, err := render(p)
		if err != nil {
			t.Fatal(err)
		}
		inspectCounts(c, &mentions, &pressable)
	}
	if mentions != 600 || pressable != 300 {
		t.Errorf("%d mentions of 600, %d buttons of 300", mentions, pressable)
	}
}

func inspectCounts(c content, mentions, buttons *int) {
	walk(generic(c.blocks), func(o map[string]any) {
		switch {
		case o["type"] == "user", o["type"] == "mrkdwn" && o["text"] == "<@U0ALICE>":
			*mentions++
		case o["type"] == "button":
			*buttons++
		}
	})
}

// FuzzSplit proves that whatever stands in a message, its pages are taken by Slack's rules and lose nothing.
func FuzzSplit(f *testing.F) {
	f.Add("hello", 3, uint8(1))
	f.Add("<!channel> 🇳🇱é", 5000, uint8(4))
	f.Fuzz(func(t *testing.T, text string, times int, kind uint8) {
		long := strings.Repeat(text, (times&0x7fffffff)%3000+1)
		if len(long) > 20000 {
			return
		}
		kinds := []bot.Block{
			bot.Headline(long), bot.Text(bot.T(long), bot.B(text), bot.T(long)), bot.Note(bot.T(text), bot.C(long)), bot.Pre(long),
			{Kind: bot.BlockLines, Lines: [][]bot.Span{{bot.C(long)}, {bot.T(text)}, nil, {bot.T(text), bot.T(long)}}},
		}
		m := bot.Message{Summary: "summary", Blocks: []bot.Block{kinds[int(kind)%len(kinds)], bot.Text(bot.T("end"))}}
		kept := 0
		for _, p := range split(m) {
			c, err := render(p)
			if err != nil {
				t.Fatalf("%q × %d: %v", text, times, err)
			}
			walk(generic(c.blocks), func(o map[string]any) {
				if s, ok := o["text"].(string); ok {
					kept += letters(s)
				}
			})
		}
		if want := letters(renderedWhole(m)); kept < want {
			t.Errorf("%q × %d, kind %d: %d letters of %d are left", text, times, kind, kept, want)
		}
	})
}

// letters counts ASCII letters, which no cleaning takes out once it is done.
func letters(s string) int {
	n := 0
	for _, r := range s {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			n++
		}
	}
	return n
}

// renderedWhole is the cleaned text of a message, uncut.
func renderedWhole(m bot.Message) string {
	var b strings.Builder
	for _, block := range m.Blocks {
		for _, s := range block.Spans {
			b.WriteString(clean(spanText(s), block.Kind == bot.BlockPre))
		}
		for _, line := range block.Lines {
			for _, s := range line {
				b.WriteString(cleanLine(spanText(s)))
			}
		}
	}
	return b.String()
}
