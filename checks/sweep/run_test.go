package sweep_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"stuckbot/checks"
	"stuckbot/checks/checkstest"
	"stuckbot/checks/sweep"
)

// source emits what the reader's cluster name stands for.
type source struct {
	observe func(ctx context.Context, scope sweep.Scope, emit func(checks.Observation)) []checks.Unreadable
}

func (s source) System() checks.System            { return checks.SystemHelm }
func (s source) Permissions() []checks.Permission { return nil }
func (s source) Observe(ctx context.Context, scope sweep.Scope, _ checks.Reader, emit func(checks.Observation)) []checks.Unreadable {
	return s.observe(ctx, scope, emit)
}

func release(cluster, name string, status checks.HelmStatus, created time.Time) checks.Observation {
	return checks.Observation{
		Subject: checks.Subject{Cluster: cluster, System: checks.SystemHelm, Namespace: "n", Name: name},
		Helm:    &checks.HelmFacts{Head: checks.HelmRecord{Version: 1, Label: status, Created: created}},
	}
}

func target(name string, r *checkstest.Reader) sweep.Target {
	return sweep.Target{Name: name, Connect: func() (sweep.Conn, error) { return r, nil }}
}

func TestResultsHaveAStableOrderAndCounts(t *testing.T) {
	s := source{func(_ context.Context, scope sweep.Scope, emit func(checks.Observation)) []checks.Unreadable {
		emit(release(scope.Cluster, "z", checks.HelmFailed, time.Time{}))
		emit(release(scope.Cluster, "a", checks.HelmPendingUpgrade, time.Time{}))
		emit(release(scope.Cluster, "m", checks.HelmDeployed, time.Time{}))
		return []checks.Unreadable{{Cluster: scope.Cluster, What: "secrets in namespace v", Failure: checks.Failure{Kind: checks.FailureForbidden}}}
	}}
	var targets []sweep.Target
	for _, name := range []string{"c3", "c1", "c2"} {
		targets = append(targets, target(name, &checkstest.Reader{}))
	}
	r := sweep.Run(t.Context(), targets, sweep.Options{Sources: []sweep.Source{s}})
	var order []string
	for _, o := range r.Observations {
		order = append(order, o.Subject.Cluster+"/"+o.Subject.Name)
	}
	if want := []string{"c1/a", "c1/z", "c2/a", "c2/z", "c3/a", "c3/z"}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
	for _, c := range r.Clusters {
		counts := c.Counts[checks.SystemHelm]
		if counts[checks.Active] != 1 || counts[checks.Failed] != 1 || counts[checks.PendingUpgrade] != 1 {
			t.Errorf("%s: counts %v", c.Name, counts)
		}
	}
	if len(r.Unreadable) != 3 || !r.Partial() {
		t.Errorf("promise 10: unreadable %v, partial %v", r.Unreadable, r.Partial())
	}
}

func TestAHangingClusterCostsOnlyItsOwnDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := source{func(ctx context.Context, scope sweep.Scope, emit func(checks.Observation)) []checks.Unreadable {
			emit(release(scope.Cluster, "stuck", checks.HelmPendingUpgrade, time.Time{}))
			if scope.Cluster == "half" {
				<-ctx.Done()
				return []checks.Unreadable{{Cluster: scope.Cluster, What: "secrets in all namespaces", Failure: checks.Failure{Kind: checks.FailureTimeout}}}
			}
			return nil
		}}
		hang := &checkstest.Reader{Fail: func(ctx context.Context, _, _, _, _ string) error {
			<-ctx.Done()
			return nil
		}}
		r := sweep.Run(t.Context(), []sweep.Target{target("hangs", hang), target("half", &checkstest.Reader{}), target("well", &checkstest.Reader{})},
			sweep.Options{Sources: []sweep.Source{s}, ClusterTimeout: 10 * time.Second})
		if r.Took != 10*time.Second {
			t.Errorf("took %s, want the deadline of the slowest cluster", r.Took)
		}
		half, hangs, well := r.Clusters[0], r.Clusters[1], r.Clusters[2]
		if hangs.Failure == nil || hangs.Failure.Kind != checks.FailureTimeout {
			t.Errorf("hangs: %+v, want a timeout", hangs.Failure)
		}
		if _, counted := half.Counts[checks.SystemHelm]; counted {
			t.Error("promise 10: a cluster that stopped answering was counted")
		}
		if well.Failure != nil || well.Counts[checks.SystemHelm][checks.PendingUpgrade] != 1 {
			t.Errorf("well: %+v", well)
		}
		if len(r.Observations) != 2 {
			t.Errorf("what was read before the deadline is kept: %v", r.Observations)
		}
	})
}

func TestTheWholeSweepHasADeadlineAndNamesWhatWasNotTried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := source{func(ctx context.Context, scope sweep.Scope, _ func(checks.Observation)) []checks.Unreadable {
			<-ctx.Done()
			return []checks.Unreadable{{Cluster: scope.Cluster, What: "secrets in all namespaces", Failure: checks.Failure{Kind: checks.FailureTimeout}}}
		}}
		var targets []sweep.Target
		for i := range 4 {
			targets = append(targets, target(fmt.Sprintf("c%d", i), &checkstest.Reader{}))
		}
		r := sweep.Run(t.Context(), targets, sweep.Options{Sources: []sweep.Source{s}, Concurrency: 2, ClusterTimeout: time.Minute, Timeout: 30 * time.Second})
		if r.Took != 30*time.Second {
			t.Errorf("took %s", r.Took)
		}
		notTried := 0
		for _, c := range r.Clusters {
			if c.Failure != nil && c.Failure.Kind == checks.FailureNotTried {
				notTried++
			}
		}
		if notTried != 2 {
			t.Errorf("%d clusters were not tried, want 2", notTried)
		}
	})
}

func TestFanOutIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int64
		s := source{func(context.Context, sweep.Scope, func(checks.Observation)) []checks.Unreadable {
			most.Store(max(most.Load(), now.Add(1)))
			time.Sleep(time.Second)
			now.Add(-1)
			return nil
		}}
		var targets []sweep.Target
		for i := range 20 {
			targets = append(targets, target(fmt.Sprintf("c%d", i), &checkstest.Reader{}))
		}
		r := sweep.Run(t.Context(), targets, sweep.Options{Sources: []sweep.Source{s}, Concurrency: 5})
		if most.Load() != 5 || r.Took != 4*time.Second {
			t.Errorf("at most %d at once in %s, want 5 in 4s", most.Load(), r.Took)
		}
	})
}

func TestProgressEndsComplete(t *testing.T) {
	s := source{func(_ context.Context, scope sweep.Scope, emit func(checks.Observation)) []checks.Unreadable {
		emit(release(scope.Cluster, "stuck", checks.HelmPendingUpgrade, time.Time{}))
		return nil
	}}
	var last sweep.Progress
	sweep.Run(t.Context(), []sweep.Target{target("a", &checkstest.Reader{}), target("b", &checkstest.Reader{})},
		sweep.Options{Sources: []sweep.Source{s}, Progress: func(p sweep.Progress) { last = p }})
	if last.Done != 2 || last.Total != 2 || last.Stuck != 2 || len(last.Waiting) != 0 {
		t.Errorf("last progress %+v", last)
	}
}

func TestOneClusterCannotFillTheMemory(t *testing.T) {
	s := source{func(_ context.Context, scope sweep.Scope, emit func(checks.Observation)) []checks.Unreadable {
		for i := range sweep.MaxObservations + 7 {
			emit(release(scope.Cluster, fmt.Sprintf("r%d", i), checks.HelmPendingUpgrade, time.Time{}))
		}
		return nil
	}}
	r := sweep.Run(t.Context(), []sweep.Target{target("a", &checkstest.Reader{})}, sweep.Options{Sources: []sweep.Source{s}})
	if len(r.Observations) != sweep.MaxObservations {
		t.Errorf("kept %d", len(r.Observations))
	}
	if len(r.Unreadable) != 1 || !strings.HasPrefix(r.Unreadable[0].What, "7 more") {
		t.Errorf("promise 10: what was left out is said: %v", r.Unreadable)
	}
	if n := r.Clusters[0].Counts[checks.SystemHelm][checks.PendingUpgrade]; n != sweep.MaxObservations+7 {
		t.Errorf("counted %d, want all", n)
	}
}

func TestAgeIsMeasuredWithTheClustersClock(t *testing.T) {
	clock := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	s := source{func(_ context.Context, scope sweep.Scope, emit func(checks.Observation)) []checks.Unreadable {
		emit(release(scope.Cluster, "young", checks.HelmPendingUpgrade, clock.Add(-14*time.Minute)))
		emit(release(scope.Cluster, "old", checks.HelmPendingUpgrade, clock.Add(-16*time.Minute)))
		return nil
	}}
	r := sweep.Run(t.Context(), []sweep.Target{target("a", &checkstest.Reader{Info: checks.Server{Time: clock}})},
		sweep.Options{Sources: []sweep.Source{s}, Thresholds: checks.Thresholds{Helm: checks.HelmThresholds{StuckAfter: 15 * time.Minute}}})
	states := map[string]checks.State{}
	for _, o := range r.Observations {
		states[o.Subject.Name] = o.State
	}
	if states["young"] != checks.Upgrading || states["old"] != checks.PendingUpgrade {
		t.Errorf("promise 9, F12: %v", states)
	}
}

func TestWhatMayNotBeReadAtAllIsNotCountedAsNothing(t *testing.T) {
	s := source{func(_ context.Context, scope sweep.Scope, _ func(checks.Observation)) []checks.Unreadable {
		return []checks.Unreadable{{Cluster: scope.Cluster, What: "secrets in all namespaces", Whole: true, Failure: checks.Failure{Kind: checks.FailureForbidden}}}
	}}
	r := sweep.Run(t.Context(), []sweep.Target{target("a", &checkstest.Reader{})}, sweep.Options{Sources: []sweep.Source{s}})
	if counts, counted := r.Clusters[0].Counts[checks.SystemHelm]; counted {
		t.Errorf("promise 10: counted %v", counts)
	}
}
