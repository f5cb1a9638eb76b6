package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/cli"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"
)

// template is the manifest of every release. The API servers of the demo have no scheduler: a pod with a node becomes
// ready, one without stays Pending for ever.
const template = `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-settings
data:
  version: {{ .Chart.Version | quote }}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
  labels: {app.kubernetes.io/name: {{ .Release.Name }}}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app.kubernetes.io/name: {{ .Release.Name }}}}
  template:
    metadata:
      labels: {app.kubernetes.io/name: {{ .Release.Name }}}
      annotations: {version: {{ .Chart.Version | quote }}}
    spec:
      {{- if .Values.ready }}
      nodeName: node-1
      {{- end }}
      containers:
      - {name: app, image: "registry.invalid/{{ .Release.Name }}:{{ .Chart.Version }}"}
`

// operation is one run of Helm.
type operation struct {
	Kubeconfig, Context string
	Namespace, Name     string
	Chart, Version      string
	// Deployer is the user agent; empty is Helm's own, as its command line sends it.
	Deployer string
	// Ready says whether the workload can become ready.
	Ready bool
	Wait  bool
	// Timeout bounds the wait.
	Timeout time.Duration
}

func (o operation) run(ctx context.Context) error {
	config, err := o.config()
	if err != nil {
		return err
	}
	values := map[string]any{"ready": o.Ready, "replicas": 2}
	if history, err := config.Releases.History(o.Name); err == nil && len(history) > 0 {
		upgrade := action.NewUpgrade(config)
		upgrade.Namespace, upgrade.Wait, upgrade.Timeout = o.Namespace, o.Wait, o.Timeout
		_, err := upgrade.RunWithContext(ctx, o.Name, o.chart(), values)
		return err
	}
	install := action.NewInstall(config)
	install.ReleaseName, install.Namespace, install.CreateNamespace = o.Name, o.Namespace, true
	install.Wait, install.Timeout = o.Wait, o.Timeout
	_, err = install.RunWithContext(ctx, o.chart(), values)
	return err
}

func (o operation) rollback(version int) error {
	config, err := o.config()
	if err != nil {
		return err
	}
	rollback := action.NewRollback(config)
	rollback.Version, rollback.Wait, rollback.Timeout = version, true, o.Timeout
	return rollback.Run(o.Name)
}

func (o operation) config() (*action.Configuration, error) {
	settings := cli.New()
	settings.KubeConfig, settings.KubeContext = o.Kubeconfig, o.Context
	settings.SetNamespace(o.Namespace)
	flags, ok := settings.RESTClientGetter().(*genericclioptions.ConfigFlags)
	if !ok {
		return nil, fmt.Errorf("helm's client settings are a %T", settings.RESTClientGetter())
	}
	if o.Deployer != "" {
		inner := flags.WrapConfigFn
		flags.WrapConfigFn = func(c *rest.Config) *rest.Config {
			if inner != nil {
				c = inner(c)
			}
			c.UserAgent = o.Deployer + "/v1"
			return c
		}
	}
	config := new(action.Configuration)
	return config, config.Init(flags, o.Namespace, "secret", func(string, ...any) {})
}

func (o operation) chart() *chart.Chart {
	return &chart.Chart{
		Metadata:  &chart.Metadata{APIVersion: chart.APIVersionV2, Name: o.Chart, Version: o.Version, AppVersion: o.Version},
		Templates: []*chart.File{{Name: "templates/all.yaml", Data: []byte(template)}},
	}
}

// deployCommand runs one operation in this process, which its parent may kill.
func deployCommand() *cobra.Command {
	var o operation
	c := &cobra.Command{
		Use:     "deploy",
		Short:   "Install or upgrade one release and wait for it; made to be killed",
		Example: "  scenario deploy --kubeconfig FILE --context prod-eu --namespace shop --name payments --chart payments --version 2.14.0",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	f := c.Flags()
	f.StringVar(&o.Kubeconfig, "kubeconfig", "", "kubeconfig of an administrator")
	f.StringVar(&o.Context, "context", "", "context in it")
	f.StringVar(&o.Namespace, "namespace", "", "namespace of the release")
	f.StringVar(&o.Name, "name", "", "name of the release")
	f.StringVar(&o.Chart, "chart", "", "name of the chart")
	f.StringVar(&o.Version, "version", "", "version of the chart")
	f.StringVar(&o.Deployer, "deployer", "", "user agent to deploy as")
	f.BoolVar(&o.Ready, "ready", false, "let the workload become ready")
	f.BoolVar(&o.Wait, "wait", true, "wait for the workload")
	f.DurationVar(&o.Timeout, "timeout", 5*time.Minute, "how long to wait")
	return c
}
