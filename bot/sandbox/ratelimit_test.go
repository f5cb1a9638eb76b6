package sandbox_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slack-go/slack"

	"stuckbot/bot/sandbox"
)

func TestAboutOneMessageASecondAndChannel(t *testing.T) {
	var ahead atomic.Int64
	w := start(t, func(o *sandbox.Options) {
		start := time.Now()
		o.Rates = sandbox.Rates{}
		o.Now = func() time.Time { return start.Add(time.Duration(ahead.Load())) }
	})
	for range 4 { // a small burst
		w.post(releases, text("hi"))
	}
	_, _, err := w.api.PostMessage(releases, text("hi"))
	var limited *slack.RateLimitedError
	if !errors.As(err, &limited) || limited.RetryAfter != time.Second {
		t.Fatalf("%v", err)
	}
	w.post("C0INCIDENTS", text("another channel"))
	ahead.Store(int64(time.Second))
	w.post(releases, text("a second later"))
	if _, _, err := w.api.PostMessage(releases, text("hi")); err == nil {
		t.Error("one a second")
	}
}

func TestTiers(t *testing.T) {
	w := start(t, func(o *sandbox.Options) { o.Rates = sandbox.Rates{Tier2: 3} })
	for range 3 {
		if _, err := w.api.GetUserGroupMembers("S0SRE"); err != nil {
			t.Fatal(err)
		}
	}
	_, err := w.api.GetUserGroupMembers("S0SRE")
	var limited *slack.RateLimitedError
	if !errors.As(err, &limited) || limited.RetryAfter < 15*time.Second {
		t.Fatalf("%v", err)
	}
	for range 50 { // not limited
		if _, err := w.api.AuthTest(); err != nil {
			t.Fatal(err)
		}
	}
}
