package slack

import (
	"context"
	"sync"
	"time"
)

const (
	// cacheTime is how old an answer may be: what was read ten seconds ago counts as read (design, "Plans").
	cacheTime = 10 * time.Second
	// cacheSize is from how many answers on the old ones are thrown away.
	cacheSize = 500
)

// cache shares answers between those who ask for the same within cacheTime, also while it is being looked up. Errors are
// not kept.
type cache[T any] struct {
	now func() time.Time

	mu      sync.Mutex
	answers map[string]*lookup[T]
}

type lookup[T any] struct {
	done  chan struct{} // closed when value and err are set
	at    time.Time
	value T
	err   error
}

func newCache[T any](now func() time.Time) *cache[T] {
	return &cache[T]{now: now, answers: map[string]*lookup[T]{}}
}

// get returns a recent answer, or looks it up. The lookup goes on when whoever asked first goes away.
func (c *cache[T]) get(ctx context.Context, key string, look func(context.Context) (T, error)) (T, error) {
	a := c.ask(ctx, key, look)
	select {
	case <-a.done:
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

func (c *cache[T]) ask(ctx context.Context, key string, look func(context.Context) (T, error)) *lookup[T] {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	if a, ok := c.answers[key]; ok && now.Sub(a.at) < cacheTime {
		return a
	}
	if len(c.answers) >= cacheSize {
		for k, a := range c.answers {
			if now.Sub(a.at) >= cacheTime {
				delete(c.answers, k)
			}
		}
	}
	a := &lookup[T]{done: make(chan struct{}), at: now}
	c.answers[key] = a
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestTimeout)
		defer cancel()
		a.value, a.err = look(ctx)
		if a.err != nil {
			c.forget(key, a)
		}
		close(a.done)
	}()
	return a
}

func (c *cache[T]) forget(key string, a *lookup[T]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.answers[key] == a {
		delete(c.answers, key)
	}
}
