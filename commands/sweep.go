package commands

import (
	"context"
	"strings"
	"time"

	"stuckbot/bot"
	"stuckbot/checks/sweep"
)

// showEvery is the least time between two states of progress in the channel.
const showEvery = 2 * time.Second

// Sweeper sweeps clusters.
type Sweeper interface {
	// Clusters returns the names and labels of the clusters that can be swept.
	Clusters() ([]sweep.Cluster, error)
	// Sweep sweeps the clusters of these names. progress is called often, and never after Sweep has returned.
	Sweep(ctx context.Context, names []string, progress func(sweep.Progress)) (*sweep.Result, error)
}

// sweepCommand lists what is stuck.
func sweepCommand(o Options) Command {
	return Command{
		Name:     "sweep",
		Usage:    "[cluster|label=value …]",
		Examples: []string{"sweep", "sweep prod-eu", "sweep env=prod region=eu"},
		Run: func(ctx context.Context, r Request) (bot.Message, error) {
			names, err := selectClusters(o, r.Args)
			if err != nil {
				return bot.Message{}, err
			}
			if wait := o.Limits.Take(r.Event.User.ID, r.Event.Received); wait > 0 {
				return bot.Message{}, &Refusal{o.Printer.TooManySweeps(wait)}
			}
			asker := r.Event.User.ID
			if err := r.Show(o.Printer.SweepProgress(sweep.Progress{Total: len(names)}, asker)); err != nil {
				return bot.Message{}, err
			}
			shown := time.Now()
			result, err := o.Sweeper.Sweep(ctx, names, func(p sweep.Progress) {
				if time.Since(shown) < showEvery {
					return
				}
				shown = time.Now()
				// Progress that cannot be shown is no reason to give up the result, which will fail in the same way if it must.
				_ = r.Show(o.Printer.SweepProgress(p, asker))
			})
			if err != nil {
				return bot.Message{}, err
			}
			return o.Printer.SweepMessage(result, asker), nil
		},
	}
}

// selectClusters returns the clusters that the arguments name: those of any of the names, or with all of the labels; both
// together narrow each other. No arguments mean all clusters.
func selectClusters(o Options, args []string) ([]string, error) {
	clusters, err := o.Sweeper.Clusters()
	if err != nil {
		return nil, err
	}
	names, labels := map[string]bool{}, map[string]string{}
	for _, arg := range args {
		key, value, isLabel := strings.Cut(arg, "=")
		switch {
		case isLabel && (key == "" || value == ""):
			return nil, &Refusal{o.Printer.BadSelector(arg)}
		case isLabel:
			labels[key] = value
		case !known(clusters, arg):
			return nil, &Refusal{o.Printer.NoSuchCluster(arg, nearest(arg, clusterNames(clusters)))}
		default:
			names[arg] = true
		}
	}
	var selected []string
	for _, c := range clusters {
		if (len(names) == 0 || names[c.Name]) && hasLabels(c.Labels, labels) {
			selected = append(selected, c.Name)
		}
	}
	if len(selected) == 0 {
		return nil, &Refusal{o.Printer.NothingSelected(strings.Join(args, " "))}
	}
	return selected, nil
}

func known(clusters []sweep.Cluster, name string) bool {
	for _, c := range clusters {
		if c.Name == name {
			return true
		}
	}
	return false
}

func clusterNames(clusters []sweep.Cluster) []string {
	var names []string
	for _, c := range clusters {
		names = append(names, c.Name)
	}
	return names
}

func hasLabels(have, want map[string]string) bool {
	for key, value := range want {
		if have[key] != value {
			return false
		}
	}
	return true
}
