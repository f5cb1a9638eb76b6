package slack

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"stuckbot/bot"
)

func TestPace(t *testing.T) {
	var p pace
	for i := range 12 {
		low := time.Duration(0)
		if i >= quickTries {
			low = min(time.Second<<(i-quickTries), maxPause)
		}
		if got := p.wait(); got < low || got > low+low/2 {
			t.Errorf("after %d: %v, want %v and up to half more", i, got, low)
		}
		if i%2 == 0 {
			p.failed(errors.New("no route"))
		} else {
			p.lost(goodLife-1, false)
		}
	}
	p.lost(goodLife, true)
	if got := p.wait(); got != 0 {
		t.Errorf("after a good connection: %v", got)
	}
	p.failed(&bot.RetryAfter{Wait: 90 * time.Second})
	if got := p.wait(); got != 90*time.Second {
		t.Errorf("%v: Retry-After counts from the first try", got)
	}
	p.lost(time.Second, true)
	if got := p.wait(); got != 0 {
		t.Errorf("%v: and only once", got)
	}
}

// While Slack serves the old connection, the new one comes before it closes.
func TestPaceOfRefreshes(t *testing.T) {
	var p pace
	for i := range 20 {
		p.lost(time.Second, true)
		if got := p.wait(); got >= 10*time.Second || i >= quickTries && got < time.Second {
			t.Errorf("after %d: %v", i+1, got)
		}
	}
	p.lost(time.Second, false)
	if got := p.wait(); got < maxPause {
		t.Errorf("after a cut: %v", got)
	}
}

func TestAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAlive(30*time.Second, time.Now)
		first, second := &conn{}, &conn{}
		want := func(ready bool, why string) {
			t.Helper()
			if ok, got := a.ready(); ok != ready || got != why {
				t.Errorf("%v %q, want %v %q", ok, got, ready, why)
			}
		}
		want(false, "not connected yet")
		a.sign(first) // before its hello
		want(false, "not connected yet")
		a.note("no connection: down")
		want(false, "no connection: down")
		a.hello(first)
		want(true, "connected")
		time.Sleep(30 * time.Second)
		want(true, "connected")
		time.Sleep(time.Second)
		want(false, "connected, but nothing was heard from Slack for 31 s")
		a.sign(first)
		want(true, "connected")
		a.hello(second) // the first is about to be closed, and both deliver
		a.gone(first, "disconnected: closed")
		want(true, "connected")
		a.gone(second, "disconnected: broken")
		want(false, "disconnected: broken")
		a.stop("stopped")
		a.note("too late")
		a.gone(second, "too late")
		want(false, "stopped")
	})
}
