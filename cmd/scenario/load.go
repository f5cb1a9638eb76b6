package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/Masterminds/semver/v3"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
	"helm.sh/helm/v3/pkg/release"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// loader loads one scenario.
type loader struct {
	file       file
	kubeconfig string
	outDir     string
	silent     string

	mu  sync.Mutex
	out io.Writer
}

func loadCommand() *cobra.Command {
	var path string
	l := &loader{}
	c := &cobra.Command{
		Use:   "load",
		Short: "Load a scenario, and write the configuration that lets the bot read it",
		Long: `Load a scenario into the clusters of a kubeconfig, whose contexts have the clusters' names.

It leaves two files in the --out folder: kubeconfig, with an account per cluster that may only read, and stuckbot.yaml,
the bot's configuration for it.`,
		Example: "  scenario load --file testdata/scenarios/helm-releases.yaml --kubeconfig admin.kubeconfig --out demo",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			f, err := readFile(path)
			if err != nil {
				return err
			}
			l.file, l.out = f, c.ErrOrStderr()
			return l.load(c.Context())
		},
	}
	f := c.Flags()
	f.StringVar(&path, "file", "testdata/scenarios/helm-releases.yaml", "scenario file")
	f.StringVar(&l.kubeconfig, "kubeconfig", "", "kubeconfig of an administrator of the clusters")
	f.StringVar(&l.outDir, "out", "", "folder for the bot's kubeconfig and configuration")
	f.StringVar(&l.silent, "silent", "", "address of a server that accepts connections and never answers, for the scenario's silent cluster")
	return c
}

func (l *loader) load(ctx context.Context) error {
	if err := os.MkdirAll(l.outDir, 0o700); err != nil {
		return err
	}
	accounts := make([]account, len(l.file.Clusters))
	group, ctx := errgroup.WithContext(ctx)
	for i, c := range l.file.Clusters {
		group.Go(func() error {
			var err error
			accounts[i], err = l.loadCluster(ctx, c)
			if err != nil {
				return fmt.Errorf("cluster %s: %w", c.Name, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return l.writeConfig(accounts)
}

func (l *loader) loadCluster(ctx context.Context, c clusterSpec) (account, error) {
	raw, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		&clientcmd.ClientConfigLoadingRules{ExplicitPath: l.kubeconfig},
		&clientcmd.ConfigOverrides{CurrentContext: c.Name}).ClientConfig()
	if err != nil {
		return account{}, err
	}
	raw.QPS, raw.Burst = 100, 200
	client, err := kubernetes.NewForConfig(raw)
	if err != nil {
		return account{}, err
	}
	// Releases that take their time begin first.
	var group errgroup.Group
	group.SetLimit(3)
	for _, slow := range []bool{true, false} {
		for _, r := range c.Releases {
			if (r.Ends != endDeployed) != slow {
				continue
			}
			group.Go(func() error {
				if err := l.loadRelease(ctx, client, c.Name, r); err != nil {
					return fmt.Errorf("release %s/%s: %w", r.Namespace, r.Name, err)
				}
				return nil
			})
		}
	}
	if err := group.Wait(); err != nil {
		return account{}, err
	}
	a, err := grant(ctx, client, raw, c)
	l.say("%s: %d releases, and an account that may only read", c.Name, len(c.Releases))
	return a, err
}

func (l *loader) loadRelease(ctx context.Context, client kubernetes.Interface, cluster string, r releaseSpec) error {
	o := operation{
		Kubeconfig: l.kubeconfig, Context: cluster, Namespace: r.Namespace, Name: r.Name,
		Chart: r.Chart, Deployer: r.Deployer, Ready: true, Timeout: time.Minute,
	}
	good := r.Upgrades + 1
	if r.Ends == endKilled && r.Upgrades == 0 {
		good = 0
	}
	if r.Ends == endDeployed {
		good--
	}
	for i := range good {
		o.Version = earlier(r.Version, good-i)
		if err := o.run(ctx); err != nil {
			return err
		}
	}
	o.Version = r.Version
	switch r.Ends {
	case endDeployed:
		return o.run(ctx)
	case endFailed:
		o.Ready, o.Wait, o.Timeout = false, true, time.Second
		if err := o.run(ctx); err == nil {
			return errors.New("the operation that was meant to run into its timeout succeeded")
		}
		return nil
	}
	o.Ready, o.Wait, o.Timeout = false, true, 10*time.Minute
	if err := l.kill(ctx, client, o, good+1); err != nil {
		return err
	}
	if r.Ends == endRolledBack {
		return o.rollback(good)
	}
	return nil
}

// kill starts an operation in a process of its own and kills it once its record says that it is pending.
func (l *loader) kill(ctx context.Context, client kubernetes.Interface, o operation, revision int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var output strings.Builder
	p := exec.CommandContext(ctx, self, "deploy", "--kubeconfig", o.Kubeconfig, "--context", o.Context,
		"--namespace", o.Namespace, "--name", o.Name, "--chart", o.Chart, "--version", o.Version,
		"--deployer", o.Deployer, "--timeout", o.Timeout.String())
	p.Stdout, p.Stderr = &output, &output
	if err := p.Start(); err != nil {
		return err
	}
	exited := make(chan error, 1)
	go func() { exited <- p.Wait() }()
	record := fmt.Sprintf("sh.helm.release.v1.%s.v%d", o.Name, revision)
	for {
		select {
		case err := <-exited:
			return fmt.Errorf("the operation ended before it could be killed: %w: %s", err, output.String())
		case <-time.After(50 * time.Millisecond):
		}
		secret, err := client.CoreV1().Secrets(o.Namespace).Get(ctx, record, metav1.GetOptions{})
		if err != nil || !release.Status(secret.Labels["status"]).IsPending() {
			continue
		}
		// The workload shows that the operation is past its writes and waits.
		if d, err := client.AppsV1().Deployments(o.Namespace).Get(ctx, o.Name, metav1.GetOptions{}); err != nil ||
			d.Spec.Template.Annotations["version"] != o.Version {
			continue
		}
		l.say("%s: killing the process that deploys %s/%s %s", o.Context, o.Namespace, o.Name, o.Version)
		if err := p.Process.Kill(); err != nil {
			return err
		}
		<-exited //nolint:errcheck // it was killed
		return nil
	}
}

// earlier returns a plausible version n steps before v.
func earlier(v string, n int) string {
	parsed, err := semver.NewVersion(v)
	if err != nil {
		return v
	}
	if uint64(n) <= parsed.Minor() {
		return semver.New(parsed.Major(), parsed.Minor()-uint64(n), 0, "", "").String()
	}
	return semver.New(0, parsed.Major(), 9-uint64(n), "", "").String()
}

func (l *loader) say(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.out, format+"\n", args...)
}
