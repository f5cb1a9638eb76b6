package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"stuckbot/checks"
	"stuckbot/checks/kube"
	"stuckbot/checks/sweep"
	"stuckbot/cmd/stuckbot/internal/strict"
	"stuckbot/commands/present"
)

type checkFlags struct {
	config, output string
	clusters       []string
	guarded        bool
	clusterTimeout time.Duration
}

func newCheckCommand(p *program) *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:   "check",
		Short: "Say what cannot be reached, which permission is missing, and what is wrong in the configuration",
		Long: `Check tries what the bot will do, without writing anything: it reads the
configuration, reaches each cluster, compares the clocks, asks for each
permission that the systems need and prints the RBAC rule for those that are
missing, and looks whether the storage can be written.

With --config, kubeconfigs are judged as the bot judges them when it runs as a
service (--guarded). Without it, the cluster of kubectl's current context is
checked, and --cluster names contexts.

Exit status: 0 all is well; 1 a check failed; 2 could not run.`,
		Example: `  stuckbot check --config stuckbot.yaml
  stuckbot check --config stuckbot.yaml --cluster prod-eu -o json
  stuckbot check`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			// A kubeconfig of one's own is taken as kubectl takes it, unless the flag was given.
			f.guarded = f.guarded && (f.config != "" || c.Flags().Changed("guarded"))
			return p.check(c.Context(), f)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.config, "config", "", "configuration `file`; without it, kubectl's current context")
	flags.StringArrayVar(&f.clusters, "cluster", nil, "only this cluster, by `name`; may be repeated")
	flags.StringVarP(&f.output, "output", "o", "table", "output `format`: table or json")
	flags.DurationVar(&f.clusterTimeout, "cluster-timeout", sweep.DefaultClusterTimeout, "time for one cluster")
	flags.BoolVar(&f.guarded, "guarded", true, "refuse kubeconfigs that the bot as a service refuses: login commands, skipped verification, files elsewhere")
	return c
}

func (p *program) check(ctx context.Context, f checkFlags) error {
	asJSON, err := jsonWanted(f.output, "table")
	if err != nil {
		return err
	}
	if f.clusterTimeout <= 0 {
		return errors.New("--cluster-timeout must be more than nothing")
	}
	result, err := p.examine(ctx, f)
	if err != nil {
		return err
	}
	if asJSON {
		err = p.printer.CheckJSON(p.stdout, result)
	} else {
		err = p.printer.CheckTable(p.stdout, result, p.screen)
	}
	if err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return outcome(result.Failed() > 0, false)
}

// examine runs all checks. A mistake in the configuration's content is a finding; a file that cannot be read is an error.
func (p *program) examine(ctx context.Context, f checkFlags) (*present.Check, error) {
	result := &present.Check{At: time.Now().UTC(), File: f.config}
	c, err := p.configuration(f.config)
	if problems := contentProblems(err); len(problems) > 0 {
		result.Problems = problems
		return result, nil
	}
	if err != nil {
		return nil, err
	}
	if c.file != "" {
		result.Storage = c.path(c.Storage.Path)
		result.StorageProblem = storageProblem(result.Storage)
	}
	result.Readable = readableByOthers(c)
	if result.Chat, err = p.checkChat(ctx, c); err != nil {
		return nil, err
	}
	sources, err := p.sources(c, nil)
	if err != nil {
		return nil, err
	}
	clusters, err := p.clusters(c, selection{names: f.clusters}, kube.Options{Guarded: f.guarded, Client: clientOptions(f.clusterTimeout)})
	if problems := contentProblems(err); len(problems) > 0 {
		result.Problems = problems
		return result, nil
	}
	if err != nil {
		return nil, err
	}
	if len(f.clusters) == 0 {
		result.Problems = hubProblem(c, clusters)
	}
	result.Clusters = checkClusters(ctx, clusters, permissions(sources), f.clusterTimeout)
	return result, nil
}

// contentProblems returns the mistakes in a configuration's content that an error tells of, a line each.
func contentProblems(err error) []string {
	var one *strict.Error
	var many strict.Errors
	var file *fileError
	if errors.As(err, &one) || errors.As(err, &many) || errors.As(err, &file) {
		return strings.Split(err.Error(), "\n")
	}
	return nil
}

// hubProblem reports a Fleet hub that is none of the clusters.
func hubProblem(c *config, clusters []*kube.Cluster) []string {
	if c.Systems.Fleet == nil {
		return nil
	}
	var known []string
	for _, cluster := range clusters {
		known = append(known, cluster.Name)
	}
	if slices.Contains(known, c.Systems.Fleet.Hub) {
		return nil
	}
	return []string{fmt.Sprintf("%s: systems.fleet.hub: no cluster is called %q%s", c.file, c.Systems.Fleet.Hub, meant(c.Systems.Fleet.Hub, known))}
}

// permissions returns what the sources need, each once.
func permissions(sources []sweep.Source) []checks.Permission {
	var all []checks.Permission
	for _, source := range sources {
		for _, permission := range source.Permissions() {
			if !slices.Contains(all, permission) {
				all = append(all, permission)
			}
		}
	}
	return all
}
