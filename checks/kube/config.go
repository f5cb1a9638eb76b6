package kube

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Config is one entry of the configuration's `clusters` list. Exactly one of Kubeconfig, KubeconfigDir and InCluster says
// where the clusters come from.
type Config struct {
	// Kubeconfig is a kubeconfig file; a relative path starts at the configuration file's folder.
	Kubeconfig string `yaml:"kubeconfig"`
	// KubeconfigDir is a folder of kubeconfig files, such as a mounted Secret. Hidden files are passed over.
	KubeconfigDir string `yaml:"kubeconfigDir"`
	// InCluster uses the service account of the pod that the program runs in.
	InCluster bool `yaml:"inCluster"`
	// Contexts names the contexts to use; empty means all of them.
	Contexts []string `yaml:"contexts"`
	// Name is the cluster's name where the entry yields exactly one.
	Name string `yaml:"name"`
	// Names maps a context to the name of its cluster, for contexts whose names are not DNS labels.
	Names map[string]string `yaml:"names"`
	// Labels are given to each cluster of the entry, for example env: prod.
	Labels map[string]string `yaml:"labels"`
	// Namespaces are read one by one where neither all namespaces nor their list may be read.
	Namespaces []string `yaml:"namespaces"`
	// AllowCommands names the exec plugins, as the kubeconfig spells their command, that a service may run.
	AllowCommands []string `yaml:"allowCommands"`
}

// Validate reports every mistake of the entry that can be found without reading a file.
func (c Config) Validate() error {
	var errs []error
	sources := 0
	for _, set := range []bool{c.Kubeconfig != "", c.KubeconfigDir != "", c.InCluster} {
		if set {
			sources++
		}
	}
	if sources != 1 {
		errs = append(errs, errors.New("give exactly one of kubeconfig, kubeconfigDir and inCluster"))
	}
	if c.InCluster && c.Name == "" {
		errs = append(errs, errors.New("inCluster needs a name: a cluster does not know its own"))
	}
	if c.InCluster && len(c.Contexts) > 0 {
		errs = append(errs, errors.New("inCluster has no contexts"))
	}
	if c.Name != "" && len(c.Contexts) > 1 {
		errs = append(errs, errors.New("name fits one context only: use names for several"))
	}
	if c.Name != "" {
		errs = append(errs, checkName(c.Name))
	}
	for context, name := range c.Names {
		if err := checkName(name); err != nil {
			errs = append(errs, fmt.Errorf("names: context %q: %w", context, err))
		}
	}
	for _, ns := range c.Namespaces {
		if msgs := validation.IsDNS1123Label(ns); len(msgs) > 0 {
			errs = append(errs, fmt.Errorf("namespaces: %q is no namespace: %s", ns, msgs[0]))
		}
	}
	return errors.Join(errs...)
}

func checkName(name string) error {
	if len(validation.IsDNS1123Label(name)) > 0 {
		return fmt.Errorf("%q cannot be a cluster's name: use lower-case letters, digits and '-', at most 63, for example %q",
			name, SuggestName(name))
	}
	return nil
}

var notLabel = regexp.MustCompile(`[^a-z0-9]+`)

// SuggestName makes a DNS label from a context's name. Of an ARN or a path it keeps the last part, which is what people
// call the cluster.
func SuggestName(context string) string {
	tail := context
	if i := strings.LastIndexAny(tail, "/"); i >= 0 && i < len(tail)-1 {
		tail = tail[i+1:]
	}
	name := strings.Trim(notLabel.ReplaceAllString(strings.ToLower(tail), "-"), "-")
	if len(name) > validation.DNS1123LabelMaxLength {
		name = strings.Trim(name[:validation.DNS1123LabelMaxLength], "-")
	}
	if name == "" {
		return "cluster"
	}
	return name
}
