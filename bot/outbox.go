package bot

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Outgoing is a message on its way, or one that arrived and can be updated. Its key names it for ever: queueing the same
// key again replaces the content, and never makes a second message.
type Outgoing struct {
	Key   string `json:"key"`
	Place Place  `json:"place"`
	// Root is the key of the message in whose thread this one stands; empty for a message of its own.
	Root    string  `json:"root,omitempty"`
	Message Message `json:"message"`
	// Created is when the key was queued first. A message cannot have been posted before.
	Created time.Time `json:"created"`
	// Version counts the contents; Sent is the version that the platform shows, 0 for none.
	Version int `json:"version"`
	Sent    int `json:"sent"`
	// ID is the platform's id of the message, once it is known.
	ID string `json:"id,omitempty"`
	// Dead says why the message will never be sent; empty otherwise.
	Dead string `json:"dead,omitempty"`
}

// MessageStore keeps outgoing messages.
type MessageStore interface {
	// Queue stores the message, or the new content of a known key.
	Queue(o Outgoing) error
	// Unsent returns the messages whose newest content was not sent and that are not dead, oldest first.
	Unsent() ([]Outgoing, error)
	// Message returns the message of a key.
	Message(key string) (Outgoing, bool, error)
	// Settle records what became of sending: id, the version that was sent, or why it never will be.
	Settle(key, id string, sent int, dead string) error
}

// OutboxOptions configure an Outbox.
type OutboxOptions struct {
	Messages  MessageStore
	Transport Transport
	// Interval is the least time between two requests to one channel; 0 means 1.1 s, which the platforms allow.
	Interval time.Duration
	// Settling is the least time to wait after an unknown outcome before looking for the message; 0 means 2 s.
	Settling time.Duration
	// Split cuts messages that are too long; nil sends each as it is.
	Split Split
	// Report is told of messages that cannot be sent now or ever.
	Report func(o Outgoing, err error)
	Now    func() time.Time // nil means time.Now
}

// Outbox sends queued messages: one at a time for each channel, with the newest content only, and each key at most once
// as a new message, whatever dies when.
type Outbox struct {
	o    OutboxOptions
	wake chan struct{}

	mu       sync.Mutex
	channels map[string]*lane
	// doubtful holds the keys that may have been posted without our knowing the id: what an earlier process left unsent, as
	// it may have died between the post and the note, and what was posted without an answer.
	doubtful map[string]bool
}

// NewOutbox builds an Outbox. Run sends.
func NewOutbox(o OutboxOptions) *Outbox {
	if o.Interval == 0 {
		o.Interval = 1100 * time.Millisecond
	}
	if o.Settling == 0 {
		o.Settling = 2 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Outbox{o: o, wake: make(chan struct{}, 1), channels: map[string]*lane{}, doubtful: map[string]bool{}}
}

// Queue stores a message, in pages when it is too long, and returns; it is sent as soon as its channel's rate permits.
func (b *Outbox) Queue(o Outgoing) error {
	pages, err := b.Pages([]Outgoing{o})
	if err != nil {
		return err
	}
	for _, page := range pages {
		if err := b.queue(page); err != nil {
			return fmt.Errorf("queue message %s: %w", page.Key, err)
		}
	}
	b.Wake()
	return nil
}

func (b *Outbox) queue(o Outgoing) error {
	known, found, err := b.o.Messages.Message(o.Key)
	if err != nil {
		return err
	}
	o.Created = b.o.Now().UTC()
	if found {
		o.Created = known.Created
	}
	return b.o.Messages.Queue(o)
}

// Pages cuts messages for someone who queues them in a commit of their own. They call Wake afterwards.
func (b *Outbox) Pages(out []Outgoing) ([]Outgoing, error) {
	return Pages(b.o.Split, b.o.Messages.Message, out)
}

// Wake makes Run look for unsent messages.
func (b *Outbox) Wake() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// Run sends until ctx ends. It is called once.
func (b *Outbox) Run(ctx context.Context) error {
	var senders sync.WaitGroup
	defer senders.Wait()
	for first := true; ; first = false {
		unsent, err := b.o.Messages.Unsent()
		if err != nil {
			return fmt.Errorf("read unsent messages: %w", err)
		}
		if first {
			for _, o := range unsent {
				b.setDoubtful(o.Key, o.ID == "")
			}
		}
		next := b.start(ctx, unsent, &senders)
		timer := time.NewTimer(next)
		select {
		case <-b.wake:
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil
		}
		timer.Stop()
	}
}

// start sends the first message of each channel that is free, and returns how long to wait for the next one.
func (b *Outbox) start(ctx context.Context, unsent []Outgoing, senders *sync.WaitGroup) time.Duration {
	const idle = time.Minute
	next := idle
	now := b.o.Now()
	for _, o := range sendable(unsent) {
		l, wait := b.take(o.Place, now)
		if wait > 0 {
			next = min(next, wait)
		}
		if l == nil {
			continue
		}
		senders.Go(func() {
			wait := b.send(ctx, o.Key, l)
			b.mu.Lock()
			l.busy, l.notUntil = false, b.o.Now().Add(wait)
			b.mu.Unlock()
			b.Wake()
		})
	}
	return next
}

// send brings one message up to date and returns how long its channel must rest. It reads the message again: since the
// list was made, it may have been sent, or have got a newer content.
func (b *Outbox) send(ctx context.Context, key string, l *lane) time.Duration {
	o, found, err := b.o.Messages.Message(key)
	if err != nil {
		b.report(Outgoing{Key: key}, err)
		return l.failed()
	}
	if !found || o.Dead != "" || o.Sent == o.Version && o.ID != "" {
		return 0
	}
	id, err := b.deliver(ctx, o)
	var limited *RetryAfter
	switch {
	case err == nil:
		return b.settle(o, id, o.Version, "", l)
	case errors.As(err, &limited):
		return max(limited.Wait, b.o.Interval)
	case errors.Is(err, ErrGone), errors.Is(err, ErrRejected):
		b.report(o, err)
		if id == "" {
			id = o.ID
		}
		return b.settle(o, id, o.Sent, err.Error(), l)
	case ctx.Err() != nil:
		return b.o.Interval // the process stops: the next one goes on from here
	case errors.Is(err, ErrUnknownOutcome):
		b.report(o, err)
		return max(b.o.Settling, l.failed())
	default:
		b.report(o, err)
		return l.failed()
	}
}

// settle notes what became of a message. Only then is it beyond doubt.
func (b *Outbox) settle(o Outgoing, id string, sent int, dead string, l *lane) time.Duration {
	if err := b.o.Messages.Settle(o.Key, id, sent, dead); err != nil {
		b.report(o, fmt.Errorf("settle: %w", err))
		return l.failed()
	}
	b.setDoubtful(o.Key, false)
	l.failures = 0
	return b.o.Interval
}

func (b *Outbox) deliver(ctx context.Context, o Outgoing) (string, error) {
	place := o.Place
	if o.Root != "" {
		root, found, err := b.o.Messages.Message(o.Root)
		if err != nil {
			return "", err
		}
		if !found || root.Dead != "" && root.ID == "" {
			return "", fmt.Errorf("%w: its thread's first message was never sent", ErrGone)
		}
		if root.ID == "" {
			return "", &RetryAfter{b.o.Interval}
		}
		place.Thread = root.ID
	}
	if o.ID != "" {
		return o.ID, b.o.Transport.Update(ctx, place, o.ID, o.Key, o.Message)
	}
	if b.isDoubtful(o.Key) {
		id, err := b.o.Transport.Find(ctx, place, o.Key, o.Created)
		if err != nil {
			return "", err
		}
		if id != "" {
			return id, b.adopt(ctx, place, id, o)
		}
	}
	// From here on it may be posted and nobody knows, until it is settled or the transport says that it was not.
	b.setDoubtful(o.Key, true)
	id, err := b.o.Transport.Post(ctx, place, o.Key, o.Message)
	if err != nil && !errors.Is(err, ErrUnknownOutcome) {
		b.setDoubtful(o.Key, false)
	}
	return id, err
}

// adopt notes the id of a message of our own that was found, before its content is brought up to date.
func (b *Outbox) adopt(ctx context.Context, place Place, id string, o Outgoing) error {
	if err := b.o.Messages.Settle(o.Key, id, 0, ""); err != nil {
		return err
	}
	return b.o.Transport.Update(ctx, place, id, o.Key, o.Message)
}

func (b *Outbox) isDoubtful(key string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.doubtful[key]
}

func (b *Outbox) setDoubtful(key string, doubtful bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if doubtful {
		b.doubtful[key] = true
	} else {
		delete(b.doubtful, key)
	}
}

func (b *Outbox) report(o Outgoing, err error) {
	if b.o.Report != nil {
		b.o.Report(o, err)
	}
}
