package slack

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stuckbot/bot"
)

const self1 = "U0STUCKBOT"

func envelopeOf(kind string, payload any) []byte {
	raw, err := json.Marshal(map[string]any{"type": kind, "envelope_id": "env-1", "payload": payload, "accepts_response_payload": true})
	if err != nil {
		panic(err)
	}
	return raw
}

type fieldsOf = map[string]any

func slashFields(change fieldsOf) fieldsOf {
	return merged(fieldsOf{
		"command": "/stuck", "text": "diagnose prod-eu  <a&b>", "team_id": "T1", "channel_id": "C1", "user_id": "U1", "user_name": "alice",
		"response_url": "https://hooks.slack.com/commands/T1/1/x", "trigger_id": "13.37.abc", "is_enterprise_install": "false", "token": "t",
	}, change)
}

func clickFields(change fieldsOf) fieldsOf {
	return merged(fieldsOf{
		"type": "block_actions", "user": fieldsOf{"id": "U1", "name": "alice", "team_id": "T2"}, "team": fieldsOf{"id": "T1"},
		"channel": fieldsOf{"id": "C1"}, "container": fieldsOf{"type": "message", "message_ts": "12.5", "channel_id": "C1", "thread_ts": "11.1"},
		"message": fieldsOf{"ts": "12.5", "text": "approve everything", "thread_ts": "11.1"}, "response_url": "https://hooks.slack.com/actions/T1/1/x",
		"actions": []any{fieldsOf{"type": "button", "block_id": "b1", "action_id": "sb:approve:0", "value": "p1|d1", "action_ts": "99.1"}},
	}, change)
}

func mentionFields(change fieldsOf) fieldsOf {
	return fieldsOf{"type": "event_callback", "event_id": "Ev1", "team_id": "T1", "event": merged(fieldsOf{
		"type": "app_mention", "user": "U1", "team": "T2", "channel": "C1", "ts": "12.5", "text": "<@U0STUCKBOT> diagnose prod-eu",
	}, change)}
}

func merged(base, change fieldsOf) fieldsOf {
	for k, v := range change {
		if v == nil {
			delete(base, k)
		} else {
			base[k] = v
		}
	}
	return base
}

func TestDecodeEvents(t *testing.T) {
	place := bot.Place{Platform: "slack", Team: "T1", Channel: "C1"}
	thread := place
	thread.Thread = "11.1"
	for _, tc := range []struct {
		name string
		raw  []byte
		want bot.Event
	}{
		{"slash command", envelopeOf("slash_commands", slashFields(nil)), bot.Event{
			Key: "slash:13.37.abc", Place: place, User: bot.User{ID: "U1", Name: "alice"}, Reply: "https://hooks.slack.com/commands/T1/1/x",
			Command: &bot.Command{Text: "diagnose prod-eu  <a&b>"}}},
		{"slash command without trigger", envelopeOf("slash_commands", slashFields(fieldsOf{"trigger_id": nil})), bot.Event{
			Key: "slash:env-1", Place: place, User: bot.User{ID: "U1", Name: "alice"}, Reply: "https://hooks.slack.com/commands/T1/1/x",
			Command: &bot.Command{Text: "diagnose prod-eu  <a&b>"}}},
		{"click", envelopeOf("interactive", clickFields(nil)), bot.Event{
			Key: "click:U1:C1:12.5:sb:approve:0:ae8bc31618143be4:99.1", Place: thread, User: bot.User{ID: "U1", Name: "alice", Team: "T2"},
			Reply: "https://hooks.slack.com/actions/T1/1/x", Click: &bot.Click{ID: "p1", Verb: "approve", Digest: "d1", Message: "12.5"}}},
		{"mention", envelopeOf("events_api", mentionFields(nil)), bot.Event{
			Key: "event:Ev1", Place: place, User: bot.User{ID: "U1", Team: "T2"}, Command: &bot.Command{Text: "diagnose prod-eu", Mention: true}}},
		{"mention in a thread", envelopeOf("events_api", mentionFields(fieldsOf{"thread_ts": "11.1"})), bot.Event{
			Key: "event:Ev1", Place: thread, User: bot.User{ID: "U1", Team: "T2"}, Command: &bot.Command{Text: "diagnose prod-eu", Mention: true}}},
		{"mention that is a thread's first message", envelopeOf("events_api", mentionFields(fieldsOf{"thread_ts": "12.5"})), bot.Event{
			Key: "event:Ev1", Place: place, User: bot.User{ID: "U1", Team: "T2"}, Command: &bot.Command{Text: "diagnose prod-eu", Mention: true}}},
	} {
		f := decode(tc.raw, self1)
		if f.kind != frameEnvelope || f.id != "env-1" || f.problem != "" || f.ignored != "" {
			t.Errorf("%s: %+v", tc.name, f)
		}
		if diff := cmp.Diff([]bot.Event{tc.want}, f.events); diff != "" {
			t.Errorf("%s: %s", tc.name, diff)
		}
	}
}

// A click on the first message of a thread stands in the channel; an ephemeral message comes without a message.
func TestDecodeWhereAClickHappened(t *testing.T) {
	for _, tc := range []struct {
		name, thread string
		change       fieldsOf
	}{
		{"root", "", fieldsOf{"container": fieldsOf{"message_ts": "12.5", "thread_ts": "12.5", "channel_id": "C1"}}},
		{"ephemeral", "", fieldsOf{"message": nil, "container": fieldsOf{"message_ts": "12.5", "channel_id": "C1", "is_ephemeral": true}}},
		{"the message says it", "11.1", fieldsOf{"container": fieldsOf{"type": "message"}}},
		{"no thread", "", fieldsOf{"container": fieldsOf{"message_ts": "12.5"}, "message": fieldsOf{"ts": "12.5"}, "team": nil}},
	} {
		f := decode(envelopeOf("interactive", clickFields(tc.change)), self1)
		if len(f.events) != 1 || f.events[0].Place.Thread != tc.thread || f.events[0].Place.Channel != "C1" || f.events[0].Click.Message != "12.5" {
			t.Errorf("%s: %+v", tc.name, f)
		}
	}
}

// The same click, delivered twice, has one key; anything else about it makes another.
func TestDecodeClickKeys(t *testing.T) {
	button := func(change fieldsOf) []any {
		return []any{merged(fieldsOf{"type": "button", "block_id": "b1", "action_id": "sb:approve:0", "value": "p1|d1", "action_ts": "99.1"}, change)}
	}
	keys := map[string]string{}
	for name, change := range map[string]fieldsOf{
		"plain": nil, "another trigger": {"trigger_id": "other"}, "another response URL": {"response_url": "https://hooks.slack.com/y"},
		"person": {"user": fieldsOf{"id": "U2"}}, "message": {"container": fieldsOf{"message_ts": "12.6", "channel_id": "C1"}},
		"button": {"actions": button(fieldsOf{"action_id": "sb:approve:1"})}, "verb": {"actions": button(fieldsOf{"action_id": "sb:deny:0"})},
		"plan": {"actions": button(fieldsOf{"value": "p2|d1"})}, "time": {"actions": button(fieldsOf{"action_ts": "99.2"})},
	} {
		f := decode(envelopeOf("interactive", clickFields(change)), self1)
		if len(f.events) != 1 {
			t.Fatalf("%s: %+v", name, f)
		}
		keys[name] = f.events[0].Key
	}
	for name, key := range keys {
		same := name == "plain" || strings.HasPrefix(name, "another")
		if (key == keys["plain"]) != same {
			t.Errorf("%s: %s", name, key)
		}
	}
}

func TestDecodeWhatIsNotForTheBot(t *testing.T) {
	for name, raw := range map[string][]byte{
		"a message":            envelopeOf("events_api", mentionFields(fieldsOf{"type": "message"})),
		"a bot's mention":      envelopeOf("events_api", mentionFields(fieldsOf{"bot_id": "B2"})),
		"its own mention":      envelopeOf("events_api", mentionFields(fieldsOf{"user": self1})),
		"a mention by subtype": envelopeOf("events_api", mentionFields(fieldsOf{"subtype": "bot_message"})),
		"an edited mention":    envelopeOf("events_api", mentionFields(fieldsOf{"edited": fieldsOf{"user": "U1", "ts": "13.0"}})),
	} {
		f := decode(raw, self1)
		if f.kind != frameEnvelope || f.id != "env-1" || f.ignored == "" || f.problem != "" || len(f.events) != 0 {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// What cannot be used is acknowledged all the same, and never quoted.
func TestDecodeBrokenEnvelopes(t *testing.T) {
	for name, raw := range map[string][]byte{
		"unknown type":        envelopeOf("hologram", fieldsOf{"secret": "s3cr3t"}),
		"payload is a list":   envelopeOf("slash_commands", []any{1}),
		"payload is null":     envelopeOf("interactive", nil),
		"no user":             envelopeOf("slash_commands", slashFields(fieldsOf{"user_id": nil})),
		"a user with a slash": envelopeOf("slash_commands", slashFields(fieldsOf{"user_id": "U1/../s3cr3t"})),
		"a huge trigger":      envelopeOf("slash_commands", slashFields(fieldsOf{"trigger_id": strings.Repeat("1", 500)})),
		"a number as text":    envelopeOf("slash_commands", slashFields(fieldsOf{"text": 5})),
		"a modal":             envelopeOf("interactive", clickFields(fieldsOf{"type": "view_submission"})),
		"no actions":          envelopeOf("interactive", clickFields(fieldsOf{"actions": []any{}})),
		"a menu":              envelopeOf("interactive", clickFields(fieldsOf{"actions": []any{fieldsOf{"type": "static_select", "action_id": "sb:approve:0", "action_ts": "1.1"}}})),
		"a foreign button":    envelopeOf("interactive", clickFields(fieldsOf{"actions": []any{fieldsOf{"type": "button", "action_id": "s3cr3t", "value": "x", "action_ts": "1.1"}}})),
		"a button without ts": envelopeOf("interactive", clickFields(fieldsOf{"actions": []any{fieldsOf{"type": "button", "action_id": "sb:approve:0", "value": "p|d"}}})),
		"no event":            envelopeOf("events_api", fieldsOf{"type": "event_callback", "event_id": "Ev1"}),
		"a mention by nobody": envelopeOf("events_api", mentionFields(fieldsOf{"user": nil})),
		"not an event":        envelopeOf("events_api", fieldsOf{"type": "url_verification"}),
		"a type that is none": []byte(`{"type":7,"envelope_id":"env-1","payload":{}}`),
	} {
		f := decode(raw, self1)
		if f.kind != frameEnvelope || f.id != "env-1" || f.problem == "" || len(f.events) != 0 {
			t.Errorf("%s: %+v", name, f)
		}
		if strings.Contains(fmt.Sprint(f.problem, f.envelope), "s3cr3t") {
			t.Errorf("%s is quoted: %+v", name, f)
		}
	}
	for name, raw := range map[string]string{
		"nothing": "", "no JSON": "{", "a list": "[]", "null": "null", "a number": "5", "no envelope": `{"type":"slash_commands"}`,
		"an envelope without id": `{"type":"events_api","envelope_id":"","payload":{}}`, "an id that is none": `{"type":"x","envelope_id":5}`,
	} {
		if f := decode([]byte(raw), self1); f.kind != frameUnknown || f.problem == "" {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func TestDecodeHelloAndDisconnect(t *testing.T) {
	if f := decode([]byte(`{"type":"hello","num_connections":1}`), ""); f.kind != frameHello {
		t.Errorf("%+v", f)
	}
	if f := decode([]byte(`{"type":"disconnect","reason":"link_disabled"}`), ""); f.kind != frameDisconnect || f.reason != "link_disabled" {
		t.Errorf("%+v", f)
	}
}

func TestMentionText(t *testing.T) {
	for text, want := range map[string]string{
		"<@U0STUCKBOT> sweep":                                                      "sweep",
		"<@U0STUCKBOT|stuckbot>   sweep ":                                          "sweep",
		"hey <@U0STUCKBOT> diagnose prod-eu, please":                               "diagnose prod-eu, please",
		"<@U0STUCKBOT>":                                                            "",
		"<@U0STUCKBOT> ask <@U0STUCKBOT> again":                                    "ask <@U0STUCKBOT> again",
		"<@U0STUCKBOT> diagnose <http://prod.eu|prod.eu>":                          "diagnose prod.eu",
		"<@U0STUCKBOT> see <https://x.example/?a=1&amp;b=2>":                       "see https://x.example/?a=1&b=2",
		"<@U0STUCKBOT> a &lt;b&gt; &amp;amp; c":                                    "a <b> &amp; c",
		"<@U0STUCKBOT> ask <@U0ALICE|alice> in <#C1|releases>":                     "ask <@U0ALICE> in #releases",
		"<@U0STUCKBOT> <!here> <!subteam^S1|@sre> <!channel|channel>":              "@here @sre @channel",
		"<@U0STUCKBOT> mail <mailto:a@b.example|a@b.example> <mailto:c@d.example>": "mail a@b.example c@d.example",
		"<@U0STUCKBOT> line\nbreak":                                                "line\nbreak",
		"<@U0STUCKBOT> open <unfinished":                                           "open <unfinished",
		"no mention at all":                                                        "no mention at all",
	} {
		if got := mentionText(text, self1); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, raw := range [][]byte{
		envelopeOf("slash_commands", slashFields(nil)), envelopeOf("interactive", clickFields(nil)), envelopeOf("events_api", mentionFields(nil)),
		[]byte(`{"type":"hello"}`), []byte(`{"type":"disconnect","reason":"warning"}`), []byte("{"), []byte(`{"envelope_id":"x","type":5}`),
	} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := decode(raw, self1) // not safeDecode: it must not panic by itself
		if got.kind == frameEnvelope && got.id == "" {
			t.Error("an envelope without id cannot be acknowledged")
		}
		if len(got.events) > 0 && (got.kind != frameEnvelope || got.problem != "" || got.ignored != "") {
			t.Errorf("%+v", got)
		}
		for _, e := range got.events {
			if (e.Command == nil) == (e.Click == nil) || e.Key == "" || len(e.Key) > 1000 || e.User.ID == "" || e.User.ID == self1 && e.Command != nil && e.Command.Mention {
				t.Errorf("%+v", e)
			}
			if c := e.Click; c != nil {
				if c.ID == "" || !isVerb(c.Verb) || c.Message == "" {
					t.Errorf("%+v", c)
				}
			}
		}
	})
}
