package box

import (
	"context"
	"os"
	"time"
)

// parentPoll is how often the parent is looked at; there is no portable event for its death.
const parentPoll = 250 * time.Millisecond

// watchParent calls gone once when the process that started this one has ended, which the kernel shows by giving this
// one another parent.
func watchParent(ctx context.Context, gone func()) {
	first := os.Getppid()
	tick := time.NewTicker(parentPoll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if os.Getppid() != first {
				gone()
				return
			}
		}
	}
}
