package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"stuckbot/checks"
	"stuckbot/checks/kube"
	"stuckbot/checks/sweep"
)

type sweepFlags struct {
	config, output          string
	clusters, systems       []string
	failOn, labels          []string
	stuckOnly, decodeHeads  bool
	guarded                 bool
	timeout, clusterTimeout time.Duration
}

func newSweepCommand(p *program) *cobra.Command {
	var f sweepFlags
	c := &cobra.Command{
		Use:   "sweep",
		Short: "List what is stuck in Pending-Upgrade, and everything else that is not Active",
		Long: `Sweep looks at every delivery system of every cluster and lists what is not
Active: what is stuck in Pending-Upgrade first. It only reads. What could not be
read is listed too, and is never taken for healthy.

Without --config it looks at the cluster of kubectl's current context; --cluster
then names contexts.

Exit status: 0 done; 1 something is in a state of --fail-on (what is held on
purpose does not count); 2 could not run; 3 ran, but part could not be read.
1 beats 3.`,
		Example: `  stuckbot sweep
  stuckbot sweep --config stuckbot.yaml --label env=prod --fail-on Pending-Upgrade
  stuckbot sweep --config stuckbot.yaml --cluster prod-eu --system helm -o json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return p.sweep(c.Context(), f) },
	}
	flags := c.Flags()
	flags.StringVar(&f.config, "config", "", "configuration `file`; without it, kubectl's current context")
	flags.StringArrayVar(&f.clusters, "cluster", nil, "only this cluster, by `name`; may be repeated")
	flags.StringArrayVar(&f.systems, "system", nil, "only this system, by `name`; may be repeated")
	flags.StringArrayVar(&f.labels, "label", nil, "only clusters with this label, as `key=value`; may be repeated, all must match")
	flags.StringVarP(&f.output, "output", "o", "table", "output `format`: table or json")
	flags.StringArrayVar(&f.failOn, "fail-on", nil, "exit with 1 when something is in this `state`; may be repeated")
	flags.BoolVar(&f.stuckOnly, "stuck-only", false, "look only for what an operation holds, and count nothing: quicker in large clusters")
	flags.BoolVar(&f.decodeHeads, "decode-heads", false, "read each release's newest record: finds hand-edited labels, costs a read a release")
	flags.DurationVar(&f.timeout, "timeout", sweep.DefaultTimeout, "time for the whole sweep")
	flags.DurationVar(&f.clusterTimeout, "cluster-timeout", sweep.DefaultClusterTimeout, "time for one cluster")
	flags.BoolVar(&f.guarded, "guarded", false, "refuse kubeconfigs that the bot as a service refuses: login commands, skipped verification, files elsewhere")
	return c
}

func (p *program) sweep(ctx context.Context, f sweepFlags) error {
	asJSON, err := jsonWanted(f.output, "table")
	if err != nil {
		return err
	}
	failOn, err := f.states()
	if err != nil {
		return err
	}
	targets, options, err := p.plan(f)
	if err != nil {
		return err
	}
	line := startProgress(p.stderr, p.progress, p.screen.Width, p.printer.Progress)
	options.Progress = line.update
	result := sweep.Run(ctx, targets, options)
	line.stop()
	if asJSON {
		err = p.printer.SweepJSON(p.stdout, result)
	} else {
		err = p.printer.SweepTable(p.stdout, result, p.screen)
	}
	if err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return outcome(matches(result, failOn), result.Partial())
}

// plan turns flags and configuration into what is swept and how.
func (p *program) plan(f sweepFlags) ([]sweep.Target, sweep.Options, error) {
	var o sweep.Options
	if f.timeout <= 0 || f.clusterTimeout <= 0 {
		return nil, o, errors.New("--timeout and --cluster-timeout must be more than nothing")
	}
	labels, err := parseLabels(f.labels)
	if err != nil {
		return nil, o, err
	}
	c, err := p.configuration(f.config)
	if err != nil {
		return nil, o, err
	}
	if f.decodeHeads && c.Systems.Helm != nil {
		c.Systems.Helm.DecodeHeads = true
	}
	sources, err := p.sources(c, f.systems)
	if err != nil {
		return nil, o, err
	}
	clusters, err := p.clusters(c, selection{f.clusters, labels}, kube.Options{Guarded: f.guarded, Client: clientOptions(f.clusterTimeout)})
	if err != nil {
		return nil, o, err
	}
	o = sweep.Options{
		Sources: sources, Timeout: f.timeout, ClusterTimeout: min(f.clusterTimeout, f.timeout),
		Thresholds: c.thresholds(), StuckOnly: f.stuckOnly,
	}
	return targets(clusters), o, nil
}

// clientOptions lets a server that was given more time than usual be slower at every step, too: otherwise the limits of a
// single request would make the longer time worthless.
func clientOptions(clusterTimeout time.Duration) kube.ClientOptions {
	if clusterTimeout <= sweep.DefaultClusterTimeout {
		return kube.ClientOptions{}
	}
	return kube.ClientOptions{DialTimeout: clusterTimeout / 2, ResponseTimeout: clusterTimeout}
}

func targets(clusters []*kube.Cluster) []sweep.Target {
	var all []sweep.Target
	for _, c := range clusters {
		connect := func() (sweep.Conn, error) {
			client, err := c.Connect()
			if err != nil {
				return nil, err
			}
			return client, nil
		}
		all = append(all, sweep.Target{Name: c.Name, Labels: c.Labels, Namespaces: c.Namespaces, Connect: connect})
	}
	return all
}

// states reads --fail-on and refuses a state that --stuck-only does not look for.
func (f sweepFlags) states() (map[checks.State]bool, error) {
	states, err := parseStates(f.failOn)
	if err != nil {
		return nil, err
	}
	if f.stuckOnly && (states[checks.Failed] || states[checks.OutOfSync]) {
		return nil, errors.New("--stuck-only finds nothing that is Failed or Out-of-Sync: leave it out, or fail on Pending-Upgrade only")
	}
	return states, nil
}

func matches(r *sweep.Result, failOn map[checks.State]bool) bool {
	for _, o := range r.Observations {
		if failOn[o.State] && !o.Held {
			return true
		}
	}
	return false
}
