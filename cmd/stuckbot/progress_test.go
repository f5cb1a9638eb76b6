package main

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"stuckbot/checks/sweep"
)

// lines is a writer that may be read while it is written.
type lines struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func short(s sweep.Progress) string { return fmt.Sprintf("%d of %d", s.Done, s.Total) }

func TestProgressOnATerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w lines
		r := startProgress(&w, true, 80, short)
		r.update(sweep.Progress{Done: 1, Total: 3})
		time.Sleep(1900 * time.Millisecond)
		synctest.Wait()
		if got := w.String(); got != "" {
			t.Errorf("before two seconds: %q", got)
		}
		time.Sleep(200 * time.Millisecond)
		synctest.Wait()
		if got := w.String(); got != "\r1 of 3\x1b[K" {
			t.Errorf("after two seconds: %q", got)
		}
		r.update(sweep.Progress{Done: 2, Total: 3})
		time.Sleep(300 * time.Millisecond)
		r.stop()
		if got := w.String(); !strings.HasSuffix(got, "\r2 of 3\x1b[K\r\x1b[K") {
			t.Errorf("the line is not erased at the end: %q", got)
		}
	})
}

func TestAQuickSweepShowsNoProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, terminal := range []bool{true, false} {
			var w lines
			r := startProgress(&w, terminal, 80, short)
			r.update(sweep.Progress{Done: 3, Total: 3})
			time.Sleep(time.Second)
			r.stop()
			if got := w.String(); got != "" {
				t.Errorf("terminal %v: %q", terminal, got)
			}
		}
	})
}

func TestProgressElsewhereIsALineNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w lines
		r := startProgress(&w, false, 0, short)
		r.update(sweep.Progress{Done: 1, Total: 3})
		time.Sleep(25 * time.Second)
		r.stop()
		if got := w.String(); got != "1 of 3\n1 of 3\n" {
			t.Errorf("%q", got)
		}
	})
}

func TestProgressNeverWraps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w lines
		r := startProgress(&w, true, 20, func(sweep.Progress) string { return strings.Repeat("x", 100) })
		time.Sleep(2100 * time.Millisecond)
		r.stop()
		if got := w.String(); !strings.HasPrefix(got, "\r"+strings.Repeat("x", 18)+"…\x1b[K") {
			t.Errorf("%q", got)
		}
	})
}
