package sandbox_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"

	"stuckbot/bot/sandbox"
)

func (w *workspace) inject(f sandbox.Fault) {
	w.t.Helper()
	if err := w.Faults().Inject(f); err != nil {
		w.t.Fatal(err)
	}
}

func (w *workspace) try() error {
	_, _, err := w.api.PostMessage(releases, text("hi"))
	return err
}

func TestFaultRateLimited(t *testing.T) {
	w := start(t, nil)
	w.inject(sandbox.Fault{Kind: sandbox.FaultRateLimited, Times: 2, RetryAfter: 7 * time.Second, Method: "chat.postMessage"})
	if _, err := w.api.AuthTest(); err != nil {
		t.Errorf("another method: %v", err)
	}
	for range 2 {
		var limited *slack.RateLimitedError
		if err := w.try(); !errors.As(err, &limited) || limited.RetryAfter != 7*time.Second {
			t.Fatalf("%v", err)
		}
	}
	if err := w.try(); err != nil || len(w.Messages(releases)) != 1 {
		t.Errorf("afterwards: %v", err)
	}
}

func TestFaultServerError(t *testing.T) {
	w := start(t, nil)
	w.inject(sandbox.Fault{Kind: sandbox.FaultServerError, Times: 1, Status: 503})
	var status slack.StatusCodeError
	if err := w.try(); !errors.As(err, &status) || status.Code != 503 {
		t.Fatalf("%v", err)
	}
	if err := w.try(); err != nil || len(w.Messages(releases)) != 1 {
		t.Errorf("afterwards: %v", err)
	}
}

func TestFaultDropBeforeLeavesNothing(t *testing.T) {
	w := start(t, nil)
	w.inject(sandbox.Fault{Kind: sandbox.FaultDropBefore, Times: 1})
	if err := w.try(); err == nil || len(w.Messages(releases)) != 0 {
		t.Errorf("%v, %d messages", err, len(w.Messages(releases)))
	}
}

func TestFaultDropAfterLeavesTheMessage(t *testing.T) {
	w := start(t, nil)
	w.inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Times: 1})
	if err := w.try(); err == nil || len(w.Messages(releases)) != 1 {
		t.Errorf("%v, %d messages", err, len(w.Messages(releases)))
	}
}

func TestFaultHang(t *testing.T) {
	w := start(t, nil)
	w.inject(sandbox.Fault{Kind: sandbox.FaultHang, Times: 1})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, _, err := w.api.PostMessageContext(ctx, releases, text("hi")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if n := len(w.Messages(releases)); n != 0 {
		t.Errorf("%d messages", n)
	}
	w.inject(sandbox.Fault{Kind: sandbox.FaultHang, Times: 1, Delay: time.Millisecond})
	if err := w.try(); err != nil || len(w.Messages(releases)) != 1 {
		t.Errorf("after a short hang it goes on: %v", err)
	}
}

func TestFaultInvalidAuthUntilCleared(t *testing.T) {
	w := start(t, nil)
	w.inject(sandbox.Fault{Kind: sandbox.FaultInvalidAuth})
	for range 3 {
		wantCode(t, w.try(), "invalid_auth")
	}
	if _, _, err := w.api.StartSocketModeContext(t.Context()); err == nil {
		t.Error("Socket Mode opens")
	}
	if len(w.Faults().Active()) != 1 {
		t.Error("it is not shown as active")
	}
	w.Faults().Clear()
	if err := w.try(); err != nil {
		t.Error(err)
	}
}

func TestFaultOnResponseURLs(t *testing.T) {
	w := start(t, nil)
	url := w.responseURL()
	w.inject(sandbox.Fault{Kind: sandbox.FaultServerError, Method: "response_url", Times: 1})
	if err := w.try(); err != nil {
		t.Error(err)
	}
	if status, _ := postHook(t, url, `{"text":"hi"}`); status != 500 {
		t.Errorf("status %d", status)
	}
	w.inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "response_url", Times: 1})
	if _, err := http.Post(url, "application/json", strings.NewReader(`{"text":"hi"}`)); err == nil {
		t.Error("it answers")
	}
	if n := len(w.Ephemerals(releases, alice)); n != 1 {
		t.Errorf("%d answers", n)
	}
}

func TestFaultEnvelopeDropped(t *testing.T) {
	w := start(t, func(o *sandbox.Options) { o.Timing.Ack = 30 * time.Millisecond })
	r := w.dial()
	r.hello()
	w.inject(sandbox.Fault{Kind: sandbox.FaultEnvelopeDrop, Method: "slash_commands", Times: 1})
	w.As(alice).Slash(releases, "/stuck one")
	w.await(func() bool { return len(w.Ephemerals(releases, alice)) == 1 })
	w.As(alice).Slash(releases, "/stuck two")
	if got := r.read()["payload"].(map[string]any)["text"]; got != "two" {
		t.Errorf("%v", got)
	}
}

func TestFaultEnvelopeDuplicated(t *testing.T) {
	w := start(t, nil)
	r := w.dial()
	r.hello()
	w.inject(sandbox.Fault{Kind: sandbox.FaultEnvelopeDuplicate, Times: 1})
	w.As(alice).Slash(releases, "/stuck")
	first, second := r.read(), r.read()
	if first["envelope_id"] != second["envelope_id"] {
		t.Errorf("%v, %v", first["envelope_id"], second["envelope_id"])
	}
	r.ack(first, map[string]any{"text": "once"})
	r.ack(second, map[string]any{"text": "twice"})
	w.As(alice).Slash(releases, "/stuck")
	r.ack(r.read(), map[string]any{"text": "last"})
	w.await(func() bool {
		got := w.Ephemerals(releases, alice)
		return len(got) > 0 && got[len(got)-1].Text == "last"
	})
	if n := len(w.Ephemerals(releases, alice)); n != 2 {
		t.Errorf("the second acknowledgement counts: %d", n)
	}
}

func TestFaultEnvelopeDelayed(t *testing.T) {
	w := start(t, nil)
	r := w.dial()
	r.hello()
	w.inject(sandbox.Fault{Kind: sandbox.FaultEnvelopeDelay, Times: 1, Delay: 50 * time.Millisecond})
	w.As(alice).Slash(releases, "/stuck slow")
	w.As(alice).Slash(releases, "/stuck fast")
	for _, want := range []string{"fast", "slow"} {
		if got := r.read()["payload"].(map[string]any)["text"]; got != want {
			t.Errorf("%v, want %s", got, want)
		}
	}
}

// TestFaultStorm shows what slack-go does in a storm: it opens again and again, and a command gets through afterwards.
func TestFaultStorm(t *testing.T) {
	w := start(t, func(o *sandbox.Options) { o.Timing.Warning = time.Millisecond })
	w.inject(sandbox.Fault{Kind: sandbox.FaultStorm, Times: 5, Delay: time.Millisecond})
	sm := w.connect()
	for range 6 {
		next(t, sm, socketmode.EventTypeHello)
	}
	w.await(func() bool { return w.Connections() == 1 })
	w.As(alice).Slash(releases, "/stuck")
	e := next(t, sm, socketmode.EventTypeSlashCommand)
	if err := sm.Ack(*e.Request); err != nil {
		t.Fatal(err)
	}
}

func TestFaultsThatMakeNoSense(t *testing.T) {
	w := start(t, nil)
	for _, f := range []sandbox.Fault{
		{Kind: "gremlin"}, {Kind: sandbox.FaultHang, Times: -1}, {Kind: sandbox.FaultHang, Delay: -1},
		{Kind: sandbox.FaultServerError, Status: 200}, {Kind: sandbox.FaultStorm, Reason: "boredom"},
	} {
		if err := w.Faults().Inject(f); err == nil {
			t.Errorf("%+v is taken", f)
		}
	}
	if _, err := w.Faults().Disconnect("boredom"); err == nil {
		t.Error("a reason Slack does not have")
	}
}

func TestControlIsThereOnlyWhenAskedFor(t *testing.T) {
	control := func(w *workspace, method, path, body, token string) int {
		req, _ := http.NewRequest(method, w.url+path, strings.NewReader(body))
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	off := start(t, nil)
	if got := control(off, "GET", "/control/faults", "", off.BotToken()); got != http.StatusNotFound {
		t.Errorf("off: %d", got)
	}
	w := start(t, func(o *sandbox.Options) { o.Control = true })
	for _, tc := range []struct {
		method, path, body, token string
		want                      int
	}{
		{"GET", "/control/faults", "", "wrong", http.StatusUnauthorized},
		{"POST", "/control/faults", `{"kind":"ratelimited","times":1}`, w.BotToken(), http.StatusNoContent},
		{"POST", "/control/faults", `{"kind":"gremlin"}`, w.BotToken(), http.StatusBadRequest},
		{"POST", "/control/faults", `{"sort":"ratelimited"}`, w.BotToken(), http.StatusBadRequest},
		{"GET", "/control/faults", "", w.BotToken(), http.StatusOK},
		{"POST", "/control/disconnect?reason=warning", "", w.BotToken(), http.StatusOK},
		{"POST", "/control/disconnect?reason=boredom", "", w.BotToken(), http.StatusBadRequest},
	} {
		if got := control(w, tc.method, tc.path, tc.body, tc.token); got != tc.want {
			t.Errorf("%s %s %s: %d, want %d", tc.method, tc.path, tc.body, got, tc.want)
		}
	}
	if len(w.Faults().Active()) != 1 {
		t.Error("the fault is not there")
	}
	if got := control(w, "DELETE", "/control/faults", "", w.BotToken()); got != http.StatusNoContent || len(w.Faults().Active()) != 0 {
		t.Errorf("clear: %d", got)
	}
}

func TestFaultsCanBeThereFromTheStart(t *testing.T) {
	w := start(t, func(o *sandbox.Options) { o.Faults = []sandbox.Fault{{Kind: sandbox.FaultInvalidAuth}} })
	wantCode(t, w.try(), "invalid_auth")
}
