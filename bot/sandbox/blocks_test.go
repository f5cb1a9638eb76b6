package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func repeat(n int, item string) string {
	return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
}

func plain(n int) string {
	return fmt.Sprintf(`{"type":"plain_text","text":%q}`, strings.Repeat("é", n))
}

func mrkdwn(n int) string { return fmt.Sprintf(`{"type":"mrkdwn","text":%q}`, strings.Repeat("é", n)) }

func section(fields string) string { return `{"type":"section",` + fields + `}` }

func button(fields string) string {
	return fmt.Sprintf(`{"type":"actions","elements":[{"type":"button","text":%s%s}]}`, plain(3), fields)
}

func confirm(title, text, yes, no int) string {
	return button(fmt.Sprintf(`,"confirm":{"title":%s,"text":%s,"confirm":%s,"deny":%s}`, plain(title), mrkdwn(text), plain(yes), plain(no)))
}

func rich(parts string) string { return `{"type":"rich_text","elements":[` + parts + `]}` }

// TestBlockLimits tries each limit at its last good value and one beyond.
func TestBlockLimits(t *testing.T) {
	id := func(n int) string { return strings.Repeat("i", n) }
	long := func(n int) string { return section(`"text":` + mrkdwn(n)) }
	for _, tc := range []struct {
		name, good, bad string
		problem         string // of bad
	}{
		{"blocks of a message", repeat(50, `{"type":"divider"}`), repeat(51, `{"type":"divider"}`),
			"no more than 50 items allowed [json-pointer:/blocks]"},
		{"section text", "[" + long(3000) + "]", "[" + long(3001) + "]",
			"must be less than 3001 characters [json-pointer:/blocks/0/text/text]"},
		{"empty section text", "[" + long(1) + "]", "[" + long(0) + "]",
			"must be more than 0 characters [json-pointer:/blocks/0/text/text]"},
		{"number of fields", "[" + section(`"fields":`+repeat(10, mrkdwn(1))) + "]", "[" + section(`"fields":`+repeat(11, mrkdwn(1))) + "]",
			"no more than 10 items allowed [json-pointer:/blocks/0/fields]"},
		{"field text", "[" + section(`"fields":`+repeat(1, mrkdwn(2000))) + "]", "[" + section(`"fields":`+repeat(1, mrkdwn(2001))) + "]",
			"must be less than 2001 characters [json-pointer:/blocks/0/fields/0/text]"},
		{"header", `[{"type":"header","text":` + plain(150) + `}]`, `[{"type":"header","text":` + plain(151) + `}]`,
			"must be less than 151 characters [json-pointer:/blocks/0/text/text]"},
		{"header in mrkdwn", `[{"type":"header","text":` + plain(1) + `}]`, `[{"type":"header","text":` + mrkdwn(1) + `}]`,
			"unsupported type: mrkdwn [json-pointer:/blocks/0/text/type]"},
		{"context elements", `[{"type":"context","elements":` + repeat(10, mrkdwn(1)) + `}]`, `[{"type":"context","elements":` + repeat(11, mrkdwn(1)) + `}]`,
			"no more than 10 items allowed [json-pointer:/blocks/0/elements]"},
		{"actions", `[{"type":"actions","elements":` + repeat(25, `{"type":"button","text":`+plain(1)+`}`) + `}]`,
			`[{"type":"actions","elements":` + repeat(26, `{"type":"button","text":`+plain(1)+`}`) + `}]`,
			"no more than 25 items allowed [json-pointer:/blocks/0/elements]"},
		{"button text", `[{"type":"actions","elements":[{"type":"button","text":` + plain(75) + `}]}]`,
			`[{"type":"actions","elements":[{"type":"button","text":` + plain(76) + `}]}]`,
			"must be less than 76 characters [json-pointer:/blocks/0/elements/0/text/text]"},
		{"button value", "[" + button(`,"value":"`+id(2000)+`"`) + "]", "[" + button(`,"value":"`+id(2001)+`"`) + "]",
			"must be less than 2001 characters [json-pointer:/blocks/0/elements/0/value]"},
		{"action_id", "[" + button(`,"action_id":"`+id(255)+`"`) + "]", "[" + button(`,"action_id":"`+id(256)+`"`) + "]",
			"must be less than 256 characters [json-pointer:/blocks/0/elements/0/action_id]"},
		{"block_id", `[{"type":"divider","block_id":"` + id(255) + `"}]`, `[{"type":"divider","block_id":"` + id(256) + `"}]`,
			"must be less than 256 characters [json-pointer:/blocks/0/block_id]"},
		{"button style", "[" + button(`,"style":"danger"`) + "]", "[" + button(`,"style":"pink"`) + "]",
			"must be a valid enum value [json-pointer:/blocks/0/elements/0/style]"},
		{"button url", "[" + button(`,"url":"https://example.com"`) + "]", "[" + button(`,"url":"example"`) + "]",
			"invalid url provided [json-pointer:/blocks/0/elements/0/url]"},
		{"confirm title", "[" + confirm(100, 1, 1, 1) + "]", "[" + confirm(101, 1, 1, 1) + "]",
			"must be less than 101 characters [json-pointer:/blocks/0/elements/0/confirm/title/text]"},
		{"confirm text", "[" + confirm(1, 300, 1, 1) + "]", "[" + confirm(1, 301, 1, 1) + "]",
			"must be less than 301 characters [json-pointer:/blocks/0/elements/0/confirm/text/text]"},
		{"confirm yes", "[" + confirm(1, 1, 30, 1) + "]", "[" + confirm(1, 1, 31, 1) + "]",
			"must be less than 31 characters [json-pointer:/blocks/0/elements/0/confirm/confirm/text]"},
		{"confirm no", "[" + confirm(1, 1, 1, 30) + "]", "[" + confirm(1, 1, 1, 31) + "]",
			"must be less than 31 characters [json-pointer:/blocks/0/elements/0/confirm/deny/text]"},
		{"same action_id in one block",
			`[{"type":"actions","elements":[{"type":"button","text":` + plain(1) + `,"action_id":"a"}]},{"type":"actions","elements":[{"type":"button","text":` + plain(1) + `,"action_id":"a"}]}]`,
			`[{"type":"actions","elements":` + repeat(2, `{"type":"button","text":`+plain(1)+`,"action_id":"a"}`) + `}]`,
			"`action_id` \"a\" already exists [json-pointer:/blocks/0/elements/1/action_id]"},
		{"same block_id", `[{"type":"divider","block_id":"a"},{"type":"divider","block_id":"b"}]`, repeat(2, `{"type":"divider","block_id":"a"}`),
			"`block_id` \"a\" already exists [json-pointer:/blocks/1/block_id]"},
		{"unknown block", `[{"type":"divider"}]`, `[{"type":"hologram"}]`,
			"unsupported type: hologram [json-pointer:/blocks/0/type]"},
		{"no type", `[{"type":"divider"}]`, `[{}]`, "missing required field: type [json-pointer:/blocks/0]"},
		{"section without text", "[" + long(1) + "]", "[" + section(`"block_id":"a"`) + "]", "missing required field: text [json-pointer:/blocks/0]"},
		{"unknown property", `[{"type":"divider"}]`, `[{"type":"divider","color":"red"}]`,
			"invalid additional property: color [json-pointer:/blocks/0]"},
		{"emoji in mrkdwn", "[" + section(`"text":{"type":"mrkdwn","text":"a"}`) + "]", "[" + section(`"text":{"type":"mrkdwn","text":"a","emoji":true}`) + "]",
			"invalid additional property: emoji [json-pointer:/blocks/0/text]"},
		{"text that is no object", "[" + long(1) + "]", "[" + section(`"text":"a"`) + "]",
			"must provide an object [json-pointer:/blocks/0/text]"},
		{"image in actions", `[{"type":"image","image_url":"https://example.com/a.png","alt_text":"a"}]`,
			`[{"type":"actions","elements":[{"type":"image","image_url":"https://example.com/a.png","alt_text":"a"}]}]`,
			"unsupported type: image [json-pointer:/blocks/0/elements/0/type]"},
		{"rich text part", "[" + rich(`{"type":"rich_text_section","elements":[{"type":"text","text":"a","style":{"bold":true}}]}`) + "]",
			"[" + rich(`{"type":"rich_text_poem","elements":[]}`) + "]",
			"unsupported type: rich_text_poem [json-pointer:/blocks/0/elements/0/type]"},
		{"rich text list", "[" + rich(`{"type":"rich_text_list","style":"bullet","indent":0,"border":0,"offset":0,"elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"a"}]}]}`) + "]",
			"[" + rich(`{"type":"rich_text_list","style":"stars","elements":[]}`) + "]",
			"must be a valid enum value [json-pointer:/blocks/0/elements/0/style]"},
		{"preformatted", "[" + rich(`{"type":"rich_text_preformatted","border":0,"elements":[{"type":"text","text":"a"},{"type":"link","url":"https://a.example"}]}`) + "]",
			"[" + rich(`{"type":"rich_text_preformatted","elements":[{"type":"user","user_id":"U1"}]}`) + "]",
			"unsupported type: user [json-pointer:/blocks/0/elements/0/elements/0/type]"},
		{"quote and date", "[" + rich(`{"type":"rich_text_quote","elements":[{"type":"date","timestamp":1,"format":"{date}","fallback":"x"}]}`) + "]",
			"[" + rich(`{"type":"rich_text_quote","elements":[{"type":"date","timestamp":"1","format":"{date}"}]}`) + "]",
			"must provide an integer [json-pointer:/blocks/0/elements/0/elements/0/timestamp]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rules := newBlockRules()
			if _, err := rules.parse([]byte(tc.good)); err != nil {
				t.Errorf("good: %v", err)
			}
			_, err := rules.parse([]byte(tc.bad))
			var e *Error
			if !errors.As(err, &e) || e.Code != "invalid_blocks" || !strings.Contains(strings.Join(e.Problems, "\n"), tc.problem) {
				t.Errorf("bad: %v\nwant %s", err, tc.problem)
			}
		})
	}
}

func TestBlocksThatAreNoArrayOfObjects(t *testing.T) {
	for _, raw := range []string{"{}", "null", `"[]"`, "[1]", `["x"]`, "[", "[] []", "x"} {
		if _, err := newBlockRules().parse([]byte(raw)); !errors.Is(err, refuse("invalid_blocks_format")) {
			t.Errorf("%s: %v", raw, err)
		}
	}
	if got, err := newBlockRules().parse([]byte(" [] ")); got != nil || err != nil {
		t.Errorf("an empty array means none: %s, %v", got, err)
	}
}

func TestAllBlocksTogetherAreLimited(t *testing.T) {
	rules := newBlockRules()
	four := repeat(4, section(`"text":`+mrkdwn(3000)))
	fit := strings.TrimSuffix(four, "]") + "," + section(`"text":`+mrkdwn(1200)) + "]"
	over := strings.TrimSuffix(four, "]") + "," + section(`"text":`+mrkdwn(1201)) + "]"
	if _, err := rules.parse([]byte(fit)); err != nil {
		t.Error(err)
	}
	if _, err := rules.parse([]byte(over)); !errors.Is(err, refuse("msg_blocks_too_long")) {
		t.Error(err)
	}
}

func TestIdsAndDefaultsAreFilledIn(t *testing.T) {
	raw, err := newBlockRules().parse([]byte("[" + button("") + "," + section(`"text":`+mrkdwn(1)) + "]"))
	if err != nil {
		t.Fatal(err)
	}
	var got []struct {
		BlockID  string `json:"block_id"`
		Elements []struct {
			ActionID string `json:"action_id"`
			Text     struct {
				Emoji bool `json:"emoji"`
			} `json:"text"`
		} `json:"elements"`
		Text map[string]any `json:"text"`
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if got[0].BlockID == "" || got[0].BlockID == got[1].BlockID || got[0].Elements[0].ActionID == "" || !got[0].Elements[0].Text.Emoji {
		t.Errorf("%s", raw)
	}
	if got[1].Text["verbatim"] != false {
		t.Errorf("%s", raw)
	}
}

// FuzzBlocks: no input breaks the decoder, and what it takes it takes again, unchanged.
func FuzzBlocks(f *testing.F) {
	for _, seed := range []string{
		"[]", "{}", "[" + button(`,"action_id":"a","value":"v"`) + "]", "[" + confirm(1, 1, 1, 1) + "]",
		"[" + section(`"fields":`+repeat(2, mrkdwn(3))) + "]", `[{"type":"header","text":` + plain(3) + `}]`,
		"[" + rich(`{"type":"rich_text_section","elements":[{"type":"emoji","name":"x"}]}`) + "]", `[{"type":"image"}]`,
		`[{"type":"context","elements":[{"type":"mrkdwn","text":"a"}]}]`, `[{"type":1e999}]`, `[{"type":"actions","elements":[1]}]`,
	} {
		f.Add([]byte(seed))
	}
	rules := newBlockRules()
	f.Fuzz(func(t *testing.T, raw []byte) {
		stored, err := rules.parse(raw)
		if err != nil || stored == nil {
			return
		}
		again, err := rules.parse(stored)
		if err != nil {
			t.Fatalf("what was stored is not taken: %v\n%s", err, stored)
		}
		if string(again) != string(stored) {
			t.Fatalf("it changes:\n%s\n%s", stored, again)
		}
	})
}

// FuzzMetadata: no input breaks the decoder, and what it takes is an object with a name.
func FuzzMetadata(f *testing.F) {
	for _, seed := range []string{"{}", `{"event_type":"a","event_payload":{}}`, `{"event_type":"a.b","event_payload":{"a":[1]}}`, "[]", "null", " {"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, _, err := parseMetadata(raw)
		if err == nil && m != nil && (m.EventType == "" || m.EventPayload[0] != '{' || !json.Valid(m.EventPayload)) {
			t.Fatalf("%q gives %+v", raw, m)
		}
	})
}
