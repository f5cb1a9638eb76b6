package present

import (
	"math"
	"testing"
	"time"
)

func TestAge(t *testing.T) {
	const d = 24 * time.Hour
	for _, c := range []struct {
		in   time.Duration
		want string
	}{
		{0, "0 s"}, {-400 * time.Millisecond, "0 s"}, {59 * time.Second, "59 s"}, {time.Minute, "1 min"},
		{3 * time.Hour, "3 h"}, {3*time.Hour + 20*time.Minute, "3 h 20 min"}, {14*time.Hour + 59*time.Minute, "14 h"},
		{d, "1 d"}, {2*d + 4*time.Hour + 30*time.Minute, "2 d 4 h"}, {23*d + 5*time.Hour, "23 d"}, {400 * d, "400 d"},
		{-5 * time.Minute, "in 5 min"}, {math.MinInt64, "in 106751 d"}, {math.MaxInt64, "106751 d"},
	} {
		if got := Age(c.in); got != c.want {
			t.Errorf("Age(%v) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestTook(t *testing.T) {
	for _, c := range []struct {
		in   time.Duration
		want string
	}{
		{0, "0 ms"}, {240 * time.Millisecond, "240 ms"}, {1240 * time.Millisecond, "1.2 s"}, {9960 * time.Millisecond, "10.0 s"},
		{31 * time.Second, "31 s"}, {2 * time.Minute, "2 min"}, {2*time.Minute + 5*time.Second, "2 min 5 s"},
	} {
		if got := Took(c.in); got != c.want {
			t.Errorf("Took(%v) = %q, want %q", c.in, got, c.want)
		}
	}
}
