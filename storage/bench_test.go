package storage_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"stuckbot/checks"
	"stuckbot/checks/sweep"
	"stuckbot/storage"
	"stuckbot/storage/boltkv"
	"stuckbot/storage/kv"
	"stuckbot/storage/kv/memkv"
)

// typicalSweep is one of ten clusters with twenty releases that need a look.
func typicalSweep(at time.Time) sweep.Result {
	r := sweep.Result{At: at, Took: 3 * time.Second}
	for i := range 10 {
		r.Clusters = append(r.Clusters, sweep.Cluster{
			Name: fmt.Sprintf("prod-%d", i), Labels: map[string]string{"env": "prod"}, Took: time.Second,
			Counts: map[checks.System]map[checks.State]int{checks.SystemHelm: {checks.Active: 118, checks.PendingUpgrade: 2}},
		})
	}
	for i := range 20 {
		r.Observations = append(r.Observations, checks.Observation{
			Subject: checks.Subject{Cluster: fmt.Sprintf("prod-%d", i/2), System: checks.SystemHelm, Namespace: "vaults", Name: "vault"},
			State:   checks.PendingUpgrade, Reason: checks.Reason{ID: checks.ReasonHelmPending, Args: map[string]string{"head": "4"}},
			Desired: "4", Actual: "3", Version: "1.2.3", Since: at.Add(-time.Hour), Owner: checks.OwnerFlux,
			Helm: &checks.HelmFacts{Storage: checks.HelmSecrets, Deployed: 3, Head: checks.HelmRecord{
				Version: 4, Label: checks.HelmPendingUpgrade, Payload: checks.HelmPendingUpgrade, Created: at, Managers: []string{"helm"},
			}},
		})
	}
	return r
}

// tenThousandSweeps stores 10,000 typical sweeps, in few transactions.
func tenThousandSweeps(b *testing.B) *storage.Sweeps {
	b.Helper()
	source := memkv.New()
	save(b, storage.NewSweeps(source), typicalSweep(noon))
	var value string
	for _, v := range dump(b, source) {
		value = v
	}
	store, err := boltkv.Open(filepath.Join(b.TempDir(), "stuckbot.db"), boltkv.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = store.Close() })
	for batch := range 10 {
		err := store.Update(func(tx kv.Tx) error {
			for i := range 1000 {
				at := noon.Add(time.Duration(batch*1000+i) * time.Minute)
				if err := tx.Put("sweep/"+at.Format("2006-01-02T15:04:05.000000000Z")+"/x", []byte(value)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.Logf("one sweep has %d bytes", len(value))
	return storage.NewSweeps(store)
}

func BenchmarkSweepsLatest(b *testing.B) {
	sweeps := tenThousandSweeps(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok, err := sweeps.Latest(); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}

// BenchmarkSweepsList is a page of 20 from the middle.
func BenchmarkSweepsList(b *testing.B) {
	sweeps := tenThousandSweeps(b)
	b.ReportAllocs()
	for b.Loop() {
		if page, err := sweeps.List(noon.Add(5000*time.Minute), 20); len(page) != 20 || err != nil {
			b.Fatal(len(page), err)
		}
	}
}

func BenchmarkSweepsSave(b *testing.B) {
	sweeps := tenThousandSweeps(b)
	r := typicalSweep(noon.Add(20_000 * time.Minute))
	b.ReportAllocs()
	for b.Loop() {
		if err := sweeps.Save(r); err != nil {
			b.Fatal(err)
		}
	}
}
