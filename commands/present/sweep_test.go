package present

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"stuckbot/checks"
	"stuckbot/checks/sweep"
	"stuckbot/commands/present/presenttest"
)

func tableOf(t *testing.T, r *sweep.Result, s Screen) string {
	t.Helper()
	var b strings.Builder
	if err := newPrinter(t).SweepTable(&b, r, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// single is a sweep of one cluster.
func single(counts map[checks.State]int, observations ...checks.Observation) *sweep.Result {
	return &sweep.Result{At: now, Took: 340 * time.Millisecond, Observations: observations, Clusters: []sweep.Cluster{
		{Name: "kind", Took: 310 * time.Millisecond, Counts: counted(counts)}}}
}

// unreached is a sweep that reached nothing.
func unreached() *sweep.Result {
	fail := func(kind checks.FailureKind) *checks.Failure {
		return &checks.Failure{Kind: kind, Host: "api.example:6443", At: now.Add(-49 * time.Hour)}
	}
	return &sweep.Result{At: now, Took: 30 * time.Second, Clusters: []sweep.Cluster{
		{Name: "a", Failure: fail(checks.FailureTimeout), Took: 30 * time.Second},
		{Name: "b", Failure: fail(checks.FailureTokenExpired), Took: 20 * time.Millisecond},
		{Name: "c", Failure: fail(checks.FailureNotTried)},
	}}
}

func TestSweepTableGolden(t *testing.T) {
	partly := single(map[checks.State]int{checks.Active: 5})
	partly.Unreadable = mixed().Unreadable[:1]
	partly.Unreadable[0].Cluster = "kind"
	for name, r := range map[string]*sweep.Result{
		"mixed":     mixed(),
		"healthy":   healthy(),
		"unreached": unreached(),
		"one-stuck": single(map[checks.State]int{checks.Active: 4, checks.PendingUpgrade: 1},
			release("kind", "web", "shop", checks.HelmPendingUpgrade, 3, 2, time.Hour)),
		"one-healthy": single(map[checks.State]int{checks.Active: 5}),
		"one-partly":  partly,
	} {
		for _, width := range []int{80, 120, 200} {
			presenttest.Golden(t, fmt.Sprintf("present/sweep-%s-%d.txt", name, width), tableOf(t, r, Screen{Width: width}))
		}
	}
	presenttest.Golden(t, "present/sweep-mixed-pipe.txt", tableOf(t, mixed(), Screen{}))
}

// Nothing may be cut in silence, and nothing may run over the edge.
func TestSweepTableFitsEveryWidthAndSaysWhatItLeavesOut(t *testing.T) {
	for width := 40; width <= 240; width++ {
		got := tableOf(t, mixed(), Screen{Width: width})
		for _, line := range strings.Split(got, "\n") {
			if text.StringWidthWithoutEscSequences(line) > width {
				t.Errorf("width %d: a line has %d cells: %s", width, text.StringWidthWithoutEscSequences(line), line)
			}
		}
		whole := strings.Contains(got, "WHY") && strings.Contains(got, "SYSTEM") && !strings.Contains(got, ellipsis)
		if said := strings.Contains(strings.Join(strings.Fields(got), " "), "Widen the terminal or use -o json"); said == whole {
			t.Errorf("width %d: everything there: %v, said that not everything fits: %v", width, whole, said)
		}
	}
}

func TestColoursAreTheOnlyDifferenceOnATerminal(t *testing.T) {
	colored, plain := tableOf(t, mixed(), Screen{Width: 120, Color: true}), tableOf(t, mixed(), Screen{Width: 120})
	if !strings.Contains(colored, "\x1b[") || strings.Contains(plain, "\x1b[") {
		t.Error("colours are missing, or there without a terminal")
	}
	if text.StripEscape(colored) != plain {
		t.Error("the texts differ")
	}
}

func TestObservationsAreOrderedByWhatNeedsAPersonFirst(t *testing.T) {
	var got []string
	for _, o := range order(mixed()) {
		got = append(got, o.Subject.Cluster+" "+o.State.Title()+" "+o.Subject.Name)
	}
	want := []string{
		"prod-eu Pending-Upgrade checkout-api",
		"prod-us Pending-Upgrade fleet-agent-with-a-rather-long-name-prod-us",
		"prod-eu Pending-Upgrade indexer",
		"prod-eu Pending-Upgrade ledger",
		"prod-eu Failed gateway",
		"prod-us Pending-Upgrade frontend", // held
		"prod-us Upgrading checkout-api",
		"staging Pending-Upgrade indexer",
		"staging Pending-Upgrade old",
		"staging Unknown grafana",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	reversed := mixed()
	slices.Reverse(reversed.Observations)
	if !slices.EqualFunc(order(reversed), order(mixed()), func(a, b checks.Observation) bool { return a.Subject == b.Subject }) {
		t.Error("the order depends on the order of arrival")
	}
}

func TestTableCleansNamesFromClusters(t *testing.T) {
	evil := release("kind", "web", "shop\x1b]0;pwned\a\u202e\nprod-eu  fine", checks.HelmPendingUpgrade, 3, 2, time.Hour)
	evil.Version = "1.0\x1b[2J"
	got := tableOf(t, single(nil, evil), Screen{Width: 200})
	if strings.ContainsAny(got, "\x1b\a\u202e") {
		t.Errorf("%q", got)
	}
	if !strings.Contains(got, "web/shopprod-eu fine ") && !strings.Contains(got, "web/shop prod-eu fine") {
		t.Errorf("a name began a line of its own:\n%s", got)
	}
}

func TestFoldingKeepsEveryName(t *testing.T) {
	p := newPrinter(t)
	r := mixed()
	r.Unreadable = nil
	for i := range 300 {
		r.Unreadable = append(r.Unreadable, checks.Unreadable{Cluster: "staging", What: fmt.Sprintf("secrets in namespace n%03d", i),
			Failure: checks.Failure{Kind: checks.FailureForbidden}})
	}
	for i := range 20 {
		r.Unreadable = append(r.Unreadable, checks.Unreadable{Cluster: "staging", What: fmt.Sprintf("secrets r%d in namespace x", i),
			Failure: checks.Failure{Kind: checks.FailureTimeout}})
	}
	r.Unreadable = append(r.Unreadable,
		checks.Unreadable{Cluster: "vault", What: "configmaps in namespace a", Failure: checks.Failure{Kind: checks.FailureForbidden}},
		checks.Unreadable{Cluster: "vault", What: "namespaces", Failure: checks.Failure{Kind: checks.FailureForbidden}},
		checks.Unreadable{Cluster: "vault", What: "secrets in namespace a", Failure: checks.Failure{Kind: checks.FailureForbidden}})
	got := p.unread(r, Screen{})
	for _, want := range []string{"secrets in namespace n000, n001, n002 and 297 more: ", "staging: 11 more things; -o json names them.",
		"  vault: configmaps, secrets in namespace a: ", "  vault: namespaces: "} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in:\n%s", want, got)
		}
	}
	if !strings.Contains(p.Headline(r), "323 things could not be read") {
		t.Error(p.Headline(r))
	}
}
