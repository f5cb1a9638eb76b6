package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"stuckbot/checks/sweep"
)

type demoFlags struct {
	scenario, kubebox, loader string
}

func newDemoCommand(p *program) *cobra.Command {
	var f demoFlags
	c := &cobra.Command{
		Use:   "demo",
		Short: "Show the main job on real Kubernetes control planes on this machine",
		Long: `Demo starts real Kubernetes control planes on this machine, has the real Helm leave some releases stuck in them, and shows
what a sweep finds. It takes about half a minute, and leaves nothing behind.

It needs the programs kubebox and scenario beside this one, as "make demo" builds them.`,
		Example: "  stuckbot demo",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return p.demo(c.Context(), f) },
	}
	flags := c.Flags()
	flags.StringVar(&f.scenario, "scenario", "", "scenario `file`; without it, testdata/scenarios/helm-releases.yaml beside the program's folder")
	flags.StringVar(&f.kubebox, "kubebox", "", "kubebox `program`; without it, the one beside this program")
	flags.StringVar(&f.loader, "loader", "", "scenario `program`; without it, the one beside this program")
	return c
}

func (p *program) demo(ctx context.Context, f demoFlags) (err error) {
	begun := time.Now()
	world, err := startWorld(ctx, f, p.stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, world.stop()) }()
	p.say("")
	p.say("Ready after %d s. This is what the bot finds; it may only read:", int(time.Since(begun).Seconds()))
	p.say("  stuckbot sweep --config stuckbot.yaml")
	p.say("")
	err = p.sweep(ctx, sweepFlags{config: world.config, output: "table", timeout: sweep.DefaultTimeout, clusterTimeout: sweep.DefaultClusterTimeout})
	var s status
	if errors.As(err, &s) {
		return nil // a cluster that does not answer is part of the demo
	}
	return err
}

// say writes a line for the person who watches.
func (p *program) say(format string, args ...any) { fmt.Fprintf(p.stderr, format+"\n", args...) }
