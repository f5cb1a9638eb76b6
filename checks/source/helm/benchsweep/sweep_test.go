package benchsweep

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"stuckbot/checks"
	"stuckbot/checks/kube"
	"stuckbot/checks/source/helm"
	"stuckbot/checks/sweep"
)

// BenchmarkFleetBesideHelm prints time and memory of finding the stuck releases among 10,000 records: Helm's own list, the
// bare requests, the source inside a running process, and the whole program.
func BenchmarkFleetBesideHelm(b *testing.B) {
	const cluster = "bench-a"
	config := restConfig(b, cluster)
	fill(b, config)
	env := []string{"HELM_KUBECONTEXT=" + cluster}
	for b.Loop() {
		helmList := best(3, func() cost { return run(b, env, os.Getenv("HELM_BIN"), "list", "-A", "--pending", "-m", "0", "-q") })
		if got := len(strings.Fields(helmList.output)); got != stuck {
			b.Fatalf("helm lists %d pending releases, want %d", got, stuck)
		}
		bareStuck := best(5, func() cost {
			return bare(b, config, "owner=helm,status in (pending-install,pending-upgrade,pending-rollback,uninstalling)")
		})
		bareAll := best(5, func() cost { return bare(b, config, "owner=helm") })
		client := connect(b, cluster)
		inStuck := best(5, func() cost { return observe(b, client, true) })
		inAll := best(5, func() cost { return observe(b, client, false) })
		bin := os.Getenv("STUCKBOT_BIN")
		whole := best(3, func() cost { return run(b, nil, bin, "sweep", "--cluster", cluster, "--stuck-only", "-o", "json") })
		full := best(3, func() cost { return run(b, nil, bin, "sweep", "--cluster", cluster, "-o", "json") })
		checkSweep(b, whole.output)
		checkSweep(b, full.output)

		row := func(what string, c cost) {
			memory, ratio := "", ""
			if c.peak > 0 {
				memory, ratio = fmt.Sprintf("%.0f MiB", c.peak), fmt.Sprintf(", %.0f × the memory", helmList.peak/c.peak)
			}
			fmt.Printf("%-52s %8.3f s %9s   helm takes %.0f × the time%s\n", what, c.took.Seconds(), memory, helmList.took.Seconds()/c.took.Seconds(), ratio)
		}
		fmt.Printf("\n%d records, %d stuck\n", releases*revisions, stuck)
		row("helm list -A --pending -m 0", helmList)
		row("bare requests: pending selector", bareStuck)
		row("in a running process: the stuck set", inStuck)
		row("stuckbot sweep --stuck-only, as a whole", whole)
		row("bare requests: metadata of all records", bareAll)
		row("in a running process: the stuck set and all counts", inAll)
		row("stuckbot sweep, as a whole", full)
		fmt.Printf("counts take %.2f × the bare requests for the same bytes\n\n", inAll.took.Seconds()/(bareAll.took+bareStuck.took).Seconds())
		b.ReportMetric(helmList.took.Seconds()/inStuck.took.Seconds(), "×helm-stuck-in-process")
		b.ReportMetric(helmList.took.Seconds()/whole.took.Seconds(), "×helm-whole")
		b.ReportMetric(helmList.peak/whole.peak, "×helm-memory")
		b.ReportMetric(inAll.took.Seconds()/(bareAll.took+bareStuck.took).Seconds(), "×bare-counts")
	}
}

// BenchmarkFleetOfContexts sweeps 1,000 contexts of the same few API servers.
func BenchmarkFleetOfContexts(b *testing.B) {
	path := kubeconfigOf(b, []string{"bench-b", "bench-c"}, 1000)
	config := filepath.Join(b.TempDir(), "stuckbot.yaml")
	if err := os.WriteFile(config, []byte("clusters: [{kubeconfig: "+path+"}]\nstorage: {path: stuckbot.db}\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		c := run(b, nil, os.Getenv("STUCKBOT_BIN"), "sweep", "--config", config, "-o", "json")
		var result struct {
			Clusters []struct {
				Reachable bool `json:"reachable"`
			} `json:"clusters"`
		}
		if err := json.Unmarshal([]byte(c.output), &result); err != nil {
			b.Fatal(err)
		}
		reached := 0
		for _, cluster := range result.Clusters {
			if cluster.Reachable {
				reached++
			}
		}
		if reached != 1000 {
			b.Fatalf("%d of 1,000 clusters were reached", reached)
		}
		fmt.Printf("stuckbot sweep of 1,000 contexts: %.1f s, %.0f MiB at most\n", c.took.Seconds(), c.peak)
		b.ReportMetric(c.peak, "peak-MiB")
	}
}

// accept is what the source's client asks for.
const accept = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"

// bare sends the requests of a metadata list again and throws the answers away undecoded. The first pass, which is not
// timed, learns the continue tokens.
func bare(b *testing.B, config *rest.Config, selector string) cost {
	b.Helper()
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		b.Fatal(err)
	}
	lister, err := metadata.NewForConfigAndClient(metadata.ConfigFor(config), client)
	if err != nil {
		b.Fatal(err)
	}
	var urls []string
	for _, resource := range []string{"secrets", "configmaps"} {
		o := metav1.ListOptions{LabelSelector: selector, Limit: 500}
		for {
			q := url.Values{"labelSelector": {selector}, "limit": {"500"}}
			if o.Continue != "" {
				q.Set("continue", o.Continue)
			}
			urls = append(urls, config.Host+"/api/v1/"+resource+"?"+q.Encode())
			page, err := lister.Resource(schema.GroupVersionResource{Version: "v1", Resource: resource}).List(b.Context(), o)
			if err != nil {
				b.Fatal(err)
			}
			if o.Continue = page.Continue; o.Continue == "" {
				break
			}
		}
	}
	begun := time.Now()
	for _, u := range urls {
		request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, u, nil)
		if err != nil {
			b.Fatal(err)
		}
		request.Header.Set("Accept", accept)
		response, err := client.Do(request)
		if err != nil {
			b.Fatal(err)
		}
		_, err = io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK {
			b.Fatalf("%s: %s, %v", u, response.Status, err)
		}
	}
	return cost{took: time.Since(begun)}
}

func connect(b *testing.B, cluster string) *kube.Client {
	b.Helper()
	clusters, err := kube.Current([]string{cluster}, kube.Options{})
	if err != nil {
		b.Fatal(err)
	}
	client, err := clusters[0].Connect()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(client.Close)
	return client
}

// observe runs the source once. Its memory is what the run allocated and kept at its peak, sampled.
func observe(b *testing.B, client *kube.Client, stuckOnly bool) cost {
	b.Helper()
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	ctx, cancel := context.WithCancel(b.Context())
	peak := samplePeak(ctx)
	var mu sync.Mutex
	found := 0
	begun := time.Now()
	unreadable := helm.New(helm.Config{}).Observe(b.Context(), sweep.Scope{Cluster: "c", StuckOnly: stuckOnly}, client, func(o checks.Observation) {
		mu.Lock()
		defer mu.Unlock()
		if checks.Judge(o, checks.Thresholds{}, time.Now()).State == checks.PendingUpgrade {
			found++
		}
	})
	took := time.Since(begun)
	cancel()
	if found != stuck || len(unreadable) > 0 {
		b.Fatalf("found %d, unreadable %v", found, unreadable)
	}
	return cost{took: took, peak: (float64(<-peak) - float64(before.HeapAlloc)) / (1 << 20)}
}

func samplePeak(ctx context.Context) <-chan uint64 {
	result := make(chan uint64, 1)
	go func() {
		var peak uint64
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
			select {
			case <-ctx.Done():
				result <- peak
				return
			case <-tick.C:
			}
		}
	}()
	return result
}

func checkSweep(b *testing.B, output string) {
	b.Helper()
	var result struct {
		Observations []struct{ State string } `json:"observations"`
	}
	if err := json.Unmarshal([]byte(output), &result); err != nil {
		b.Fatal(err)
	}
	// The records are seconds old: an operation may be alive.
	if len(result.Observations) != stuck {
		b.Fatalf("the sweep lists %d releases, want %d", len(result.Observations), stuck)
	}
}
