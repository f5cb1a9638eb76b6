package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"stuckbot/checks"
	"stuckbot/checks/kube"
	"stuckbot/checks/source/helm"
	"stuckbot/checks/sweep"
)

// selection says which clusters a command is about.
type selection struct {
	names  []string
	labels map[string]string
}

// clusters returns the selected clusters of the configuration, or without one those of the current kubeconfig.
func (p *program) clusters(c *config, want selection, o kube.Options) ([]*kube.Cluster, error) {
	o.Client.UserAgent = "stuckbot/" + buildVersion().Version
	if c.file == "" {
		found, err := kube.Current(want.names, o)
		if err != nil {
			return nil, err
		}
		return want.byLabel(found)
	}
	o.BaseDir = c.dir()
	set, err := kube.NewSet(c.Clusters, o)
	if err != nil {
		return nil, inFile(c.file, err)
	}
	found, err := set.Clusters()
	if err != nil {
		return nil, inFile(c.file, err)
	}
	if found, err = want.byName(found); err != nil {
		return nil, err
	}
	return want.byLabel(found)
}

// fileError is a mistake in what a configuration says that shows only when its kubeconfigs are read.
type fileError struct {
	file string
	err  error
}

func inFile(file string, err error) error { return &fileError{file, err} }

// Error puts the configuration's name before each line.
func (e *fileError) Error() string {
	return e.file + ": " + strings.ReplaceAll(e.err.Error(), "\n", "\n"+e.file+": ")
}

// Unwrap returns what the kubeconfigs' reader said.
func (e *fileError) Unwrap() error { return e.err }

func (s selection) byName(found []*kube.Cluster) ([]*kube.Cluster, error) {
	if len(s.names) == 0 {
		return found, nil
	}
	var known []string
	for _, c := range found {
		known = append(known, c.Name)
	}
	for _, name := range s.names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("--cluster %q is not configured%s", name, meant(name, known))
		}
	}
	return slices.DeleteFunc(slices.Clone(found), func(c *kube.Cluster) bool { return !slices.Contains(s.names, c.Name) }), nil
}

func (s selection) byLabel(found []*kube.Cluster) ([]*kube.Cluster, error) {
	kept := slices.DeleteFunc(slices.Clone(found), func(c *kube.Cluster) bool {
		for key, value := range s.labels {
			if c.Labels[key] != value {
				return true
			}
		}
		return false
	})
	if len(kept) == 0 && len(found) > 0 {
		return nil, fmt.Errorf("--label: no cluster has %s: labels are given under clusters in the configuration", formatLabels(s.labels))
	}
	return kept, nil
}

func formatLabels(labels map[string]string) string {
	var texts []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		texts = append(texts, key+"="+labels[key])
	}
	return strings.Join(texts, " and ")
}

// sources returns the sources of the systems that are configured and wanted; none wanted means all.
func (p *program) sources(c *config, wanted []string) ([]sweep.Source, error) {
	all := map[checks.System]func() sweep.Source{}
	if c.Systems.Helm != nil {
		all[checks.SystemHelm] = func() sweep.Source { return helm.New(*c.Systems.Helm) }
	}
	var known []string
	for _, system := range slices.Sorted(maps.Keys(all)) {
		known = append(known, string(system))
	}
	if c.Systems.Fleet != nil && len(wanted) == 0 {
		p.log.Warn().Msg("fleet is configured, and this version cannot read it yet: nothing is known about it")
	}
	if len(wanted) == 0 {
		wanted = known
	}
	var sources []sweep.Source
	for _, system := range slices.Compact(slices.Sorted(slices.Values(wanted))) {
		source, ok := all[checks.System(system)]
		if !ok {
			return nil, fmt.Errorf("--system %q is not configured, or not known to this version%s", system, meant(system, known))
		}
		sources = append(sources, source())
	}
	if len(sources) == 0 {
		return nil, errors.New("no system is configured that this version can read: add helm: {} under systems")
	}
	return sources, nil
}

// thresholds returns the waiting times of all systems.
func (c *config) thresholds() checks.Thresholds {
	var t checks.Thresholds
	if c.Systems.Helm != nil {
		t.Helm.StuckAfter = c.Systems.Helm.StuckAfter
	}
	return t
}
