package slack

import (
	"errors"
	"strings"
	"testing"

	"stuckbot/bot/sandbox"
)

// What no waiting cures ends Run with what to do, and shows no token.
func TestFatalErrorsStopWithAReason(t *testing.T) {
	for _, tc := range []struct {
		name   string
		world  func(*sandbox.Options)
		bot    func(*Options)
		during func(*testing.T, *world, *Transport)
		code   string
		says   string
	}{
		{name: "wrong bot token", bot: func(o *Options) { o.BotToken = "xoxb-wrong-s3cr3t" }, code: "invalid_auth", says: "copy it again"},
		{name: "wrong app token", bot: func(o *Options) { o.AppToken = "xapp-wrong-s3cr3t" }, code: "invalid_auth", says: "(app token)"},
		{name: "a bot token for the app", bot: func(o *Options) { o.AppToken = o.BotToken + "" }, code: "", says: "exchanged"},
		{name: "missing scope", world: func(o *sandbox.Options) { o.AppScopes = []string{} }, code: "missing_scope", says: "connections:write"},
		{name: "Socket Mode switched off", during: func(t *testing.T, w *world, tr *Transport) {
			w.disconnect(sandbox.DisconnectLinkDisabled)
		}, code: "link_disabled", says: "switch it on"},
		{name: "the app token is revoked later", during: func(t *testing.T, w *world, tr *Transport) {
			w.inject(sandbox.Fault{Kind: sandbox.FaultInvalidAuth, Method: "apps.connections.open"})
			w.disconnect(sandbox.DisconnectRefreshRequested)
		}, code: "invalid_auth", says: "(app token)"},
		{name: "the bot token is revoked later", during: func(t *testing.T, w *world, tr *Transport) {
			w.inject(sandbox.Fault{Kind: sandbox.FaultInvalidAuth, Method: "chat.postMessage"})
			if _, err := tr.Post(t.Context(), at(releases), "k", says("x")); err == nil || strings.Contains(err.Error(), "xoxb") {
				t.Errorf("%v", err)
			}
		}, code: "invalid_auth", says: "(bot token)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := start(t, tc.world)
			tr, err := tryTransport(w, tc.bot)
			if err == nil {
				done := make(chan error, 1)
				go func() { done <- tr.Run(t.Context()) }()
				if tc.during != nil {
					w.await("a connection", func() bool { ok, _ := tr.Ready(); return ok })
					tc.during(t, w, tr)
				}
				err = <-done
				if ok, why := tr.Ready(); ok || !strings.HasPrefix(why, "stopped: ") {
					t.Errorf("ready %v, %s", ok, why)
				}
				var fatal *FatalError
				if !errors.As(err, &fatal) || fatal.Code != tc.code {
					t.Errorf("%v, want %s", err, tc.code)
				}
			}
			if err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%v does not say %q", err, tc.says)
			}
			if text := err.Error() + w.log.String(); strings.Contains(text, "s3cr3t") || strings.Contains(text, w.AppToken()) || strings.Contains(text, w.BotToken()) || strings.Contains(text, "ticket=") {
				t.Errorf("a token is shown: %s", text)
			}
		})
	}
}

func TestNewRefuses(t *testing.T) {
	w := start(t, nil)
	for name, change := range map[string]func(*Options){
		"no tokens":        func(o *Options) { o.AppToken, o.BotToken = "", "" },
		"exchanged tokens": func(o *Options) { o.AppToken, o.BotToken = "xoxb-1", "xapp-1" },
		"no receiver":      func(o *Options) { o.Receive = nil },
		"no address":       func(o *Options) { o.APIURL = "slack" },
		"a clear address":  func(o *Options) { o.APIURL = "http://chat.example/api/" },
		"a file":           func(o *Options) { o.APIURL = "file:///etc/passwd" },
		"a query":          func(o *Options) { o.APIURL = "https://slack.com/api/?token=x" },
		"a user":           func(o *Options) { o.APIURL = "https://me@slack.com/api/" },
	} {
		if tr, err := tryTransport(w, change); err == nil || tr != nil {
			t.Errorf("%s is taken", name)
		}
	}
	for _, address := range []string{"", "https://slack.com/api", "https://slack.com/api/", "http://localhost:1/api", "http://[::1]:1/api/", "http://127.0.0.1:1/"} {
		tr, err := tryTransport(w, func(o *Options) { o.APIURL = address })
		if err != nil || !strings.HasSuffix(tr.base.String(), "/") {
			t.Errorf("%s: %v", address, err)
		}
	}
}
