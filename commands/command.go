package commands

import (
	"context"

	"stuckbot/bot"
	"stuckbot/commands/present"
)

// Command is one thing that a person may order.
type Command struct {
	// Name is the first word.
	Name string
	// Usage is the arguments after the name, in the notation [optional] REQUIRED a|b.
	Usage string
	// Examples are whole orders without the slash command's name.
	Examples []string
	// Run works an order. A message that it returns is the answer in the channel; a Refusal as its error is shown to the
	// person alone.
	Run func(ctx context.Context, r Request) (bot.Message, error)
}

// Request is one order.
type Request struct {
	Event bot.Event
	// Args are the words after the command's name.
	Args []string
	// Show puts a message into the channel where the answer will stand, and replaces the one that is there. It must not be
	// called after Run has returned.
	Show func(bot.Message) error
}

// Refusal is an order that cannot be worked as it is: a mistake, or too much at once. It tells the person why and what to
// do instead.
type Refusal struct {
	Message bot.Message
}

// Error implements error.
func (r *Refusal) Error() string { return r.Message.Summary }

// help makes what present needs to explain a command.
func (c Command) help() present.Help {
	return present.Help{Name: c.Name, Usage: c.Usage, Examples: c.Examples}
}
