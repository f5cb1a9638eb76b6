package commands

import (
	"slices"

	"github.com/agnivade/levenshtein"

	"stuckbot/commands/present"
)

// Options are what the commands work with.
type Options struct {
	Printer *present.Printer
	// Sweeper runs sweeps.
	Sweeper Sweeper
	Limits  *Limits
}

// All returns the registry: every command, in the order in which help lists them.
func All(o Options) []Command {
	return []Command{
		sweepCommand(o),
		helpCommand(o),
	}
}

// find returns the command of a name, or the name that was probably meant, or neither.
func find(all []Command, name string) (Command, string, bool) {
	for _, c := range all {
		if c.Name == name {
			return c, "", true
		}
	}
	var names []string
	for _, c := range all {
		names = append(names, c.Name)
	}
	return Command{}, nearest(name, names), false
}

// nearest returns the candidate that a mistyped word was probably meant to be, or "".
func nearest(word string, candidates []string) string {
	best, distance := "", len(word)/3+2
	for _, c := range slices.Sorted(slices.Values(candidates)) {
		if d := levenshtein.ComputeDistance(word, c); d < distance {
			best, distance = c, d
		}
	}
	return best
}
