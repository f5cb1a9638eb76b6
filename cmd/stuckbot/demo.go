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
	listen                    string
	table                     bool
}

func newDemoCommand(p *program) *cobra.Command {
	var f demoFlags
	c := &cobra.Command{
		Use:   "demo",
		Short: "Show the main job on this machine: real control planes, a local workspace, the bot in it",
		Long: `Demo starts real Kubernetes control planes on this machine, has the real Helm leave some releases stuck in them, starts a
local Slack workspace, and runs the unchanged bot in it. It ends with an address to open in a browser, where you can act as any of
several people. It takes about half a minute to start, and leaves nothing behind when it is interrupted.

It needs the programs kubebox and scenario beside this one, as "make demo" builds them.`,
		Example: `  stuckbot demo
  stuckbot demo --table    only the sweep, as a table, and end`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return p.demo(c.Context(), f) },
	}
	flags := c.Flags()
	flags.StringVar(&f.scenario, "scenario", "", "scenario `file`; without it, testdata/scenarios/helm-releases.yaml beside the program's folder")
	flags.StringVar(&f.kubebox, "kubebox", "", "kubebox `program`; without it, the one beside this program")
	flags.StringVar(&f.loader, "loader", "", "scenario `program`; without it, the one beside this program")
	flags.StringVar(&f.listen, "listen", "127.0.0.1:7080", "`address` of the workspace's page; it must be on this machine")
	flags.BoolVar(&f.table, "table", false, "show the sweep as a table and end: no workspace, no bot")
	return c
}

func (p *program) demo(ctx context.Context, f demoFlags) (err error) {
	begun := time.Now()
	world, err := startWorld(ctx, f, p.stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, world.stop()) }()
	if f.table {
		return p.demoTable(ctx, world, begun)
	}
	chat, err := startWorkspace(f.listen)
	if err != nil {
		return err
	}
	defer chat.stop()
	if err := chat.configure(world.config); err != nil {
		return err
	}
	c, err := p.configuration(world.config)
	if err != nil {
		return err
	}
	bot, err := p.newApplication(c, false)
	if err != nil {
		return err
	}
	defer bot.close()
	go func() {
		if !bot.awaitReady(ctx) {
			return
		}
		p.say("")
		p.say("Ready after %d s. Stuckbot is in #releases of a local workspace; type /stuck sweep there. Ctrl-C ends everything.", int(time.Since(begun).Seconds()))
		p.say("")
		p.say("Open %s", chat.address)
	}()
	return bot.run(ctx)
}

func (p *program) demoTable(ctx context.Context, world *world, begun time.Time) error {
	p.say("")
	p.say("Ready after %d s. This is what the bot finds; it may only read:", int(time.Since(begun).Seconds()))
	p.say("  stuckbot sweep --config stuckbot.yaml")
	p.say("")
	err := p.sweep(ctx, sweepFlags{config: world.config, output: "table", timeout: sweep.DefaultTimeout, clusterTimeout: sweep.DefaultClusterTimeout})
	if s := status(0); errors.As(err, &s) {
		return nil // a cluster that does not answer is part of the demo
	}
	return err
}

// say writes a line for the person who watches.
func (p *program) say(format string, args ...any) { fmt.Fprintf(p.stderr, format+"\n", args...) }
