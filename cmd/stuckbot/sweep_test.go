package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stuckbot/checks"
	"stuckbot/checks/sweep"
	"stuckbot/commands/present/presenttest"
)

// fleet is a configuration of three clusters: one with everything, one whose namespaces must be read one by one, of which
// one is forbidden, and one that is healthy.
func fleet(t *testing.T) string {
	t.Helper()
	a := newAuthority(t)
	healthy := map[string][]record{"web": {{"shop", 4, "deployed", time.Now().Add(-time.Hour)}}}
	partly := map[string]bool{"list secrets *": true, "list configmaps *": true, "list secrets payments": true}
	return writeConfig(t, map[string]kubeconfig{
		"prod-eu": {server: start(t, a, nil, &fakeServer{records: records()}).URL, ca: a.pem()},
		"prod-us": {server: start(t, a, nil, &fakeServer{records: records(), forbidden: partly}).URL, ca: a.pem()},
		"dev":     {server: start(t, a, nil, &fakeServer{records: healthy}).URL, ca: a.pem()},
	}, "", "")
}

func TestSweepThroughTheWholeProgramGolden(t *testing.T) {
	file := fleet(t)
	for name, c := range map[string]struct {
		args []string
		code int
	}{
		"all":            {nil, exitPartial},
		"fail-on":        {[]string{"--fail-on", "pending-upgrade"}, exitFound},
		"fail-on-two":    {[]string{"--fail-on", "OutOfSync", "--fail-on", "Failed"}, exitFound},
		"fail-on-absent": {[]string{"--fail-on", "Out-of-Sync"}, exitPartial},
		"one-cluster":    {[]string{"--cluster", "dev"}, exitDone},
		"two-clusters":   {[]string{"--cluster", "dev", "--cluster", "prod-eu", "--system", "helm"}, exitDone},
		"stuck-only":     {[]string{"--cluster", "prod-eu", "--stuck-only"}, exitDone},
		"decode-heads":   {[]string{"--cluster", "dev", "--decode-heads"}, exitDone},
	} {
		t.Run(name, func(t *testing.T) {
			r := execute(t, map[string]string{"COLUMNS": "120"}, append([]string{"sweep", "--config", file}, c.args...)...)
			if r.code != c.code || r.stderr != "" {
				t.Errorf("exit status %d, want %d; stderr %q", r.code, c.code, r.stderr)
			}
			if !strings.HasPrefix(name, "fail-on") {
				presenttest.Golden(t, "sweep/"+name+".txt", stable(r.stdout, filepath.Dir(file)))
			}
		})
	}
}

func TestSweepJSONThroughTheWholeProgram(t *testing.T) {
	r := execute(t, nil, "sweep", "--config", fleet(t), "-o", "json")
	var got struct {
		Clusters []struct {
			Name   string
			Counts map[string]map[string]int
		}
		Observations []struct {
			Subject checks.Subject
			State   checks.State
			Version string
		}
		Unreadable []struct{ Cluster, What, Error string }
	}
	if err := json.Unmarshal([]byte(r.stdout), &got); err != nil || r.code != exitPartial {
		t.Fatalf("exit status %d, %v: %s", r.code, err, r.stdout)
	}
	var subjects []string
	for _, o := range got.Observations {
		subjects = append(subjects, o.Subject.String()+" "+string(o.State)+" "+o.Version)
	}
	want := []string{
		"prod-eu/helm/payments/checkout PendingUpgrade 1.2.3", "prod-eu/helm/web/gateway Upgrading 1.2.3", "prod-eu/helm/web/shop Failed 1.2.3",
		"prod-us/helm/web/gateway Upgrading 1.2.3", "prod-us/helm/web/shop Failed 1.2.3",
	}
	if !slices.Equal(subjects, want) {
		t.Errorf("observations: %q", subjects)
	}
	if len(got.Clusters) != 3 || got.Clusters[1].Counts["helm"]["PendingUpgrade"] != 1 || got.Clusters[0].Counts["helm"]["Active"] != 1 {
		t.Errorf("clusters: %+v", got.Clusters)
	}
	if len(got.Unreadable) != 1 || got.Unreadable[0].What != "secrets in namespace payments" || !strings.Contains(got.Unreadable[0].Error, "cannot list") {
		t.Errorf("unreadable: %+v", got.Unreadable)
	}
}

func TestSweepSelectsByLabel(t *testing.T) {
	a := newAuthority(t)
	contexts := map[string]kubeconfig{"prod-eu": {server: start(t, a, nil, &fakeServer{}).URL, ca: a.pem()}}
	file := writeConfig(t, contexts, ", labels: {env: prod, tier: web}", "")
	if r := execute(t, nil, "sweep", "--config", file, "--label", "env=prod", "--label", "tier=web"); r.code != exitDone {
		t.Errorf("%+v", r)
	}
	r := execute(t, nil, "sweep", "--config", file, "--label", "env=prod", "--label", "tier=db")
	if r.code != exitFailed || !strings.Contains(r.stderr, "no cluster has env=prod and tier=db") {
		t.Errorf("%+v", r)
	}
}

func TestFleetIsSaidToBeUnread(t *testing.T) {
	a := newAuthority(t)
	contexts := map[string]kubeconfig{"hub": {server: start(t, a, nil, &fakeServer{}).URL, ca: a.pem()}}
	file := writeConfig(t, contexts, "", "systems: {helm: {}, fleet: {hub: hub}}\n")
	if r := execute(t, nil, "sweep", "--config", file); r.code != exitDone || !strings.Contains(r.stderr, "fleet is configured, and this version cannot read it yet") {
		t.Errorf("promise 10: %+v", r)
	}
	if r := execute(t, nil, "sweep", "--config", file, "--system", "fleet"); r.code != exitFailed {
		t.Errorf("%+v", r)
	}
}

// What a command line cannot mean is refused before anything is read.
func TestUsageErrorsGolden(t *testing.T) {
	file := filepath.Join("testdata", "valid", "minimal.yaml")
	var b strings.Builder
	for _, args := range [][]string{
		{"swep"},
		{"sweep", "more"},
		{"sweep", "--confg", "x"},
		{"sweep", "-o", "yaml"},
		{"sweep", "--fail-on", "stuck"},
		{"sweep", "--fail-on", "pending"},
		{"sweep", "--fail-on", "Active"},
		{"sweep", "--fail-on", "Failed", "--stuck-only"},
		{"sweep", "--label", "env"},
		{"sweep", "--timeout", "0s"},
		{"sweep", "--timeout", "soon"},
		{"sweep", "--config", file, "--system", "hlem"},
		{"sweep", "--config", "testdata/missing.yaml"},
		{"sweep", "--log-level", "loud"},
		{"check", "-o", "xml"},
		{"check", "--cluster-timeout", "-1s"},
	} {
		r := execute(t, nil, args...)
		if r.code != exitFailed || r.stdout != "" {
			t.Errorf("%v: exit status %d, stdout %q", args, r.code, r.stdout)
		}
		b.WriteString("$ stuckbot " + strings.Join(args, " ") + "\n" + r.stderr + "\n")
	}
	presenttest.Golden(t, "usage-errors.txt", b.String())
}

func TestAMisspeltClusterIsSuggested(t *testing.T) {
	r := execute(t, nil, "sweep", "--config", fleet(t), "--cluster", "prod-euu")
	if r.code != exitFailed || !strings.Contains(r.stderr, `--cluster "prod-euu" is not configured: did you mean prod-eu?`) {
		t.Errorf("%+v", r)
	}
}

// What is held on purpose is no finding.
func TestHeldIsNoMatch(t *testing.T) {
	r := &sweep.Result{Observations: []checks.Observation{{State: checks.PendingUpgrade, Held: true}}}
	failOn := map[checks.State]bool{checks.PendingUpgrade: true}
	if matches(r, failOn) {
		t.Error("a held subject matched")
	}
	r.Observations[0].Held = false
	if !matches(r, failOn) {
		t.Error("a stuck subject did not match")
	}
}
