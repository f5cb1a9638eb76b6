package commands

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"stuckbot/bot"
	"stuckbot/commands/present"
)

// staleAfter is the age from which an order is not worked any more: the person has gone on, and an old order that acts
// late surprises everyone.
const staleAfter = 15 * time.Minute

// HandlerOptions configure a Handler.
type HandlerOptions struct {
	Commands []Command
	Printer  *present.Printer
	// Queue stores a message that replaces the one with the same key.
	Queue func(bot.Outgoing) error
	// Whisper shows a message to the event's person alone.
	Whisper func(ctx context.Context, e bot.Event, m bot.Message) error
	Threads Threads
	Now     func() time.Time
}

// Threads keeps what the threads below the bot's messages are about.
type Threads interface {
	// Remember notes that the message of this key answers an order of a person.
	Remember(key, order, person string, at time.Time) error
	// Recall returns the order that the first message of a thread answers, or "".
	Recall(thread bot.Place) (order string, err error)
}

// Handler works events: it finds the command, runs it and answers. It implements bot.Handler.
type Handler struct {
	o HandlerOptions
}

var _ bot.Handler = (*Handler)(nil)

// NewHandler builds a Handler.
func NewHandler(o HandlerOptions) *Handler { return &Handler{o} }

// Handle implements bot.Handler.
func (h *Handler) Handle(ctx context.Context, e bot.Event) ([]bot.Outgoing, error) {
	if e.Command == nil {
		return nil, h.whisper(ctx, e, h.o.Printer.DeadButton())
	}
	if age := h.o.Now().Sub(e.Received); age > staleAfter {
		return h.answer(e, h.o.Printer.StaleOrder(order(e), age)), nil
	}
	name, words := split(e.Command.Text)
	c, meant, found := find(h.o.Commands, name)
	if !found {
		return nil, h.whisper(ctx, e, h.o.Printer.NoSuchCommand(name, meant))
	}
	words, err := h.inThread(e, name, words)
	if err != nil {
		return nil, err
	}
	m, err := c.Run(ctx, Request{Event: e, Args: words, Show: func(m bot.Message) error {
		return h.o.Queue(h.outgoing(e, m))
	}})
	var refusal *Refusal
	if errors.As(err, &refusal) {
		return nil, h.whisper(ctx, e, refusal.Message)
	}
	if err != nil {
		return nil, fmt.Errorf("command %s: %w", c.Name, err)
	}
	answered := strings.Join(append([]string{name}, words...), " ")
	if err := h.o.Threads.Remember(answerKey(e), answered, e.User.ID, e.Received); err != nil {
		return nil, err
	}
	return h.answer(e, m), nil
}

// split takes the command's name off an order. No order at all asks for help.
func split(text string) (string, []string) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return "help", nil
	}
	return strings.ToLower(words[0]), words[1:]
}

// inThread returns the arguments of an order. Inside a thread an order without arguments means those of the order that the
// thread is about, when it is the same command.
func (h *Handler) inThread(e bot.Event, name string, words []string) ([]string, error) {
	if len(words) > 0 || e.Place.Thread == "" {
		return words, nil
	}
	about, err := h.o.Threads.Recall(e.Place)
	if err != nil {
		return nil, err
	}
	if first, rest := split(about); about != "" && first == name {
		return rest, nil
	}
	return words, nil
}

// Failed implements bot.Handler.
func (h *Handler) Failed(e bot.Event, err error) []bot.Outgoing {
	return h.answer(e, h.o.Printer.OrderFailed(order(e), errors.Is(err, bot.ErrGivenUp)))
}

// whisper is for mistakes and help. It may be lost: the person sees that and asks again.
func (h *Handler) whisper(ctx context.Context, e bot.Event, m bot.Message) error {
	if err := h.o.Whisper(ctx, e, m); err != nil {
		return fmt.Errorf("answer %s: %w", e.User.ID, err)
	}
	return nil
}

func (h *Handler) answer(e bot.Event, m bot.Message) []bot.Outgoing {
	return []bot.Outgoing{h.outgoing(e, m)}
}

// outgoing gives the answer to an event its key: whatever is shown first, it stays one message. An answer to a mention
// stands in the thread in which the bot was mentioned.
func (h *Handler) outgoing(e bot.Event, m bot.Message) bot.Outgoing {
	return bot.Outgoing{Key: answerKey(e), Place: e.Place, Message: m, Created: h.o.Now().UTC()}
}

const answerPrefix = "answer/"

func answerKey(e bot.Event) string { return answerPrefix + e.Key }

// AnsweredEvent returns the key of the event that the message with this key answers, and false for other messages.
func AnsweredEvent(key string) (string, bool) { return strings.CutPrefix(key, answerPrefix) }

func order(e bot.Event) string {
	if e.Command == nil {
		return ""
	}
	return e.Command.Text
}
