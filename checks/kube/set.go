package kube

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// Set is the clusters that the configuration names. Its files are read again when they have changed, so that a rotated
// token or a new cluster needs no restart.
type Set struct {
	entries []Config
	options Options

	mu       sync.Mutex
	stamp    string
	clusters []*Cluster
}

// Options are common to all clusters of a Set.
type Options struct {
	// BaseDir is where relative paths start; empty means the working directory.
	BaseDir string
	// Guarded refuses kubeconfigs that run plugins, skip verification or read files outside their folder, as a service
	// that runs with other people's files must. A one-shot command takes them as kubectl does.
	Guarded bool
	Client  ClientOptions
}

// NewSet checks the entries and reads their files once. Its error names each mistake.
func NewSet(entries []Config, o Options) (*Set, error) {
	s := &Set{entries: entries, options: o}
	for i, e := range entries {
		if err := e.Validate(); err != nil {
			return nil, fmt.Errorf("clusters[%d]: %w", i, err)
		}
	}
	if _, err := s.Clusters(); err != nil {
		return nil, err
	}
	return s, nil
}

// Clusters returns the clusters, sorted by name. When a changed file cannot be read any more, it returns the last good
// clusters together with the error.
func (s *Set) Clusters() ([]*Cluster, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stamp, err := s.fingerprint()
	if err != nil {
		return s.clusters, err
	}
	if stamp == s.stamp {
		return s.clusters, nil
	}
	clusters, err := s.load()
	if err != nil {
		return s.clusters, err
	}
	s.clusters, s.stamp = clusters, stamp
	return clusters, nil
}

func (s *Set) load() ([]*Cluster, error) {
	var all []*Cluster
	var errs []error
	for i, e := range s.entries {
		found, err := s.loadEntry(e)
		if err != nil {
			errs = append(errs, fmt.Errorf("clusters[%d]: %w", i, err))
		}
		all = append(all, found...)
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	for i := 1; i < len(all); i++ {
		if all[i].Name == all[i-1].Name {
			errs = append(errs, fmt.Errorf("two clusters are called %q (%s and %s): give one of them another name with `names`",
				all[i].Name, all[i-1].Origin, all[i].Origin))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return all, nil
}

func (s *Set) loadEntry(e Config) ([]*Cluster, error) {
	if e.InCluster {
		config, err := rest.InClusterConfig()
		if err != nil {
			return nil, fmt.Errorf("inCluster: the service account of a pod is needed: %w", err)
		}
		return []*Cluster{s.cluster(e, e.Name, "the pod's service account", config, nil)}, nil
	}
	files, err := s.files(e)
	if err != nil {
		return nil, err
	}
	var all []*Cluster
	for _, file := range files {
		found, err := s.loadFile(e, file)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func (s *Set) loadFile(e Config, file string) ([]*Cluster, error) {
	config, err := clientcmd.LoadFromFile(file)
	if err != nil {
		return nil, fmt.Errorf("kubeconfig %s: %w", file, err)
	}
	// Relative paths in a kubeconfig start at its own folder, not at ours.
	if err := clientcmd.ResolveLocalPaths(config); err != nil {
		return nil, fmt.Errorf("kubeconfig %s: %w", file, err)
	}
	contexts := e.Contexts
	if len(contexts) == 0 {
		contexts = slices.Sorted(maps.Keys(config.Contexts))
	}
	if len(contexts) == 0 {
		return nil, fmt.Errorf("kubeconfig %s: it has no contexts", file)
	}
	if e.Name != "" && len(contexts) > 1 {
		return nil, fmt.Errorf("kubeconfig %s: name %q fits one context only and the file has %d: list one under contexts, or use names",
			file, e.Name, len(contexts))
	}
	var all []*Cluster
	for _, context := range contexts {
		if config.Contexts[context] == nil {
			return nil, fmt.Errorf("kubeconfig %s: no context %q; it has: %s", file, context,
				strings.Join(slices.Sorted(maps.Keys(config.Contexts)), ", "))
		}
		name, err := clusterName(e, context)
		if err != nil {
			return nil, fmt.Errorf("kubeconfig %s: %w", file, err)
		}
		all = append(all, s.fromContext(e, file, config, context, name))
	}
	return all, nil
}

func clusterName(e Config, context string) (string, error) {
	if name, ok := e.Names[context]; ok {
		return name, nil
	}
	if e.Name != "" {
		return e.Name, nil
	}
	if err := checkName(context); err != nil {
		return "", fmt.Errorf("context %q cannot be a cluster's name: add `names: {%q: %s}`", context, context, SuggestName(context))
	}
	return context, nil
}

func (s *Set) fromContext(e Config, file string, config *api.Config, context, name string) *Cluster {
	origin := fmt.Sprintf("context %s of %s", context, file)
	var refused error
	if s.options.Guarded {
		refused = guard(config, context, e.AllowCommands)
	}
	if refused != nil {
		return s.cluster(e, name, origin, nil, refused)
	}
	restConfig, err := clientcmd.NewNonInteractiveClientConfig(*config, context, nil, nil).ClientConfig()
	return s.cluster(e, name, origin, restConfig, err)
}

func (s *Set) cluster(e Config, name, origin string, config *rest.Config, err error) *Cluster {
	return &Cluster{Name: name, Origin: origin, Labels: e.Labels, Namespaces: e.Namespaces, config: config, refused: err, client: s.options.Client}
}

// files lists the kubeconfig files of an entry.
func (s *Set) files(e Config) ([]string, error) {
	if e.Kubeconfig != "" {
		return []string{s.path(e.Kubeconfig)}, nil
	}
	dir := s.path(e.KubeconfigDir)
	found, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("kubeconfigDir: %w", err)
	}
	var files []string
	for _, f := range found {
		path := filepath.Join(dir, f.Name())
		if strings.HasPrefix(f.Name(), ".") {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			files = append(files, path)
		}
	}
	return files, nil
}

func (s *Set) path(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(s.options.BaseDir, p)
}

// fingerprint changes when a file of the set does. A mounted Secret changes by swapping a link, which os.Stat follows.
func (s *Set) fingerprint() (string, error) {
	var b strings.Builder
	for i, e := range s.entries {
		if e.InCluster {
			fmt.Fprintf(&b, "in-cluster %d\n", i)
			continue
		}
		files, err := s.files(e)
		if err != nil {
			return "", fmt.Errorf("clusters[%d]: %w", i, err)
		}
		for _, file := range files {
			info, err := os.Stat(file)
			if err != nil {
				return "", fmt.Errorf("clusters[%d]: kubeconfig: %w", i, err)
			}
			fmt.Fprintf(&b, "%s %d %d\n", file, info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String(), nil
}

// Current returns the named contexts of the kubeconfig that kubectl would use, or its current context when none is named.
// A context whose name is no DNS label is given one.
func Current(contexts []string, o Options) ([]*Cluster, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	config, err := rules.Load()
	if err != nil {
		return nil, fmt.Errorf("kubeconfig: %w", err)
	}
	if len(contexts) == 0 {
		if config.CurrentContext == "" {
			return nil, errors.New("there is no current context: set one with `kubectl config use-context`, or give --config or --cluster")
		}
		contexts = []string{config.CurrentContext}
	}
	s := &Set{options: o}
	var all []*Cluster
	for _, context := range contexts {
		if config.Contexts[context] == nil {
			return nil, fmt.Errorf("no context %q in %s; it has: %s", context, strings.Join(rules.GetLoadingPrecedence(), ", "),
				strings.Join(slices.Sorted(maps.Keys(config.Contexts)), ", "))
		}
		name := context
		if checkName(context) != nil {
			name = SuggestName(context)
		}
		all = append(all, s.fromContext(Config{}, "the current kubeconfig", config, context, name))
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all, nil
}
