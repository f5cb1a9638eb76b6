package commands

import (
	"context"

	"stuckbot/bot"
	"stuckbot/commands/present"
)

// helpCommand explains the others, and itself.
func helpCommand(o Options) Command {
	return Command{
		Name:     "help",
		Usage:    "[command]",
		Examples: []string{"help", "help sweep"},
		Run: func(_ context.Context, r Request) (bot.Message, error) {
			registry := All(o)
			if len(r.Args) == 0 {
				var entries []present.Help
				for _, c := range registry {
					entries = append(entries, c.help())
				}
				return bot.Message{}, &Refusal{o.Printer.HelpMessage(entries)}
			}
			c, meant, found := find(registry, r.Args[0])
			if !found {
				return bot.Message{}, &Refusal{o.Printer.NoSuchCommand(r.Args[0], meant)}
			}
			return bot.Message{}, &Refusal{o.Printer.CommandHelp(c.help())}
		},
	}
}
