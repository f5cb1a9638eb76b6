package sweep

import (
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"stuckbot/checks"
)

// Defaults of Options.
const (
	DefaultConcurrency    = 16
	DefaultClusterTimeout = 30 * time.Second
	DefaultTimeout        = 5 * time.Minute
	// MaxObservations bounds what one cluster may add to a result. What is over it is counted and said.
	MaxObservations = 5000
)

// Conn is an open connection to a cluster.
type Conn interface {
	checks.Reader
	Close()
}

// Target is a cluster to ask.
type Target struct {
	Name   string
	Labels map[string]string
	// Namespaces are read one by one where neither all namespaces nor their list may be read.
	Namespaces []string
	// Connect opens a connection; its error is a *checks.Failure.
	Connect func() (Conn, error)
}

// Scope tells a source what to read.
type Scope struct {
	// Cluster is the name that observations carry.
	Cluster    string
	Namespaces []string
	// StuckOnly leaves out what is only counted.
	StuckOnly bool
}

// Source reads one system. It reads and does not judge.
type Source interface {
	System() checks.System
	// Permissions lists what Observe needs to be allowed to do.
	Permissions() []checks.Permission
	// Observe calls emit for each subject, what is stuck first, and returns what it could not read. Observe may call emit
	// from several goroutines.
	Observe(ctx context.Context, scope Scope, r checks.Reader, emit func(checks.Observation)) []checks.Unreadable
}

// Options say how to sweep.
type Options struct {
	Sources []Source
	// Concurrency is the number of clusters that are read at the same time.
	Concurrency int
	// ClusterTimeout bounds one cluster, Timeout the whole sweep. What was read until then is kept.
	ClusterTimeout, Timeout time.Duration
	Thresholds              checks.Thresholds
	// StuckOnly finds what is stuck and counts nothing.
	StuckOnly bool
	// Progress, if set, is called after each cluster and each stuck subject, never concurrently. It must not block.
	Progress func(Progress)
}

// Progress is how far a sweep has come.
type Progress struct {
	// Done of Total clusters are read.
	Done, Total int
	// Stuck subjects were found so far.
	Stuck int
	// Waiting names the clusters that are being read, sorted.
	Waiting []string
}

// Run sweeps the targets. It never fails as a whole: what could not be read is part of the result. When ctx ends, the
// result holds what was read and names the rest as not reached.
func Run(ctx context.Context, targets []Target, o Options) *Result {
	o = o.withDefaults()
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	begun := time.Now()
	tally := &tally{progress: o.Progress, total: len(targets)}
	parts := make([]part, len(targets))
	var group errgroup.Group
	group.SetLimit(o.Concurrency)
	for i, target := range targets {
		group.Go(func() error {
			tally.begin(target.Name)
			parts[i] = sweepCluster(ctx, target, o, tally)
			tally.end(target.Name)
			return nil
		})
	}
	_ = group.Wait() // the goroutines return no errors
	return merge(begun.UTC(), time.Since(begun), parts)
}

func (o Options) withDefaults() Options {
	if o.Concurrency <= 0 {
		o.Concurrency = DefaultConcurrency
	}
	if o.ClusterTimeout <= 0 {
		o.ClusterTimeout = DefaultClusterTimeout
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	return o
}

func merge(at time.Time, took time.Duration, parts []part) *Result {
	r := &Result{At: at, Took: took}
	for _, p := range parts {
		r.Clusters = append(r.Clusters, p.cluster)
		r.Observations = append(r.Observations, p.observations...)
		r.Unreadable = append(r.Unreadable, p.unreadable...)
	}
	slices.SortStableFunc(r.Clusters, func(a, b Cluster) int { return compareStrings(a.Name, b.Name) })
	slices.SortStableFunc(r.Observations, checks.Observation.Compare)
	slices.SortStableFunc(r.Unreadable, checks.Unreadable.Compare)
	return r
}

func compareStrings(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	default:
		return 0
	}
}

// tally keeps the numbers that Progress reports.
type tally struct {
	progress func(Progress)
	total    int

	mu      sync.Mutex
	done    int
	stuck   int
	waiting []string
}

func (t *tally) begin(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at, _ := slices.BinarySearch(t.waiting, name)
	t.waiting = slices.Insert(t.waiting, at, name)
	t.report()
}

func (t *tally) end(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at, found := slices.BinarySearch(t.waiting, name); found {
		t.waiting = slices.Delete(t.waiting, at, at+1)
	}
	t.done++
	t.report()
}

func (t *tally) found() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stuck++
	t.report()
}

func (t *tally) report() {
	if t.progress != nil {
		t.progress(Progress{Done: t.done, Total: t.total, Stuck: t.stuck, Waiting: slices.Clone(t.waiting)})
	}
}
