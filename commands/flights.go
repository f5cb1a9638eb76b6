package commands

import (
	"context"
	"slices"
	"strings"
	"sync"

	"stuckbot/checks/sweep"
)

// SharedSweeper lets identical sweeps that are asked for at the same time share one run.
type SharedSweeper struct {
	clusters func() ([]sweep.Cluster, error)
	run      func(ctx context.Context, names []string, progress func(sweep.Progress)) (*sweep.Result, error)

	mu      sync.Mutex
	flights map[string]*flight
}

// flight is one run and those who wait for it.
type flight struct {
	done   chan struct{}
	result *sweep.Result
	err    error
	cancel context.CancelFunc

	mu        sync.Mutex
	listeners map[int]func(sweep.Progress)
	next      int
}

// NewSharedSweeper builds a SharedSweeper from what it shares.
func NewSharedSweeper(clusters func() ([]sweep.Cluster, error),
	run func(ctx context.Context, names []string, progress func(sweep.Progress)) (*sweep.Result, error)) *SharedSweeper {
	return &SharedSweeper{clusters: clusters, run: run, flights: map[string]*flight{}}
}

// Clusters implements Sweeper.
func (s *SharedSweeper) Clusters() ([]sweep.Cluster, error) { return s.clusters() }

// Sweep implements Sweeper. A run ends early only when everyone who waited for it has left.
func (s *SharedSweeper) Sweep(ctx context.Context, names []string, progress func(sweep.Progress)) (*sweep.Result, error) {
	sorted := slices.Sorted(slices.Values(names))
	f, leave := s.board(ctx, strings.Join(sorted, ","), sorted, progress)
	defer leave()
	select {
	case <-f.done:
		return f.result, f.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *SharedSweeper) board(ctx context.Context, key string, names []string, progress func(sweep.Progress)) (*flight, func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.flights[key]
	if f == nil {
		var run context.Context
		f = &flight{done: make(chan struct{}), listeners: map[int]func(sweep.Progress){}}
		run, f.cancel = context.WithCancel(context.WithoutCancel(ctx))
		s.flights[key] = f
		go func() {
			defer f.cancel()
			f.result, f.err = s.run(run, names, f.tell)
			s.mu.Lock()
			if s.flights[key] == f {
				delete(s.flights, key)
			}
			s.mu.Unlock()
			close(f.done)
		}()
	}
	f.mu.Lock()
	seat := f.next
	f.next++
	f.listeners[seat] = progress
	f.mu.Unlock()
	return f, func() { s.leave(key, f, seat) }
}

// leave takes a listener off. The last one ends the run; a newcomer must not board a run that ends.
func (s *SharedSweeper) leave(key string, f *flight, seat int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.mu.Lock()
	delete(f.listeners, seat)
	empty := len(f.listeners) == 0
	f.mu.Unlock()
	if empty {
		f.cancel()
		if s.flights[key] == f {
			delete(s.flights, key)
		}
	}
}

func (f *flight) tell(p sweep.Progress) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, listener := range f.listeners {
		listener(p)
	}
}
