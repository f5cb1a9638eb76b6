package present

import (
	"strings"
	"time"

	"stuckbot/bot"
)

// Help is what a command says of itself.
type Help struct {
	// Name is the command's first word; Usage its arguments.
	Name, Usage string
	// Examples are whole orders.
	Examples []string
}

// slash is how people address the bot in Slack; a mention works as well, also inside threads.
const slash = "/stuck "

// HelpMessage lists the commands.
func (p *Printer) HelpMessage(all []Help) bot.Message {
	m := p.say("chat.help.title", nil)
	lines := bot.Block{Kind: bot.BlockLines}
	for _, h := range all {
		lines.Lines = append(lines.Lines, []bot.Span{bot.C(synopsis(h)), bot.T(" – " + p.Text(helpID(h, "summary"), nil))})
	}
	m.Blocks = append(m.Blocks, lines, bot.Note(bot.T(p.Text("chat.help.more", nil))))
	return m
}

// CommandHelp explains one command.
func (p *Printer) CommandHelp(h Help) bot.Message {
	m := bot.Message{Summary: synopsis(h), Blocks: []bot.Block{
		bot.Text(bot.C(synopsis(h))),
		bot.Text(bot.T(p.Text(helpID(h, "summary"), nil) + ". " + p.Text(helpID(h, "details"), nil))),
	}}
	examples := bot.Block{Kind: bot.BlockLines}
	for _, e := range h.Examples {
		examples.Lines = append(examples.Lines, []bot.Span{bot.C(slash + e)})
	}
	m.Blocks = append(m.Blocks, bot.Text(bot.B(p.Text("chat.help.examples", nil))), examples,
		bot.Note(bot.T(p.Text(helpID(h, "who"), nil))))
	return m
}

func synopsis(h Help) string { return strings.TrimSpace(slash + h.Name + " " + h.Usage) }

func helpID(h Help, part string) ID { return ID("chat.help." + h.Name + "." + part) }

// NoSuchCommand tells a person that there is no such command, and which one was probably meant.
func (p *Printer) NoSuchCommand(name, meant string) bot.Message {
	return p.say("chat.no-such-command", Args{"name": name, "meant": meant})
}

// NoSuchCluster tells a person that no such cluster is configured, and which one was probably meant.
func (p *Printer) NoSuchCluster(name, meant string) bot.Message {
	return p.say("chat.no-such-cluster", Args{"name": name, "meant": meant})
}

// BadSelector tells a person that an argument is no label=value.
func (p *Printer) BadSelector(arg string) bot.Message {
	return p.say("chat.bad-selector", Args{"arg": arg})
}

// NothingSelected tells a person that no cluster fits all of what was asked for.
func (p *Printer) NothingSelected(args string) bot.Message {
	return p.say("chat.nothing-selected", Args{"args": args})
}

// TooManySweeps tells a person to wait.
func (p *Printer) TooManySweeps(wait time.Duration) bot.Message {
	return p.say("chat.too-many-sweeps", Args{"wait": Age(wait + time.Second - 1)})
}

// StaleOrder answers an order that was given while the bot was not running.
func (p *Printer) StaleOrder(order string, age time.Duration) bot.Message {
	return p.say("chat.stale-order", Args{"order": order, "age": Age(age)})
}

// OrderFailed answers an order whose work failed in the bot itself.
func (p *Printer) OrderFailed(order string, givenUp bool) bot.Message {
	if givenUp {
		return p.say("chat.order-given-up", Args{"order": order})
	}
	return p.say("chat.order-failed", Args{"order": order})
}

// DeadButton answers a click on a button that can do nothing.
func (p *Printer) DeadButton() bot.Message { return p.say("chat.dead-button", nil) }

// CannotAnswerHere tells a person that the bot may not post where it was asked.
func (p *Printer) CannotAnswerHere() bot.Message { return p.say("chat.cannot-answer-here", nil) }

// say makes a message of one paragraph.
func (p *Printer) say(id ID, args Args) bot.Message {
	text := p.Text(id, args)
	return bot.Message{Summary: text, Blocks: []bot.Block{bot.Text(bot.T(text))}}
}
