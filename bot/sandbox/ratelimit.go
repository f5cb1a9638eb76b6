package sandbox

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// tier is one of Slack's rate limit tiers.
type tier int

const (
	tierSpecial tier = iota // hundreds a minute: not limited here
	tier1                   // 1 a minute at Slack, with large bursts
	tier2
	tier3
	tier4
	tierPost // chat.postMessage: about one a second and channel
)

// Rates are the limits after which a call is answered with 429. The zero value is Slack's.
type Rates struct {
	Off bool // no limits at all

	PostPerSecond float64 // messages per second and channel: 1
	PostBurst     int     // messages in a row before that counts: 4
	Tier1         int     // calls a minute: Slack says 1 and lets apps reconnect far more often: 30
	Tier2         int     // 20
	Tier3         int     // 50
	Tier4         int     // 100
}

func (r Rates) withDefaults() Rates {
	orDefault(&r.PostPerSecond, 1)
	orDefault(&r.PostBurst, 4)
	orDefault(&r.Tier1, 30)
	orDefault(&r.Tier2, 20)
	orDefault(&r.Tier3, 50)
	orDefault(&r.Tier4, 100)
	return r
}

// limiter counts calls per method, and messages per channel.
type limiter struct {
	rates Rates
	now   func() time.Time
	mu    sync.Mutex
	by    map[string]*rate.Limiter
}

func newLimiter(rates Rates, now func() time.Time) *limiter {
	return &limiter{rates: rates, now: now, by: map[string]*rate.Limiter{}}
}

// take counts a call, or refuses it with ratelimited and the time until the next one is free.
func (l *limiter) take(m method, channel string) error {
	if l.rates.Off || m.tier == tierSpecial {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	key := m.name
	if m.tier == tierPost {
		key += " " + channel
	}
	lim, ok := l.by[key]
	if !ok {
		if len(l.by) > 1000 { // channels that do not exist are counted, too
			clear(l.by)
		}
		lim = l.limit(m.tier)
		l.by[key] = lim
	}
	now := l.now()
	res := lim.ReserveN(now, 1)
	if wait := res.DelayFrom(now); wait > 0 {
		res.CancelAt(now)
		return &Error{Code: "ratelimited", RetryAfter: wait}
	}
	return nil
}

func (l *limiter) limit(t tier) *rate.Limiter {
	perMinute := func(n int) *rate.Limiter { return rate.NewLimiter(rate.Limit(float64(n)/60), n) }
	switch t {
	case tier1:
		return perMinute(l.rates.Tier1)
	case tier2:
		return perMinute(l.rates.Tier2)
	case tier3:
		return perMinute(l.rates.Tier3)
	case tier4:
		return perMinute(l.rates.Tier4)
	default:
		return rate.NewLimiter(rate.Limit(l.rates.PostPerSecond), l.rates.PostBurst)
	}
}
