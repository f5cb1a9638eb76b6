package commands

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Limits bounds how many sweeps one person may start: a few at once, then one every 20 s.
type Limits struct {
	burst int
	every time.Duration

	mu     sync.Mutex
	people map[string]*rate.Limiter
}

// NewLimits returns the usual limits.
func NewLimits() *Limits {
	return &Limits{burst: 3, every: 20 * time.Second, people: map[string]*rate.Limiter{}}
}

// Take counts one sweep of a person. It returns 0, or how long the person has to wait.
func (l *Limits) Take(person string, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	limiter := l.people[person]
	if limiter == nil {
		l.forget(now)
		limiter = rate.NewLimiter(rate.Every(l.every), l.burst)
		l.people[person] = limiter
	}
	reservation := limiter.ReserveN(now, 1)
	wait := reservation.DelayFrom(now)
	if wait > 0 {
		reservation.CancelAt(now)
	}
	return wait
}

// forget drops people whose allowance is full again.
func (l *Limits) forget(now time.Time) {
	for person, limiter := range l.people {
		if limiter.TokensAt(now) >= float64(l.burst) {
			delete(l.people, person)
		}
	}
}
