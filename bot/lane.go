package bot

import (
	"math/rand/v2"
	"slices"
	"time"
)

// lane is the queue of one channel.
type lane struct {
	busy     bool
	notUntil time.Time
	failures int
}

// sendable leaves out what must wait for another message: a reply for its thread's first message, a page for the page
// before it. They would hold up the very message they wait for.
func sendable(unsent []Outgoing) []Outgoing {
	awaited := map[string]bool{"": false}
	for _, o := range unsent {
		awaited[o.Key] = o.ID == ""
	}
	return slices.DeleteFunc(slices.Clone(unsent), func(o Outgoing) bool {
		return awaited[o.Root] || o.ID == "" && awaited[pageBefore(o.Key)]
	})
}

// take returns the channel's lane when it is free. Otherwise it returns how long the channel rests, 0 when it is busy.
func (b *Outbox) take(p Place, now time.Time) (*lane, time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	channel := p.Platform + "/" + p.Channel
	l := b.channels[channel]
	if l == nil {
		l = &lane{}
		b.channels[channel] = l
	}
	if l.busy {
		return nil, 0
	}
	if wait := l.notUntil.Sub(now); wait > 0 {
		return nil, wait
	}
	l.busy = true
	return l, 0
}

// failed counts a failure and returns how long the channel rests after it. Only its sender calls it.
func (l *lane) failed() time.Duration {
	l.failures++
	return backoff(l.failures)
}

// backoff grows to a minute, with jitter, so that channels that failed together do not come back together.
func backoff(failures int) time.Duration {
	wait := min(time.Second<<min(failures-1, 6), time.Minute)
	return wait/2 + rand.N(wait/2)
}
