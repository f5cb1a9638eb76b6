package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"stuckbot/checks/sweep"
	"stuckbot/commands/present"
)

const (
	// progressAfter is the time from which people wonder whether anything happens.
	progressAfter = 2 * time.Second
	// progressEvery is how often the line of a terminal is written over, progressLine how often a log gets a line.
	progressEvery = 250 * time.Millisecond
	progressLine  = 10 * time.Second
)

// progressReport shows how far a sweep has come: one line that is written over on a terminal, a line now and then elsewhere.
type progressReport struct {
	w        io.Writer
	terminal bool
	width    int
	text     func(sweep.Progress) string

	mu     sync.Mutex
	latest sweep.Progress

	done, stopped chan struct{}
}

func startProgress(w io.Writer, terminal bool, width int, text func(sweep.Progress) string) *progressReport {
	r := &progressReport{w: w, terminal: terminal, width: width, text: text, done: make(chan struct{}), stopped: make(chan struct{})}
	go r.run()
	return r
}

// update takes the latest state. It never waits for the terminal.
func (r *progressReport) update(s sweep.Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.latest = s
}

// stop ends the report and takes its line off the terminal.
func (r *progressReport) stop() {
	close(r.done)
	<-r.stopped
}

func (r *progressReport) run() {
	defer close(r.stopped)
	wait, every := progressLine, progressLine
	if r.terminal {
		wait, every = progressAfter, progressEvery
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	shown := false
	for {
		select {
		case <-r.done:
			if shown && r.terminal {
				fmt.Fprint(r.w, "\r\x1b[K")
			}
			return
		case <-timer.C:
			r.show()
			shown = true
			timer.Reset(every)
		}
	}
}

func (r *progressReport) show() {
	r.mu.Lock()
	text := r.text(r.latest)
	r.mu.Unlock()
	if !r.terminal {
		fmt.Fprintln(r.w, text)
		return
	}
	if r.width > 1 {
		text = present.Bound(text, r.width-1) // a line that wraps could not be written over
	}
	fmt.Fprint(r.w, "\r"+text+"\x1b[K")
}
