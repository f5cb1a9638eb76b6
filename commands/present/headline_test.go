package present

import (
	"testing"
	"time"

	"stuckbot/checks"
	"stuckbot/checks/sweep"
)

// Promise 10: what could not be read is said, and unknown is never shown as healthy.
func TestHeadlineCountsTruthfully(t *testing.T) {
	p := newPrinter(t)
	stuck := release("prod-eu", "n", "a", checks.HelmPendingUpgrade, 3, 2, time.Hour)
	held := stuck
	held.Held = true
	unknown := release("prod-eu", "n", "u", "odd", 3, 2, time.Hour)
	with := func(r *sweep.Result, change func(*sweep.Result)) *sweep.Result {
		change(r)
		return r
	}
	unread := checks.Unreadable{Cluster: "prod-us", What: "secrets in namespace x", Failure: checks.Failure{Kind: checks.FailureForbidden}}
	for _, c := range []struct {
		name string
		r    *sweep.Result
		want string
	}{
		{"all read, nothing stuck", healthy(),
			"Nothing is stuck; all 2 clusters were read. Took 340 ms."},
		{"one namespace unread", with(healthy(), func(r *sweep.Result) { r.Unreadable = []checks.Unreadable{unread} }),
			"Nothing stuck in what could be read; 1 thing could not be read. Took 340 ms."},
		{"a cluster silent", with(healthy(), func(r *sweep.Result) {
			r.Clusters[0].Failure = &checks.Failure{Kind: checks.FailureTimeout}
		}), "Nothing stuck in what could be read; 1 cluster did not answer. Took 340 ms."},
		{"a cluster that answers 401", with(healthy(), func(r *sweep.Result) {
			r.Clusters[0].Failure = &checks.Failure{Kind: checks.FailureUnauthorized}
		}), "Nothing stuck in what could be read; 1 cluster could not be read. Took 340 ms."},
		{"an unknown state", with(healthy(), func(r *sweep.Result) { r.Observations = []checks.Observation{unknown} }),
			"Nothing stuck in what could be read; 1 release is in an unknown state. Took 340 ms."},
		{"nothing reached", unreached(),
			"Nothing could be read, so nothing is known; 1 cluster did not answer; 1 cluster could not be read; 1 cluster was not tried. Took 30 s."},
		{"one stuck of two", with(healthy(), func(r *sweep.Result) { r.Observations = []checks.Observation{stuck} }),
			"1 of 2 clusters has releases stuck in Pending-Upgrade (1 release). Took 340 ms."},
		{"held is not stuck", with(healthy(), func(r *sweep.Result) { r.Observations = []checks.Observation{held} }),
			"Nothing is stuck; all 2 clusters were read; 1 release held on purpose. Took 340 ms."},
		{"stuck and unread", with(healthy(), func(r *sweep.Result) {
			r.Observations, r.Unreadable = []checks.Observation{stuck}, []checks.Unreadable{unread, unread}
		}), "1 of 2 clusters has releases stuck in Pending-Upgrade (1 release); 2 things could not be read. Took 340 ms."},
		{"one cluster, stuck", single(nil, release("kind", "n", "a", checks.HelmPendingUpgrade, 3, 2, time.Hour)),
			"Cluster kind has 1 release stuck in Pending-Upgrade. Took 340 ms."},
		{"one cluster, fine", single(nil), "Nothing is stuck in cluster kind. Took 340 ms."},
		{"failed and moving", single(nil, release("kind", "n", "a", checks.HelmFailed, 3, 2, time.Hour), release("kind", "n", "b", checks.HelmPendingUpgrade, 3, 2, time.Minute)),
			"Nothing is stuck in cluster kind; also 1 Failed, 1 Upgrading. Took 340 ms."},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := p.Headline(c.r); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
