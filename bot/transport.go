package bot

import (
	"context"
	"errors"
	"time"
)

// Transport carries messages to one chat platform.
type Transport interface {
	// Post sends m as a new message that carries key, and returns its id. ErrUnknownOutcome says that the message may have
	// been posted all the same.
	Post(ctx context.Context, to Place, key string, m Message) (id string, err error)
	// Update replaces the message with this id.
	Update(ctx context.Context, in Place, id, key string, m Message) error
	// Find looks for a message of our own with this key that was posted since then, and returns its id, or "" when there is
	// none.
	Find(ctx context.Context, in Place, key string, since time.Time) (id string, err error)
	// Whisper shows m to the person of the event alone. It may be lost.
	Whisper(ctx context.Context, e Event, m Message) error
}

// Errors of a Transport that its users branch on.
var (
	// ErrUnknownOutcome: the request was sent and its answer was not read.
	ErrUnknownOutcome = errors.New("the outcome is unknown")
	// ErrGone: the message or the channel does not exist any more, or the bot was removed from it.
	ErrGone = errors.New("the message or channel is gone")
	// ErrRejected: the platform will never accept this message as it is.
	ErrRejected = errors.New("the platform rejects the message")
)

// RetryAfter is an error of a Transport that asks to be left alone for a while.
type RetryAfter struct {
	Wait time.Duration
}

// Error implements error.
func (e *RetryAfter) Error() string { return "rate limited for " + e.Wait.String() }
