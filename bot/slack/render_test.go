package slack

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/slack-go/slack"

	"stuckbot/bot"
	"stuckbot/bot/sandbox"
)

// hostile are texts as a cluster may hold them in names, labels, annotations and logs.
func hostile() map[string]string {
	return map[string]string{
		"channel mention":   "<!channel> <!here> <!everyone> @channel @here",
		"user mention":      "<@U0ALICE> <@U0ALICE|you>",
		"group mention":     "<!subteam^S0SRE|@sre>",
		"link":              "<https://evil.example|Approve here> https://evil.example http://evil.example/x.png www.evil.example",
		"mail and phone":    "<mailto:a@b.example|mail> <tel:+1|call>",
		"formatting":        "*bold* _italic_ ~gone~ `code` ```block``` > quote",
		"leaving code":      "a` *b* `c ``` *d* ```",
		"emoji":             ":white_check_mark: :rotating_light:",
		"escaped already":   "&lt;!channel&gt; &amp;lt;",
		"date":              "<!date^1392734382^{date}^https://evil.example|x>",
		"forged lines":      "ok\n✅ Approved by <@U0ALICE>\r\n*Plan executed*\u2028done",
		"ANSI":              "\x1b[2J\x1b[31mfake\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\",
		"bidi":              "\u202egnp.yxorp\u202c \u2066x\u2069",
		"zero width":        "pr\u200bod-\u200deu\ufeff",
		"fake button":       `{"type":"button","action_id":"sb:approve:0","value":"p1|d1"} [ Approve ] sb:approve:0`,
		"JSON":              `"},{"type":"header","text":{"type":"plain_text","text":"x"}},{"`,
		"control":           "a\x00b\x1fc",
		"no UTF-8":          "a\xff\xfe\xc0b",
		"tower":             "Z" + strings.Repeat("\u0348\u0321", 400),
		"much text":         strings.Repeat("x", 20000),
		"many mentions":     strings.Repeat("<!channel>", 1000),
		"many lines":        strings.Repeat("error: <@U0ALICE>\n", 500),
		"characters of 4":   strings.Repeat("😀", 4000),
		"a very high tower": "Z" + strings.Repeat("\u0301", 5000),
		"nothing":           "",
		"spaces":            "   \u00a0 ",
	}
}

// everywhere puts text into each place of a message where text from a cluster can stand.
func everywhere(text string) bot.Message {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	return bot.Message{Summary: text, Blocks: []bot.Block{
		bot.Headline(text),
		bot.Text(bot.T("name "), bot.B(text), bot.C(text), bot.T(text), bot.Span{Style: bot.Clock, Time: now}),
		bot.Text(bot.Span{Style: bot.Mention, Text: text}),
		bot.Text(bot.Span{Style: bot.Clock, Text: text}),
		bot.Note(bot.T("since "), bot.Span{Style: bot.Clock, Time: now}, bot.T(text), bot.Span{Style: bot.Mention, Text: "U0BOB"}, bot.Span{Style: bot.Mention, Text: text}),
		{Kind: bot.BlockLines, Lines: [][]bot.Span{{bot.T(text)}, {bot.C(text), bot.T(": "), bot.B(text)}, {}}},
		bot.Pre(text),
		{Kind: bot.BlockDivider},
		{Kind: bot.BlockButtons, Buttons: []bot.Button{{ID: text + "1", Verb: "show", Label: "Show " + text, Confirm: &bot.Confirm{
			Title: "Show? " + text, Text: "It shows " + text, Yes: "Yes", No: "No"}}}},
	}}
}

func TestHostileTextDoesNoHarm(t *testing.T) {
	w := start(t, nil)
	for name, text := range hostile() {
		t.Run(name, func(t *testing.T) {
			m := everywhere(text)
			if len(text) > 500 { // a button carries no long id
				m.Blocks = m.Blocks[:len(m.Blocks)-1]
			}
			pages := split(m)
			for _, page := range pages {
				c, err := render(page)
				if err != nil {
					t.Fatal(err)
				}
				inspect(t, c)
			}
			if kept := allText(pages); len(text) > 500 && strings.Count(kept, "x") < strings.Count(text, "x") {
				t.Errorf("%d pages keep %d of %d characters", len(pages), len(kept), len(text))
			}
			if _, err := w.transport(nil).Post(t.Context(), at(releases), "k", pages[0]); err != nil {
				t.Errorf("the sandbox does not take it: %v", err)
			}
		})
	}
}

// A log line of a megabyte is on pages to its last character.
func TestAMegabyteIsShownWhole(t *testing.T) {
	for name, text := range map[string]string{"one line": strings.Repeat("x", 1<<20), "lines of mentions": strings.Repeat("<!channel>x\n", 1<<17)} {
		pages := split(bot.Message{Summary: "log", Blocks: []bot.Block{bot.Pre(text)}})
		for _, page := range pages {
			c, err := render(page)
			if err != nil {
				t.Fatal(err)
			}
			if size := measure(c.blocks[0]); size > maxBlockUnits || len(c.blocks) > 5 {
				t.Errorf("%d blocks, the first of %d", len(c.blocks), size)
			}
		}
		if got, want := strings.Count(allText(pages), "x"), strings.Count(text, "x"); got != want {
			t.Errorf("%s: %d of %d", name, got, want)
		}
	}
}

// inspect proves that nothing in a rendered message is more than text but what the bot means to be.
func inspect(t *testing.T, c content) {
	t.Helper()
	raw, err := json.Marshal(c.blocks)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []any
	if err := json.Unmarshal(raw, &blocks); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(c.text, "<>\n") || harmless(c.text, false) != "" {
		t.Errorf("text %.200q", c.text)
	}
	if len(blocks) > 50 {
		t.Errorf("%d blocks", len(blocks))
	}
	chars := 0
	walk(blocks, func(o map[string]any) {
		text, isText := o["text"].(string)
		pre := false
		switch kind := o["type"]; kind {
		case "rich_text_preformatted":
			inner := o["elements"].([]any)[0].(map[string]any)
			if inner["type"] != "text" || harmless(inner["text"].(string), true) != "" {
				t.Errorf("%v", inner)
			}
			inner["pre"] = true
		case "mrkdwn":
			mention := text == "<@U0BOB>"
			clock := text == "<!date^1772366400^{date_short_pretty} {time}|2026-03-01 12:00 UTC>"
			if !mention && !clock || o["verbatim"] != true {
				t.Errorf("markup %.200q", text)
			}
		case "plain_text":
			if o["emoji"] != false {
				t.Errorf("emoji names are shown as emoji in %.200q", text)
			}
		case "user":
			if o["user_id"] != "U0BOB" && o["user_id"] != "U0ALICE" {
				t.Errorf("%v is mentioned", o["user_id"])
			}
		case "header", "section", "rich_text", "rich_text_section", "rich_text_list", "context", "actions", "button", "divider", "text", "date", nil:
		default:
			t.Errorf("an element of type %v", kind)
		}
		pre, _ = o["pre"].(bool)
		if isText && !pre {
			if problem := harmless(text, false); problem != "" {
				t.Errorf("%s in %.200q", problem, text)
			}
			if n := units(text); n > 3000 || n == 0 {
				t.Errorf("%d characters in one text", n)
			}
		}
		chars += units(text)
	})
	if chars > 13200 {
		t.Errorf("%d characters", chars)
	}
}

func walk(value any, visit func(map[string]any)) {
	switch v := value.(type) {
	case []any:
		for _, e := range v {
			walk(e, visit)
		}
	case map[string]any:
		visit(v)
		for _, e := range v {
			walk(e, visit)
		}
	}
}

// allText is what people read of pages.
func allText(pages []bot.Message) string {
	var b strings.Builder
	for _, p := range pages {
		for _, block := range p.Blocks {
			b.WriteString(plain(block.Spans))
			for _, line := range block.Lines {
				b.WriteString(plain(line))
			}
		}
	}
	return b.String()
}

// Only an id becomes a mention, and a part of a long text that looks like one does not.
func TestMentions(t *testing.T) {
	for text, want := range map[string]bool{
		"U0ALICE": true, "W0BOB": true, "U": false, "": false, "u0alice": false, "U0ALICE>": false, "U0 ALICE": false, "!channel": false,
		"S0SRE": false, "USLACKBOT": true, "U0ALICE\n": false, "U" + strings.Repeat("1", 40): false,
	} {
		_, mentioned := element(bot.Span{Style: bot.Mention, Text: text}).(*sdk.RichTextSectionUserElement)
		if mentioned != want {
			t.Errorf("%q: mentioned %v", text, mentioned)
		}
	}
	long := bot.Span{Style: bot.Mention, Text: strings.Repeat("x", 2998) + " U0ALICE"}
	for _, page := range split(bot.Message{Blocks: []bot.Block{bot.Text(long)}}) {
		c, err := render(page)
		if err != nil {
			t.Fatal(err)
		}
		if raw, _ := json.Marshal(c.blocks); strings.Contains(string(raw), `"user"`) {
			t.Errorf("a part became a mention: %s", raw)
		}
	}
}

func TestRenderRefuses(t *testing.T) {
	many := make([]bot.Block, 51)
	for i := range many {
		many[i] = bot.Text(bot.T("x"))
	}
	for name, m := range map[string]bot.Message{
		"nothing":                  {},
		"what does not print":      {Summary: "\u200b", Blocks: []bot.Block{bot.Text(bot.T("\x00"))}},
		"an unknown block":         {Summary: "x", Blocks: []bot.Block{{Kind: "hologram"}}},
		"a broken button":          {Summary: "x", Blocks: []bot.Block{{Kind: bot.BlockButtons, Buttons: []bot.Button{{Label: "x"}}}}},
		"the 51st block":           {Summary: "x", Blocks: many},
		"the 3,001st character":    {Summary: "x", Blocks: []bot.Block{bot.Pre(strings.Repeat("x", 3001))}},
		"the 26th button in a row": {Summary: "x", Blocks: []bot.Block{{Kind: bot.BlockButtons, Buttons: make([]bot.Button, 26)}}},
		"13,201 characters": {Summary: "x", Blocks: []bot.Block{bot.Pre(strings.Repeat("x", 2700)), bot.Pre(strings.Repeat("x", 2700)),
			bot.Pre(strings.Repeat("x", 2700)), bot.Pre(strings.Repeat("x", 2700)), bot.Pre(strings.Repeat("x", 2401))}},
	} {
		if c, err := render(m); !errors.Is(err, bot.ErrRejected) {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
}

func TestRenderSummary(t *testing.T) {
	for _, tc := range []struct {
		m    bot.Message
		want string
	}{
		{bot.Message{Summary: " a\nb <c> "}, "a b &lt;c&gt;"},
		{bot.Message{Blocks: []bot.Block{{Kind: bot.BlockDivider}, bot.Headline("The <head>")}}, "The &lt;head&gt;"},
		{bot.Message{Blocks: []bot.Block{{Kind: bot.BlockDivider}}}, "…"},
		{bot.Message{Summary: strings.Repeat("é", 2000)}, strings.Repeat("é", 999) + "…"},
	} {
		c, err := render(tc.m)
		if err != nil || c.text != tc.want {
			t.Errorf("%.40q, %v", c.text, err)
		}
	}
}

// sweepOf is a message with a list as a sweep makes it.
func sweepOf(lines int) bot.Message {
	m := bot.Message{Summary: fmt.Sprintf("%d stuck", lines), Blocks: []bot.Block{bot.Headline(fmt.Sprintf("Sweep: %d stuck", lines))}}
	var list [][]bot.Span
	for i := range lines {
		list = append(list, []bot.Span{
			bot.C(fmt.Sprintf("prod-%02d/helm/team-%d/app-%04d", i%40, i%7, i)), bot.T(" "), bot.B("Pending-Upgrade"),
			bot.T(fmt.Sprintf(" revision %d → %d", i%9+1, i%9+2)),
		})
	}
	m.Blocks = append(m.Blocks, bot.Block{Kind: bot.BlockLines, Lines: list}, bot.Note(bot.T("read at "),
		bot.Span{Style: bot.Clock, Time: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}))
	if lines > 0 {
		m.Blocks = append(m.Blocks, bot.Block{Kind: bot.BlockButtons, Buttons: []bot.Button{
			{ID: "sweep-1", Verb: "again", Label: "Sweep again", Look: "primary"},
			{ID: "sweep-1", Verb: "forget", Label: "Forget", Look: "danger", Confirm: &bot.Confirm{Title: "Forget it?", Text: "The sweep is removed.", Yes: "Forget", No: "Keep"}},
		}})
	}
	return m
}

func TestRenderGolden(t *testing.T) {
	pre := bot.Message{Summary: "why", Blocks: []bot.Block{
		bot.Text(bot.Span{Style: bot.Mention, Text: "U0ALICE"}, bot.T(" asked why "), bot.C("prod-eu/helm/shop/cart"), bot.T(" is stuck.")),
		bot.Pre("Error: UPGRADE FAILED: <timed out> & *more*\n\twaiting for `cart`"), {Kind: bot.BlockDivider},
		bot.Note(bot.T("quoted from the release's description")),
	}}
	for name, m := range map[string]bot.Message{
		"lines-0": sweepOf(0), "lines-1": sweepOf(1), "lines-60": sweepOf(60), "lines-2000": sweepOf(2000), "diagnosis": pre,
	} {
		t.Run(name, func(t *testing.T) { golden(t, name, describePages(t, split(m))) })
	}
}

// describePages writes a block a line; of many pages, the first two and the last, and of the others their sizes.
func describePages(t *testing.T, pages []bot.Message) string {
	var b strings.Builder
	for i, p := range pages {
		c, err := render(p)
		if err != nil {
			t.Fatal(err)
		}
		size := 0
		for _, block := range c.blocks {
			size += measure(block)
		}
		fmt.Fprintf(&b, "{\"page\":%d,\"of\":%d,\"blocks\":%d,\"size\":%d,\"text\":%q}\n", i+1, len(pages), len(c.blocks), size, c.text)
		if i >= 2 && i < len(pages)-1 {
			continue
		}
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		for _, block := range c.blocks {
			if err := enc.Encode(block); err != nil {
				t.Fatal(err)
			}
		}
	}
	return b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("..", "..", "testdata", "golden", "slack", name+".jsonl")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// What is rendered is what the sandbox takes by Slack's rules.
func TestTheSandboxTakesEveryPage(t *testing.T) {
	w := start(t, func(o *sandbox.Options) { o.Limits.Messages = 5000 })
	tr := w.transport(nil)
	for _, lines := range []int{0, 1, 60, 2000} {
		for i, p := range split(sweepOf(lines)) {
			if _, err := tr.Post(t.Context(), at(releases), fmt.Sprint(lines, i), p); err != nil {
				t.Fatalf("page %d of %d lines: %v", i+1, lines, err)
			}
		}
	}
}
