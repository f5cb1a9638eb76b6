package storage

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"
)

// timeKey is a fixed width: as text, times sort as they follow one another.
const timeKey = "2006-01-02T15:04:05.000000000Z"

var errTimeOutOfRange = errors.New("time is zero or outside of the years 0 to 9999")

// formatTimeKey returns the time part of a key.
func formatTimeKey(at time.Time) (string, error) {
	at = at.UTC()
	if at.IsZero() || at.Year() < 0 || at.Year() > 9999 {
		return "", fmt.Errorf("%w: %v", errTimeOutOfRange, at)
	}
	return at.Format(timeKey), nil
}

// newTimeKey returns a key that nothing else has.
func newTimeKey(prefix string, at time.Time) (string, error) {
	text, err := formatTimeKey(at)
	if err != nil {
		return "", err
	}
	return prefix + text + "/" + strings.ToLower(rand.Text()[:16]), nil
}

// timeKeyBound returns what is greater than all keys of before at, and smaller than, or equal to, all others: nothing of the
// instant itself. The zero time is after everything.
func timeKeyBound(prefix string, at time.Time) (string, error) {
	if at.IsZero() {
		return "", nil
	}
	text, err := formatTimeKey(at)
	if err != nil {
		return "", err
	}
	return prefix + text, nil
}

// timeOfKey returns the time part of a key, as text that can be compared.
func timeOfKey(prefix, key string) string {
	text, _, _ := strings.Cut(strings.TrimPrefix(key, prefix), "/")
	return text
}
