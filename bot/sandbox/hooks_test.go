package sandbox_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"

	"stuckbot/bot/sandbox"
)

// responseURL has Alice use the command and returns its response_url.
func (w *workspace) responseURL() string {
	w.t.Helper()
	r := w.dial()
	r.hello()
	if err := w.As(alice).Slash(releases, "/stuck"); err != nil {
		w.t.Fatal(err)
	}
	e := r.read()
	r.ack(e, nil)
	return e["payload"].(map[string]any)["response_url"].(string)
}

func postHook(t *testing.T, url, body string) (int, string) {
	t.Helper()
	resp, err := http.Post(url, "application/json; charset=utf-8", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var e struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(raw, &e) != nil {
		return resp.StatusCode, string(raw)
	}
	return resp.StatusCode, e.Error
}

func TestAResponseURLServesFiveTimes(t *testing.T) {
	w := start(t, nil)
	url := w.responseURL()
	if status, code := postHook(t, url, `{"text":""}`); status != http.StatusBadRequest || code != "no_text" {
		t.Errorf("%d %s", status, code)
	}
	for i := range 5 {
		if status, body := postHook(t, url, `{"text":"hi"}`); status != http.StatusOK || body != "ok" {
			t.Fatalf("use %d: %d %s", i+1, status, body)
		}
	}
	if status, code := postHook(t, url, `{"text":"hi"}`); status != http.StatusNotFound || code != "used_url" {
		t.Errorf("%d %s", status, code)
	}
	if got := w.Ephemerals(releases, alice); len(got) != 5 {
		t.Errorf("%d answers", len(got))
	}
}

func TestAResponseURLServesHalfAnHour(t *testing.T) {
	var ahead atomic.Int64
	w := start(t, func(o *sandbox.Options) {
		o.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	})
	url := w.responseURL()
	ahead.Store(int64(29 * time.Minute))
	if status, _ := postHook(t, url, `{"text":"hi"}`); status != http.StatusOK {
		t.Errorf("after 29 minutes: %d", status)
	}
	ahead.Store(int64(31 * time.Minute))
	if status, code := postHook(t, url, `{"text":"hi"}`); status != http.StatusNotFound || code != "expired_url" {
		t.Errorf("after 31 minutes: %d %s", status, code)
	}
	if status, code := postHook(t, w.url+"/hooks/commands/T0SANDBOX/1/guess", `{"text":"hi"}`); status != http.StatusNotFound || code != "no_service" {
		t.Errorf("unknown: %d %s", status, code)
	}
}

func TestResponseURLWithSlackGo(t *testing.T) {
	w := start(t, nil)
	sm := w.connect()
	w.As(alice).Slash(releases, "/stuck")
	e := next(t, sm, socketmode.EventTypeSlashCommand)
	sm.Ack(*e.Request)
	url := e.Data.(slack.SlashCommand).ResponseURL
	if _, _, err := w.api.PostMessage(releases, text("for you"), slack.MsgOptionResponseURL(url, slack.ResponseTypeEphemeral)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.api.PostMessage(releases, text("for all"), buttons(), slack.MsgOptionResponseURL(url, slack.ResponseTypeInChannel)); err != nil {
		t.Fatal(err)
	}
	if got := w.Ephemerals(releases, alice); len(got) != 1 || got[0].Text != "for you" {
		t.Errorf("%+v", got)
	}
	if m := w.last(releases); m.Text != "for all" || m.Blocks == nil {
		t.Errorf("%+v", m)
	}
	if status, code := postHook(t, url, `{"text":"x","response_type":"loudly"}`); status != http.StatusBadRequest || code != "invalid_response_type" {
		t.Errorf("%d %s", status, code)
	}
	if status, code := postHook(t, url, `{"blocks":[{"type":"x"}]}`); status != http.StatusBadRequest || code != "invalid_blocks" {
		t.Errorf("%d %s", status, code)
	}
}

func TestReplaceAnEphemeralOriginal(t *testing.T) {
	w := start(t, nil)
	sm := w.connect()
	ts := must(w.api.PostEphemeral(releases, alice, text("card"), buttons()))(t)
	w.As(alice).Click(releases, ts, "votes", "approve")
	e := next(t, sm, socketmode.EventTypeInteractive)
	sm.Ack(*e.Request)
	url := e.Data.(slack.InteractionCallback).ResponseURL
	if status, _ := postHook(t, url, `{"text":"done","replace_original":true}`); status != http.StatusOK {
		t.Fatal(status)
	}
	if got := w.Ephemerals(releases, alice); len(got) != 1 || got[0].Text != "done" || got[0].Blocks != nil {
		t.Errorf("%+v", got)
	}
	if status, _ := postHook(t, url, `{"text":"more"}`); status != http.StatusOK {
		t.Fatal(status)
	}
	if got := w.Ephemerals(releases, alice); len(got) != 2 {
		t.Errorf("an answer without replace_original is a new message: %+v", got)
	}
}
