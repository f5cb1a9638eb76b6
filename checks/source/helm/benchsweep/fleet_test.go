package benchsweep

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"stuckbot/checks"
	"stuckbot/checks/source/helm/helmtest"
)

const (
	releases  = 1000
	revisions = 10
	stuck     = 5
	// recordBytes is the size of one record's payload, about that of a middling chart.
	recordBytes = 20_000
	namespaces  = 20
)

// restConfig reads one context of the running kubebox's kubeconfig.
func restConfig(b *testing.B, context string) *rest.Config {
	b.Helper()
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(clientcmd.NewDefaultClientConfigLoadingRules(),
		&clientcmd.ConfigOverrides{CurrentContext: context}).ClientConfig()
	if err != nil {
		b.Fatal(err)
	}
	config.QPS = -1
	return config
}

// fill writes the records: releases × revisions, of which a few heads are pending.
func fill(b *testing.B, config *rest.Config) {
	b.Helper()
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		b.Fatal(err)
	}
	resource := func(name string) schema.GroupVersionResource {
		return schema.GroupVersionResource{Version: "v1", Resource: name}
	}
	for i := range namespaces {
		ns := helmtest.Record{Name: "x"}.Object()
		ns.Object = map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": fmt.Sprintf("team-%d", i)}}
		if _, err := client.Resource(resource("namespaces")).Create(b.Context(), ns, metav1.CreateOptions{}); err != nil {
			b.Fatal(err)
		}
	}
	var group errgroup.Group
	group.SetLimit(16)
	begun := time.Now()
	for i := range releases {
		group.Go(func() error {
			for v := 1; v <= revisions; v++ {
				status := checks.HelmSuperseded
				switch {
				case v == revisions && i < stuck:
					status = checks.HelmPendingUpgrade
				case v == revisions, v == revisions-1 && i < stuck:
					status = checks.HelmDeployed
				}
				record := helmtest.Record{Namespace: fmt.Sprintf("team-%d", i%namespaces), Name: fmt.Sprintf("release-%d", i),
					Version: v, Status: status, Padding: recordBytes * 3 / 4}
				_, err := client.Resource(resource("secrets")).Namespace(record.Namespace).Create(context.Background(), record.Object(), metav1.CreateOptions{})
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
	fmt.Printf("wrote %d records of about %d bytes in %.0f s\n", releases*revisions, recordBytes, time.Since(begun).Seconds())
}

// cost is what a child process took.
type cost struct {
	took time.Duration
	// peak is the largest resident size in MiB.
	peak   float64
	output string
}

func run(b *testing.B, env []string, name string, args ...string) cost {
	b.Helper()
	c := exec.CommandContext(b.Context(), name, args...)
	c.Env = append(os.Environ(), env...)
	var out, errs strings.Builder
	c.Stdout, c.Stderr = &out, &errs
	begun := time.Now()
	err := c.Run()
	took := time.Since(begun)
	if err != nil {
		b.Fatalf("%s %v: %v\n%s", name, args, err, errs.String())
	}
	usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		b.Fatal("no resource usage on this system")
	}
	return cost{took, float64(usage.Maxrss) / 1024, out.String()}
}

// best runs a few times and keeps the fastest run and the largest memory.
func best(n int, measure func() cost) cost {
	result := measure()
	for range n - 1 {
		next := measure()
		if next.took < result.took {
			result.took = next.took
		}
		result.peak = max(result.peak, next.peak)
	}
	return result
}

// kubeconfigOf copies one context many times under other names.
func kubeconfigOf(b *testing.B, contexts []string, copies int) string {
	b.Helper()
	config, err := clientcmd.NewDefaultClientConfigLoadingRules().Load()
	if err != nil {
		b.Fatal(err)
	}
	out := api.NewConfig()
	for i := range copies {
		context := contexts[i%len(contexts)]
		from := config.Contexts[context]
		name := fmt.Sprintf("%s-%04d", context, i)
		out.Clusters[context], out.AuthInfos[context] = config.Clusters[from.Cluster], config.AuthInfos[from.AuthInfo]
		out.Contexts[name] = &api.Context{Cluster: context, AuthInfo: context}
	}
	path := filepath.Join(b.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*out, path); err != nil {
		b.Fatal(err)
	}
	return path
}
