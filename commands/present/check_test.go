package present

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"stuckbot/checks"
	"stuckbot/commands/present/presenttest"
)

func granted(p checks.Permission) Access { return Access{Permission: p, Allowed: true} }

func needed() []checks.Permission {
	return []checks.Permission{
		{Verb: "list", Resource: "secrets", Why: "permission-helm-list"},
		{Verb: "get", Resource: "secrets", Why: "permission-helm-get"},
		{Verb: "list", Resource: "configmaps", Why: "permission-helm-list"},
		{Verb: "get", Resource: "configmaps", Why: "permission-helm-get"},
		{Verb: "list", Resource: "namespaces", Why: "permission-namespaces"},
	}
}

// troubled is a check that finds everything it can find.
func troubled() *Check {
	at := func(ahead time.Duration) checks.Server {
		return checks.Server{Version: "v1.37.2", Time: now.Add(ahead), LocalTime: now}
	}
	all, missing := []Access{}, []Access{}
	for i, p := range needed() {
		all = append(all, granted(p))
		missing = append(missing, Access{Permission: p, Allowed: i == 1, Reason: "no \x1b[31mRBAC policy matched"})
	}
	narrow := []Access{{Permission: needed()[0], In: []string{"a", "b", "c", "d"}}, granted(needed()[1])}
	return &Check{
		At: now, File: "stuckbot.yaml", Storage: "/var/lib/stuckbot/stuckbot.db",
		StorageProblem: "the folder /var/lib/stuckbot does not exist: create it",
		Readable:       []ReadableFile{{Path: "/home/me/kubeconfig", Mode: 0o644}},
		Clusters: []CheckedCluster{
			{Name: "prod-eu", Server: at(-time.Second), Access: all},
			{Name: "prod-us", Server: at(-2 * time.Minute), Access: missing},
			{Name: "prod-ap", Failure: &checks.Failure{Kind: checks.FailureDNS, Host: "api.ap.example:6443"}},
			{Name: "hub", Server: checks.Server{LocalTime: now}, AccessFailure: &checks.Failure{Kind: checks.FailureServer, Host: "hub:6443", Detail: "500"}},
			{Name: "edge", Server: at(time.Hour), Access: narrow},
		},
	}
}

func sound() *Check {
	c := troubled()
	c.StorageProblem, c.Readable, c.Clusters = "", nil, c.Clusters[:1]
	return c
}

func TestCheckTableGolden(t *testing.T) {
	p := newPrinter(t)
	invalid := &Check{At: now, File: "stuckbot.yaml", Problems: []string{"stuckbot.yaml:3: clustres: no such key: did you mean clusters?"}}
	current := sound()
	current.File, current.Storage = "", ""
	for name, c := range map[string]*Check{"troubled": troubled(), "sound": sound(), "invalid": invalid, "current": current} {
		for _, width := range []int{80, 120} {
			var b strings.Builder
			if err := p.CheckTable(&b, c, Screen{Width: width}); err != nil {
				t.Fatal(err)
			}
			presenttest.Golden(t, fmt.Sprintf("present/check-%s-%d.txt", name, width), b.String())
		}
		var b strings.Builder
		if err := p.CheckJSON(&b, c); err != nil {
			t.Fatal(err)
		}
		presenttest.Golden(t, "present/check-"+name+".json", b.String())
	}
}

func TestCheckCountsEachFailure(t *testing.T) {
	if got := troubled().Failed(); got != 8 {
		t.Errorf("%d checks failed, want 8: storage, 4 permissions, 1 cluster, 1 review, 1 permission in namespaces", got)
	}
	if got := sound().Failed(); got != 0 {
		t.Errorf("%d checks failed, want none", got)
	}
}
