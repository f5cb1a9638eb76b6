package slack

import (
	"fmt"
	"sync"
	"time"
)

// alive knows whether events arrive. A connection counts from Slack's hello until its end, as long as a ping or anything
// else was heard on it within the silence that is allowed.
type alive struct {
	silence time.Duration
	now     func() time.Time

	mu      sync.Mutex
	heard   map[*conn]time.Time
	why     string // why there is no connection
	stopped bool
}

func newAlive(silence time.Duration, now func() time.Time) *alive {
	return &alive{silence: silence, now: now, heard: map[*conn]time.Time{}, why: "not connected yet"}
}

// hello takes a connection in.
func (a *alive) hello(c *conn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.heard[c] = a.now()
}

// sign notes a sign of life.
func (a *alive) sign(c *conn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, greeted := a.heard[c]; greeted {
		a.heard[c] = a.now()
	}
}

// gone takes a connection out.
func (a *alive) gone(c *conn, why string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.heard, c)
	if !a.stopped {
		a.why = why
	}
}

// note says why there is no connection.
func (a *alive) note(why string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.stopped {
		a.why = why
	}
}

// stop says why there will be none.
func (a *alive) stop(why string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stopped, a.why = true, why
}

func (a *alive) ready() (bool, string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var last time.Time
	for _, at := range a.heard {
		if at.After(last) {
			last = at
		}
	}
	switch quiet := a.now().Sub(last); {
	case a.stopped || last.IsZero():
		return false, a.why
	case quiet > a.silence:
		return false, fmt.Sprintf("connected, but nothing was heard from Slack for %d s", int(quiet.Seconds()))
	}
	return true, "connected"
}
