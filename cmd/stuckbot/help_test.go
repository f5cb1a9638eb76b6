package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"stuckbot/commands/present/presenttest"
)

// Every command says what it is for, how it is used and shows an example; every flag says what it does.
func TestEveryCommandHasHelpGolden(t *testing.T) {
	root := newRootCommand(newProgram(nil, nil, nil, lookupIn(nil)))
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		path := c.CommandPath()
		switch {
		case c.Short == "" || strings.HasSuffix(c.Short, "."):
			t.Errorf("%s: the short description is missing or ends with a full stop: %q", path, c.Short)
		case c.Long == "" || !strings.HasSuffix(c.Long, "."):
			t.Errorf("%s: the description is missing or no sentence", path)
		case !strings.Contains(c.Example, "stuckbot"):
			t.Errorf("%s: there is no example", path)
		case c.Args == nil && c.HasParent():
			t.Errorf("%s: it takes any arguments", path)
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%s: --%s has no description", path, f.Name)
			}
		})
		r := execute(t, nil, append(strings.Fields(path)[1:], "--help")...)
		if r.code != exitDone || r.stderr != "" {
			t.Errorf("%s --help: %+v", path, r)
		}
		presenttest.Golden(t, "help/"+strings.ReplaceAll(path, " ", "-")+".txt", r.stdout)
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(root)
}

// An example that the program itself would refuse is worse than none.
func TestExamplesParse(t *testing.T) {
	root := newRootCommand(newProgram(nil, nil, nil, lookupIn(nil)))
	for _, c := range append(root.Commands(), root) {
		for _, line := range strings.Split(c.Example, "\n") {
			command, _, _ := strings.Cut(strings.TrimSpace(line), "   ")
			found, rest, err := root.Find(strings.Fields(command)[1:])
			if err != nil {
				t.Errorf("%s: %v", line, err)
				continue
			}
			if err := found.ParseFlags(rest); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
}
