package present

import (
	"fmt"
	"time"
)

// Age returns a duration as people say it: 45 s, 12 min, 3 h 20 min, 14 h, 2 d 4 h, 23 d. It rounds down. A negative one,
// from clocks that are apart, is "in 5 min".
func Age(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < -time.Second:
		return "in " + Age(d.Abs()) // Abs saturates where -d would overflow
	case d < time.Minute:
		return fmt.Sprintf("%d s", max(0, d/time.Second))
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 10*time.Hour:
		return two(d/time.Hour, "h", d%time.Hour/time.Minute, "min")
	case d < day:
		return fmt.Sprintf("%d h", d/time.Hour)
	case d < 10*day:
		return two(d/day, "d", d%day/time.Hour, "h")
	default:
		return fmt.Sprintf("%d d", d/day)
	}
}

func two(n time.Duration, unit string, m time.Duration, smaller string) string {
	if m == 0 {
		return fmt.Sprintf("%d %s", n, unit)
	}
	return fmt.Sprintf("%d %s %d %s", n, unit, m, smaller)
}

// Took returns how long something took: 240 ms, 1.2 s, 2 min 5 s.
func Took(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d/time.Millisecond)
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	default:
		return two(d/time.Minute, "min", d%time.Minute/time.Second, "s")
	}
}

// age returns the time since a moment, or false when the moment is not known.
func age(since, now time.Time) (string, bool) {
	if since.IsZero() {
		return "", false
	}
	return Age(now.Sub(since)), true
}

// moment returns a time as sentences give it.
func moment(t time.Time) string { return t.UTC().Format(time.RFC3339) }
