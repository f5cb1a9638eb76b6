package slack

import (
	"errors"
	"math/rand/v2"
	"time"

	"stuckbot/bot"
)

const (
	// quickTries is how many attempts in a row are made at once: Slack closes healthy connections, and a network that comes
	// back should find the bot at the door.
	quickTries = 3
	// maxPause is the longest wait between two attempts.
	maxPause = 30 * time.Second
	// maxOverlap is the longest wait, with its jitter, while Slack goes on serving the connection that it is about to close:
	// it does so for about ten seconds.
	maxOverlap = 6 * time.Second
	// goodLife is how long a connection must have lived for the count to begin anew.
	goodLife = 30 * time.Second
)

// pace decides how long to wait before the next attempt to connect. After the first three attempts it is at least a second,
// and doubles up to half a minute, with jitter: bots that lost their connection together do not come back together.
type pace struct {
	bad     int
	atLeast time.Duration
	served  bool // the connection to be replaced still delivers
}

// wait returns how long to wait before the next attempt.
func (p *pace) wait() time.Duration {
	if p.bad < quickTries {
		return p.atLeast
	}
	longest := maxPause
	if p.served {
		longest = maxOverlap
	}
	d := min(time.Second<<min(p.bad-quickTries, 10), longest)
	return max(p.atLeast, d+rand.N(d/2))
}

// failed notes an attempt that gave no connection.
func (p *pace) failed(err error) {
	p.bad++
	p.atLeast, p.served = 0, false
	var limited *bot.RetryAfter
	if errors.As(err, &limited) {
		p.atLeast = limited.Wait
	}
}

// lost notes a connection that must be replaced after this time, and whether it still delivers.
func (p *pace) lost(lived time.Duration, served bool) {
	p.atLeast, p.served = 0, served
	if lived >= goodLife {
		p.bad = 0
		return
	}
	p.bad++
}
