package sandbox_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"

	"stuckbot/bot/sandbox"
)

const (
	alice, bob, mallory, eve, trent = "U0ALICE", "U0BOB", "U0MALLORY", "U0EVE", "U0TRENT"
	releases, random, old           = "C0RELEASES", "C0RANDOM", "C0OLD"
)

// workspace is a running sandbox with the unmodified client of slack-go.
type workspace struct {
	*sandbox.Sandbox
	t   *testing.T
	url string
	api *slack.Client
}

// start runs a sandbox. Limits are off unless the test sets them, and the app has one command.
func start(t *testing.T, change func(*sandbox.Options)) *workspace {
	t.Helper()
	opt := sandbox.Options{
		Rates:    sandbox.Rates{Off: true},
		Commands: []sandbox.Command{{Command: "/stuck", Description: "Find what is stuck", UsageHint: "[sweep | diagnose CLUSTER]"}},
	}
	if change != nil {
		change(&opt)
	}
	s, err := sandbox.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		s.Close()
		srv.CloseClientConnections()
		srv.Close()
	})
	w := &workspace{Sandbox: s, t: t, url: srv.URL}
	w.api = w.client()
	return w
}

// client returns another client of the same app.
func (w *workspace) client(options ...slack.Option) *slack.Client {
	all := append([]slack.Option{
		slack.OptionAPIURL(w.url + "/api/"), slack.OptionAppLevelToken(w.AppToken()),
		slack.OptionHTTPClient(&http.Client{Timeout: 10 * time.Second}),
	}, options...)
	return slack.New(w.BotToken(), all...)
}

// connect opens a Socket Mode connection with slack-go, and returns its events once Slack has said hello.
func (w *workspace) connect() *socketmode.Client {
	w.t.Helper()
	before := w.Connections()
	sm := socketmode.New(w.client())
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		sm.RunContext(ctx)
	}()
	w.t.Cleanup(func() {
		cancel()
		go func() { // slack-go blocks on its events
			for range sm.Events {
			}
		}()
		<-done
	})
	w.await(func() bool { return w.Connections() > before })
	return sm
}

func (w *workspace) await(cond func() bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := w.Await(ctx, cond); err != nil {
		w.t.Fatalf("waited in vain: %v", err)
	}
}

// next returns the next event of this type.
func next(t *testing.T, sm *socketmode.Client, kind socketmode.EventType) socketmode.Event {
	t.Helper()
	deadline := time.After(10 * time.Second)
	for {
		select {
		case e := <-sm.Events:
			if e.Type == kind {
				return e
			}
		case <-deadline:
			t.Fatalf("no %s in time", kind)
		}
	}
}

// wantCode checks that an error of slack-go carries this code.
func wantCode(t *testing.T, err error, code string) slack.SlackErrorResponse {
	t.Helper()
	var e slack.SlackErrorResponse
	if !errors.As(err, &e) || e.Err != code {
		t.Fatalf("error %v, want code %s", err, code)
	}
	return e
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func text(s string) slack.MsgOption { return slack.MsgOptionText(s, false) }

// post posts as the bot and returns the ts.
func (w *workspace) post(channel string, options ...slack.MsgOption) string {
	w.t.Helper()
	_, ts, err := w.api.PostMessage(channel, options...)
	if err != nil {
		w.t.Fatal(err)
	}
	return ts
}

func (w *workspace) last(channel string) sandbox.Message {
	w.t.Helper()
	all := w.Messages(channel)
	if len(all) == 0 {
		w.t.Fatal("no message")
	}
	return all[len(all)-1]
}
