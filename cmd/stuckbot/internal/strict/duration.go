package strict

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

var errDuration = errors.New("no duration")

// maxDays keeps days from overflowing a time.Duration.
const maxDays = 36500

// ParseDuration parses a Go duration, which may begin with whole days: 7d, 1d12h.
func ParseDuration(text string) (time.Duration, error) {
	days, rest, found := strings.Cut(text, "d")
	if !found {
		duration, err := time.ParseDuration(text)
		if err != nil {
			return 0, errDuration
		}
		return duration, nil
	}
	n, err := strconv.ParseUint(days, 10, 32)
	if err != nil || n > maxDays {
		return 0, errDuration
	}
	total := time.Duration(n) * 24 * time.Hour
	if rest == "" {
		return total, nil
	}
	more, err := time.ParseDuration(rest)
	if err != nil || more < 0 || more > 24*time.Hour*maxDays {
		return 0, errDuration
	}
	return total + more, nil
}
