package storage

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stuckbot/checks"
	"stuckbot/checks/sweep"
)

// FuzzDecodeSweep proves that no stored bytes crash the decoder, and that what it takes is stable: encoded and decoded again it
// is the same.
func FuzzDecodeSweep(f *testing.F) {
	at := time.Date(2026, 1, 31, 12, 0, 0, 5, time.UTC)
	seed, err := encodeSweep(sweep.Result{
		At: at, Took: time.Second,
		Clusters: []sweep.Cluster{{
			Name: "a", Labels: map[string]string{"env": "prod"}, Failure: &checks.Failure{Kind: checks.FailureTLS, Detail: "d"},
			Counts: map[checks.System]map[checks.State]int{checks.SystemHelm: {checks.Active: 3}, "fleet": nil},
		}},
		Observations: []checks.Observation{{
			Subject: checks.Subject{Cluster: "a", System: checks.SystemHelm, Namespace: "n", Name: "r"}, State: checks.Failed,
			Since: at, Helm: &checks.HelmFacts{Head: checks.HelmRecord{Version: 2, Created: at, Managers: []string{"helm"}}},
		}},
		Unreadable: []checks.Unreadable{{Cluster: "a", What: "pods"}},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Add([]byte(`{"v":1}`))
	f.Add([]byte(`{"V":1,"at":"2026-01-31T12:00:00+05:30","clusters":[null],"observations":[]}`))
	f.Add([]byte(`{"v":1,"v":2,"unreadable":null}`))
	f.Fuzz(func(t *testing.T, value []byte) {
		first, err := decodeSweep(value)
		if err != nil {
			if !cmp.Equal(first, sweep.Result{}) {
				t.Error("an error comes with half a result")
			}
			return
		}
		again, err := encodeSweep(first)
		if err != nil {
			t.Fatalf("decoded, and cannot be encoded: %v", err)
		}
		second, err := decodeSweep(again)
		if err != nil {
			t.Fatalf("encoded, and cannot be decoded: %v\n%s", err, again)
		}
		if diff := cmp.Diff(first, second); diff != "" {
			t.Errorf("changes on the way (-first +second):\n%s", diff)
		}
	})
}

// TestAnotherFormIsToldFromDamage: a newer program's value is not called damaged.
func TestAnotherFormIsToldFromDamage(t *testing.T) {
	for value, want := range map[string]bool{
		`{"v":2,"at":"2026-01-31T12:00:00Z","new":1}`: true,
		`{"v":2,"at":"2026-01-31T12:00:00Z"}`:         true,
		`{"at":"2026-01-31T12:00:00Z"}`:               true,
		`{"v":1,"at":"2026-01-31T12:00:00Z","new":1}`: false,
		`{"v":2,"at":`: false,
	} {
		if _, err := decodeSweep([]byte(value)); err == nil || errors.Is(err, errForm) != want {
			t.Errorf("%s: %v; want errForm: %v", value, err, want)
		}
	}
}

// TestTheStoredFormStaysReadable holds a value as the first release wrote it. It may never be changed.
func TestTheStoredFormStaysReadable(t *testing.T) {
	const written = `{"v":1,"at":"2026-01-31T12:00:00.000000005Z","tookNs":1500000000,` +
		`"clusters":[{"name":"prod-eu","labels":{"env":"prod"},"tookNs":7,"counts":{"fleet":null,"helm":{"Active":118}}},` +
		`{"name":"prod-us","failure":{"kind":"timeout","host":"10.0.0.1:6443","detail":"no answer","at":"2026-01-31T11:59:00Z"}}],` +
		`"observations":[{"subject":{"cluster":"prod-eu","system":"helm","namespace":"vaults","name":"vault"},` +
		`"state":"PendingUpgrade","held":true,"reason":"helm-pending","reasonArgs":{"head":"4"},"desired":"4","actual":"3",` +
		`"version":"1.2.3","since":"2026-01-31T11:00:00Z","owner":"flux","heartbeat":"2026-01-31T11:30:00Z",` +
		`"helm":{"storage":"Secret","head":{"version":4,"label":"pending-upgrade","payload":"pending-upgrade",` +
		`"decodeError":"x","created":"2026-01-31T11:00:00Z","written":"2026-01-31T11:00:01Z","managers":["helm"],` +
		`"chartName":"vault","chartVersion":"1.2.3","appVersion":"1.15","uid":"u","resourceVersion":"9"},"deployed":3}}],` +
		`"unreadable":[{"cluster":"prod-eu","what":"pods","failure":{"kind":"forbidden"}}]}`
	hour := func(h, m, s int) time.Time { return time.Date(2026, 1, 31, h, m, s, 0, time.UTC) }
	want := sweep.Result{
		At: hour(12, 0, 0).Add(5), Took: 1500 * time.Millisecond,
		Clusters: []sweep.Cluster{
			{
				Name: "prod-eu", Labels: map[string]string{"env": "prod"}, Took: 7,
				Counts: map[checks.System]map[checks.State]int{"fleet": nil, "helm": {checks.Active: 118}},
			},
			{Name: "prod-us", Failure: &checks.Failure{Kind: checks.FailureTimeout, Host: "10.0.0.1:6443", Detail: "no answer", At: hour(11, 59, 0)}},
		},
		Observations: []checks.Observation{{
			Subject: checks.Subject{Cluster: "prod-eu", System: "helm", Namespace: "vaults", Name: "vault"},
			State:   checks.PendingUpgrade, Held: true,
			Reason:  checks.Reason{ID: checks.ReasonHelmPending, Args: map[string]string{"head": "4"}},
			Desired: "4", Actual: "3", Version: "1.2.3", Since: hour(11, 0, 0), Owner: checks.OwnerFlux, Heartbeat: hour(11, 30, 0),
			Helm: &checks.HelmFacts{
				Storage: checks.HelmSecrets, Deployed: 3,
				Head: checks.HelmRecord{
					Version: 4, Label: checks.HelmPendingUpgrade, Payload: checks.HelmPendingUpgrade, DecodeError: "x",
					Created: hour(11, 0, 0), Written: hour(11, 0, 1), Managers: []string{"helm"},
					ChartName: "vault", ChartVersion: "1.2.3", AppVersion: "1.15", UID: "u", ResourceVersion: "9",
				},
			},
		}},
		Unreadable: []checks.Unreadable{{Cluster: "prod-eu", What: "pods", Failure: checks.Failure{Kind: checks.FailureForbidden}}},
	}
	got, err := decodeSweep([]byte(written))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	if again, err := encodeSweep(got); err != nil || !bytes.Equal([]byte(written), again) {
		t.Errorf("written again:\n%s\n%v; want\n%s", again, err, written)
	}
}
