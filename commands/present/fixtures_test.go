package present

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"stuckbot/checks"
	"stuckbot/checks/sweep"
)

// now is the time of all constructed sweeps.
var now = time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)

func newPrinter(t testing.TB) *Printer {
	t.Helper()
	p, err := New(English, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// release makes an observation of a Helm release and lets the real rule judge it.
func release(cluster, namespace, name string, status checks.HelmStatus, head, deployed int, age time.Duration) checks.Observation {
	o := checks.Observation{
		Subject: checks.Subject{Cluster: cluster, System: checks.SystemHelm, Namespace: namespace, Name: name},
		Desired: fmt.Sprint(head),
		Version: "1." + fmt.Sprint(head) + ".0",
		Owner:   checks.OwnerCLI,
		Helm: &checks.HelmFacts{Storage: checks.HelmSecrets, Deployed: deployed,
			Head: checks.HelmRecord{Version: head, Label: status, Payload: status, Created: now.Add(-age)}},
		Since: now.Add(-age),
	}
	if deployed > 0 {
		o.Actual = fmt.Sprint(deployed)
	}
	return judged(o)
}

func judged(o checks.Observation) checks.Observation {
	return checks.Judge(o, checks.Thresholds{Helm: checks.HelmThresholds{StuckAfter: 15 * time.Minute}}, now)
}

func counted(states map[checks.State]int) map[checks.System]map[checks.State]int {
	return map[checks.System]map[checks.State]int{checks.SystemHelm: states}
}

// healthy is a sweep of two clusters in which all is well.
func healthy() *sweep.Result {
	return &sweep.Result{At: now, Took: 340 * time.Millisecond, Clusters: []sweep.Cluster{
		{Name: "prod-eu", Labels: map[string]string{"env": "prod"}, Took: 210 * time.Millisecond, Counts: counted(map[checks.State]int{checks.Active: 120})},
		{Name: "prod-us", Labels: map[string]string{"env": "prod"}, Took: 340 * time.Millisecond, Counts: counted(map[checks.State]int{checks.Active: 98})},
	}}
}

// mixed is a sweep in which everything happens.
func mixed() *sweep.Result {
	unreadable := release("staging", "tools", "grafana", checks.HelmDeployed, 7, 7, 20*24*time.Hour)
	unreadable.Helm.Head.DecodeError = "the payload's JSON: unexpected EOF"
	unreadable.Version, unreadable.Owner = "", checks.OwnerUnknown
	held := release("prod-us", "web", "frontend", checks.HelmPendingUpgrade, 31, 30, 5*time.Hour)
	held.Held = true
	edited := release("prod-eu", "payments", "ledger", checks.HelmPendingUpgrade, 5, 4, 50*time.Minute)
	edited.Helm.Head.Label = checks.HelmDeployed
	fleet := release("prod-us", "cattle-fleet-system", "fleet-agent-with-a-rather-long-name-prod-us", checks.HelmPendingRollback, 104, 102, 31*time.Hour)
	fleet.Owner = checks.OwnerFleet
	r := &sweep.Result{At: now, Took: 5030 * time.Millisecond,
		Clusters: []sweep.Cluster{
			{Name: "dev", Labels: map[string]string{"env": "dev"}, Took: 5 * time.Second,
				Failure: &checks.Failure{Kind: checks.FailureRefused, Host: "10.2.0.10:6443", Detail: "connect: connection refused"}},
			{Name: "prod-eu", Labels: map[string]string{"env": "prod"}, Took: 240 * time.Millisecond,
				Counts: counted(map[checks.State]int{checks.Active: 118, checks.PendingUpgrade: 3, checks.Failed: 1})},
			{Name: "prod-us", Labels: map[string]string{"env": "prod"}, Took: 1240 * time.Millisecond,
				Counts: counted(map[checks.State]int{checks.Active: 77, checks.PendingUpgrade: 2, checks.Upgrading: 1})},
			{Name: "staging", Labels: map[string]string{"env": "staging"}, Took: 800 * time.Millisecond},
		},
		Observations: []checks.Observation{
			release("prod-eu", "payments", "checkout-api", checks.HelmPendingUpgrade, 14, 13, 52*time.Hour+20*time.Minute),
			judged(edited),
			release("prod-eu", "search", "indexer", checks.HelmPendingInstall, 1, 0, 3*time.Hour),
			release("prod-eu", "web", "gateway", checks.HelmFailed, 9, 8, 11*24*time.Hour),
			fleet,
			release("prod-us", "payments", "checkout-api", checks.HelmPendingUpgrade, 14, 13, 4*time.Minute),
			held,
			release("staging", "search", "indexer", checks.HelmPendingUpgrade, 3, 2, 70*24*time.Hour),
			judged(unreadable),
			release("staging", "web", "old", checks.HelmUninstalling, 2, 0, 2*time.Hour),
		},
	}
	for _, ns := range []string{"billing", "hr", "legal", "vault", "vault-dev"} {
		r.Unreadable = append(r.Unreadable, checks.Unreadable{Cluster: "staging", What: "secrets in namespace " + ns,
			Failure: checks.Failure{Kind: checks.FailureForbidden, Host: "10.1.0.9:6443",
				Detail: `secrets is forbidden: User "bot" cannot list resource "secrets" in API group "" in the namespace "` + ns + `"`}})
	}
	r.Unreadable = append(r.Unreadable, checks.Unreadable{Cluster: "staging", What: "configmaps in all namespaces",
		Failure: checks.Failure{Kind: checks.FailureTimeout, Host: "10.1.0.9:6443", Detail: "context deadline exceeded", Err: errors.New("context deadline exceeded")}})
	return r
}
