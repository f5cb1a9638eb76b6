package bot

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"sync"
	"time"
)

// EventStore keeps events from their receipt until they are done.
type EventStore interface {
	// Receive stores e durably. It reports false for an event whose key is known.
	Receive(e Event) (fresh bool, err error)
	// Open returns the events that are not done, oldest first.
	Open() ([]Event, error)
	// Begin counts an attempt to work the event and returns its number, from 1.
	Begin(key string) (attempt int, err error)
	// Done marks the event done at this time and queues its messages, in one commit.
	Done(key string, at time.Time, out []Outgoing) error
}

// Handler works events. It may be asked to work an event again that it worked in part before the process died: what it
// queues under the same keys replaces what is there.
type Handler interface {
	Handle(ctx context.Context, e Event) ([]Outgoing, error)
	// Failed makes the messages that tell the person that the event could not be worked.
	Failed(e Event, err error) []Outgoing
}

// ErrGivenUp is what Handler.Failed is told of an event during which the process died too often.
var ErrGivenUp = errors.New("given up after several attempts")

// maxAttempts is how often an event is begun. One that kills the process is not worked for ever.
const maxAttempts = 3

// DispatcherOptions configure a Dispatcher.
type DispatcherOptions struct {
	Events  EventStore
	Handler Handler
	// Pages cuts messages that are too long before they are queued; nil leaves them as they are. Outbox.Pages does it.
	Pages func([]Outgoing) ([]Outgoing, error)
	// Queued is called after messages were queued, so that they are sent.
	Queued func()
	// Workers bounds the events that are worked at the same time; 0 means 8.
	Workers int
	// Timeout bounds the work on one event; 0 means 10 minutes.
	Timeout time.Duration
	// Report is told of errors that nobody else sees.
	Report func(e Event, err error)
	Now    func() time.Time // nil means time.Now
}

// Dispatcher takes events from a transport. It stores before it acknowledges and works afterwards (promise 11).
type Dispatcher struct {
	o     DispatcherOptions
	wake  chan struct{}
	slots chan struct{}

	mu sync.Mutex
	// claimed holds the events that are being worked, as true, and those that ended since the open events were last read,
	// as false: a list that was read before an event ended still names it.
	claimed map[string]bool
}

// NewDispatcher builds a Dispatcher. Run works what it receives.
func NewDispatcher(o DispatcherOptions) *Dispatcher {
	if o.Workers == 0 {
		o.Workers = 8
	}
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Minute
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Dispatcher{o: o, wake: make(chan struct{}, 1), slots: make(chan struct{}, o.Workers), claimed: map[string]bool{}}
}

// Receive stores an event. When it returns nil the transport may acknowledge: from then on the event survives anything. An
// event that is known is acknowledged again and not worked again.
func (d *Dispatcher) Receive(e Event) error {
	e.Received = d.o.Now().UTC()
	fresh, err := d.o.Events.Receive(e)
	if err != nil {
		return fmt.Errorf("store event %s: %w", e.Key, err)
	}
	if fresh {
		d.poke()
	}
	return nil
}

func (d *Dispatcher) poke() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// Run works stored events until ctx ends, beginning with those of an earlier process. It returns when no work is under way
// any more; what was cut short is worked again by the next process.
func (d *Dispatcher) Run(ctx context.Context) error {
	var workers sync.WaitGroup
	defer workers.Wait()
	// An event whose end could not be stored is still open; nothing else would wake us for it.
	again := time.NewTicker(time.Minute)
	defer again.Stop()
	for {
		d.forgetEnded()
		open, err := d.o.Events.Open()
		if err != nil {
			return fmt.Errorf("read open events: %w", err)
		}
		for _, e := range open {
			if !d.claim(e.Key) {
				continue
			}
			select {
			case d.slots <- struct{}{}:
			case <-ctx.Done():
				return nil
			}
			workers.Go(func() {
				defer func() { <-d.slots }()
				d.work(ctx, e)
				d.end(e.Key)
			})
		}
		select {
		case <-d.wake:
		case <-again.C:
		case <-ctx.Done():
			return nil
		}
	}
}

func (d *Dispatcher) claim(key string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, taken := d.claimed[key]; taken {
		return false
	}
	d.claimed[key] = true
	return true
}

func (d *Dispatcher) end(key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.claimed[key] = false
}

func (d *Dispatcher) forgetEnded() {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.claimed, func(_ string, running bool) bool { return !running })
}

func (d *Dispatcher) work(ctx context.Context, e Event) {
	attempt, err := d.o.Events.Begin(e.Key)
	if err != nil {
		d.report(e, fmt.Errorf("begin: %w", err))
		return
	}
	var out []Outgoing
	if attempt > maxAttempts {
		d.report(e, ErrGivenUp)
		out = d.failed(e, ErrGivenUp)
	} else {
		out, err = d.handle(ctx, e)
		if ctx.Err() != nil {
			return // the process stops: the next one works the event again
		}
		if err != nil {
			d.report(e, err)
			out = d.failed(e, err)
		}
	}
	d.finish(e, out)
}

// finish stores the event's end together with its messages.
func (d *Dispatcher) finish(e Event, out []Outgoing) {
	if d.o.Pages != nil {
		var err error
		if out, err = d.o.Pages(out); err != nil {
			d.report(e, err)
			return
		}
	}
	if err := d.o.Events.Done(e.Key, d.o.Now().UTC(), out); err != nil {
		d.report(e, fmt.Errorf("done: %w", err))
		return
	}
	if len(out) > 0 && d.o.Queued != nil {
		d.o.Queued()
	}
}

// failed asks for the messages of a failure. When even that panics there are none; the report is all there is.
func (d *Dispatcher) failed(e Event, err error) (out []Outgoing) {
	defer func() {
		if p := recover(); p != nil {
			d.report(e, fmt.Errorf("panic while telling of a failure: %v\n%s", p, debug.Stack()))
		}
	}()
	return d.o.Handler.Failed(e, err)
}

// handle turns a panic into an error: one bad event must not stop the bot.
func (d *Dispatcher) handle(ctx context.Context, e Event) (out []Outgoing, err error) {
	ctx, cancel := context.WithTimeout(ctx, d.o.Timeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return d.o.Handler.Handle(ctx, e)
}

func (d *Dispatcher) report(e Event, err error) {
	if d.o.Report != nil {
		d.o.Report(e, err)
	}
}
