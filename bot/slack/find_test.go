package slack

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"stuckbot/bot"
	"stuckbot/bot/sandbox"
)

// Messages are sent before Run knows who the bot is: they are found all the same.
func TestFindBeforeRun(t *testing.T) {
	w := start(t, nil)
	id, err := w.transport(nil).Post(t.Context(), at(releases), "k", says("x"))
	if err != nil {
		t.Fatal(err)
	}
	if found, err := w.transport(nil).Find(t.Context(), at(releases), "k", time.Now()); found != id || err != nil {
		t.Errorf("%q, %v", found, err)
	}
	w.inject(sandbox.Fault{Kind: sandbox.FaultServerError, Method: "auth.test", Times: 1})
	if found, err := w.transport(nil).Find(t.Context(), at(releases), "k", time.Now()); err == nil || errors.Is(err, bot.ErrUnknownOutcome) {
		t.Errorf("%q, %v: what cannot be told is an error, and not a message that is not there", found, err)
	}
}

func TestFind(t *testing.T) {
	w := start(t, nil)
	tr := w.transport(nil)
	if err := tr.introduce(t.Context()); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	find := func(place bot.Place, key string) string {
		t.Helper()
		id, err := tr.Find(t.Context(), place, key, began)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	first, err := tr.Post(t.Context(), at(releases), "k", says("first"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tr.Post(t.Context(), at(releases), "k", says("second")); err != nil {
		t.Fatal(err)
	}
	for range 3 * findPage {
		if _, err := w.As(alice).Say(releases, "", "chatter"); err != nil {
			t.Fatal(err)
		}
	}
	if got := find(at(releases), "k"); got != first {
		t.Errorf("found %q of two, want the first, %q", got, first)
	}
	for _, key := range []string{"K", "", "k#2", "other"} {
		if got := find(at(releases), key); got != "" {
			t.Errorf("found %q for %q", got, key)
		}
	}
	if got := find(at(incidents), "k"); got != "" {
		t.Errorf("found %q in another channel", got)
	}
	if id, err := tr.Find(t.Context(), at(releases), "k", time.Now().Add(time.Hour)); id != "" || err != nil {
		t.Errorf("found %q from the past, %v", id, err)
	}
	thread := at(releases)
	thread.Thread = first
	reply, err := tr.Post(t.Context(), thread, "r", says("reply"))
	if err != nil {
		t.Fatal(err)
	}
	if got := find(thread, "r"); got != reply {
		t.Errorf("found %q, want %q", got, reply)
	}
	if got := find(at(releases), "r"); got != "" {
		t.Errorf("a reply stands in its thread, not in the channel: %q", got)
	}
	for _, place := range []bot.Place{at("C0NOWHERE"), at(random)} {
		if _, err := tr.Find(t.Context(), place, "k", began); !errors.Is(err, bot.ErrGone) {
			t.Errorf("%v", err)
		}
	}
}

// Only the bot's own messages count: another app may have copied the metadata.
func TestFindIgnoresOthers(t *testing.T) {
	entry := func(fields map[string]any) map[string]any {
		return merged(map[string]any{"ts": "2.0", "bot_id": "B1", "metadata": map[string]any{
			"event_type": "stuckbot_message", "event_payload": map[string]any{"key": "k"}}}, fields)
	}
	for name, tc := range map[string]struct {
		m    map[string]any
		want string
	}{
		"ours":              {entry(nil), "2.0"},
		"another bot's":     {entry(map[string]any{"bot_id": "B2"}), ""},
		"a person's":        {entry(map[string]any{"bot_id": nil}), ""},
		"another type":      {entry(map[string]any{"metadata": map[string]any{"event_type": "x", "event_payload": map[string]any{"key": "k"}}}), ""},
		"no payload":        {entry(map[string]any{"metadata": map[string]any{"event_type": "stuckbot_message"}}), ""},
		"a payload of text": {entry(map[string]any{"metadata": map[string]any{"event_type": "stuckbot_message", "event_payload": "k"}}), ""},
		"strange blocks":    {entry(map[string]any{"blocks": "none", "files": 5, "user": []int{1}}), "2.0"},
	} {
		raw, err := json.Marshal(map[string]any{"ok": true, "messages": []any{tc.m}})
		if err != nil {
			t.Fatal(err)
		}
		tr := apiAnswers(t, 200, nil, string(raw))
		tr.self = self{user: "U1", bot: "B1"}
		if id, err := tr.Find(t.Context(), at(releases), "k", time.Now()); id != tc.want || err != nil {
			t.Errorf("%s: %q, %v", name, id, err)
		}
	}
}

func TestFindEndsInAnEndlessChannel(t *testing.T) {
	w := &logs{}
	tr := apiAnswers(t, 200, nil, `{"ok":true,"messages":[],"response_metadata":{"next_cursor":"more"}}`)
	tr.self = self{user: "U1", bot: "B1"}
	tr.o.Log = tr.o.Log.Output(w)
	if id, err := tr.Find(t.Context(), at(releases), "k", time.Now()); id != "" || err != nil || !strings.Contains(w.String(), "too many messages") {
		t.Errorf("%q, %v, %s", id, err, w)
	}
}

// Without the scope to read a channel, posting is at least once, which the log says once.
func TestFindWithoutScope(t *testing.T) {
	w := start(t, func(o *sandbox.Options) { o.Scopes = []string{"chat:write"} })
	tr := w.transport(nil)
	for range 3 {
		if id, err := tr.Find(t.Context(), at(releases), "k", time.Now()); id != "" || err != nil {
			t.Errorf("%q, %v", id, err)
		}
	}
	if n := strings.Count(w.log.String(), "channels:history"); n != 1 {
		t.Errorf("said %d times: %s", n, w.log)
	}
}
