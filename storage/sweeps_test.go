package storage_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stuckbot/checks/sweep"
	"stuckbot/storage"
	"stuckbot/storage/boltkv"
	"stuckbot/storage/kv"
	"stuckbot/storage/kv/kvtest"
	"stuckbot/storage/kv/memkv"
)

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// onEveryStore runs a test on each backend; closures run twice everywhere.
func onEveryStore(t *testing.T, test func(t *testing.T, store kv.Store)) {
	t.Run("memkv", func(t *testing.T) { test(t, kvtest.Twice(memkv.New())) })
	t.Run("boltkv", func(t *testing.T) {
		s, err := boltkv.Open(filepath.Join(t.TempDir(), "stuckbot.db"), boltkv.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		test(t, kvtest.Twice(s))
	})
}

// minutes returns a sweep that began so many minutes after noon.
func minutes(n int) sweep.Result { return sweep.Result{At: noon.Add(time.Duration(n) * time.Minute)} }

func save(t testing.TB, sweeps *storage.Sweeps, results ...sweep.Result) {
	t.Helper()
	for _, r := range results {
		if err := sweeps.Save(r); err != nil {
			t.Fatal(err)
		}
	}
}

// began returns the times of sweeps, in minutes after noon.
func began(results []sweep.Result) []int {
	var at []int
	for _, r := range results {
		at = append(at, int(r.At.Sub(noon)/time.Minute))
	}
	return at
}

func dump(t testing.TB, store kv.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := store.View(func(tx kv.Tx) error {
		clear(all)
		return tx.Scan("", kv.ScanOptions{}, func(key string, value []byte) (bool, error) {
			all[key] = string(value)
			return true, nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestLatestIsTheNewestNotTheLastSaved(t *testing.T) {
	onEveryStore(t, func(t *testing.T, store kv.Store) {
		sweeps := storage.NewSweeps(store)
		if r, ok, err := sweeps.Latest(); ok || err != nil || !r.At.IsZero() {
			t.Errorf("without sweeps: %v, %v, %v", r, ok, err)
		}
		save(t, sweeps, minutes(1), minutes(3), minutes(2))
		if r, ok, err := sweeps.Latest(); !ok || err != nil || !r.At.Equal(minutes(3).At) {
			t.Errorf("latest began at %v, %v, %v", r.At, ok, err)
		}
	})
}

func TestListPagesFromTheNewest(t *testing.T) {
	onEveryStore(t, func(t *testing.T, store kv.Store) {
		sweeps := storage.NewSweeps(store)
		var want []int
		for n := range 25 {
			save(t, sweeps, minutes(n))
			want = append(want, 24-n)
		}
		// What has other prefixes, also next to it, is no sweep.
		putRaw(t, store, "sweep", "x")
		putRaw(t, store, "sweep0", "x")
		putRaw(t, store, "sweeps/2030-01-01T00:00:00.000000000Z/x", "x")
		var got []int
		var before time.Time
		for {
			page, err := sweeps.List(before, 10)
			if err != nil {
				t.Fatal(err)
			}
			if len(page) == 0 {
				break
			}
			got = append(got, began(page)...)
			before = page[len(page)-1].At
		}
		if !slices.Equal(want, got) {
			t.Errorf("pages joined: %v; want %v", got, want)
		}
		for _, tt := range []struct {
			before time.Time
			limit  int
			want   []int
		}{
			{noon, 5, nil},
			{noon.Add(time.Nanosecond), 5, []int{0}},
			{minutes(3).At, 2, []int{2, 1}},
			{minutes(1000).At, 1, []int{24}},
			{time.Time{}, 0, nil},
			{time.Time{}, -1, nil},
		} {
			page, err := sweeps.List(tt.before, tt.limit)
			if err != nil || !slices.Equal(tt.want, began(page)) {
				t.Errorf("before %v, limit %d: %v, %v; want %v", tt.before, tt.limit, began(page), err, tt.want)
			}
		}
	})
}

func putRaw(t testing.TB, store kv.Store, key, value string) {
	t.Helper()
	if err := store.Update(func(tx kv.Tx) error { return tx.Put(key, []byte(value)) }); err != nil {
		t.Fatal(err)
	}
}

func TestSweepsOfOneInstantAreKeptAndPagedTogether(t *testing.T) {
	onEveryStore(t, func(t *testing.T, store kv.Store) {
		sweeps := storage.NewSweeps(store)
		save(t, sweeps, minutes(1), minutes(2), minutes(2), minutes(2), minutes(3))
		page, err := sweeps.List(time.Time{}, 2)
		if want := []int{3, 2, 2, 2}; err != nil || !slices.Equal(want, began(page)) {
			t.Errorf("first page: %v, %v; want %v", began(page), err, want)
		}
		page, err = sweeps.List(page[len(page)-1].At, 2)
		if want := []int{1}; err != nil || !slices.Equal(want, began(page)) {
			t.Errorf("second page: %v, %v; want %v", began(page), err, want)
		}
	})
}

func TestPruneRemovesTheOldestInSteps(t *testing.T) {
	onEveryStore(t, func(t *testing.T, store kv.Store) {
		sweeps := storage.NewSweeps(store)
		putRaw(t, store, "schema", "1")
		putRaw(t, store, "sweep/2026-01-31T12:01:30.000000000Z/damaged", "{")
		putRaw(t, store, "zzz", "other")
		for n := range 10 {
			save(t, sweeps, minutes(n))
		}
		for _, want := range []int{0, 3, 3, 0} {
			limit := 3
			before := minutes(5).At
			if want == 0 {
				before = noon // nothing is older
			}
			if n, err := sweeps.Prune(before, limit); err != nil || n != want {
				t.Errorf("pruned %d, %v; want %d", n, err, want)
			}
		}
		left, err := sweeps.List(time.Time{}, 100)
		if want := []int{9, 8, 7, 6, 5}; err != nil || !slices.Equal(want, began(left)) {
			t.Errorf("left: %v, %v; want %v", began(left), err, want)
		}
		if n := len(dump(t, store)); n != 7 {
			t.Errorf("%d keys are left; want 7: nothing else is pruned", n)
		}
		if n, err := sweeps.Prune(minutes(100).At, 0); n != 0 || err != nil {
			t.Errorf("limit 0: pruned %d, %v", n, err)
		}
	})
}

func TestADamagedSweepIsNamedAndNotDropped(t *testing.T) {
	const key = "sweep/2026-01-31T12:01:30.000000000Z/damaged"
	good := `{"v":1,"at":"2026-01-31T12:01:30Z"`
	for name, value := range map[string]string{
		"empty": "", "half": good, "no object": `[]`, "null": "null", "no form": `{"at":"2026-01-31T12:01:30Z"}`,
		"a newer form": strings.Replace(good, `"v":1`, `"v":2`, 1) + "}", "a wrong type": good + `,"clusters":"x"}`,
		"an unknown field": good + `,"clustres":[]}`, "more behind it": good + "}{}", "a wrong time": `{"v":1,"at":"noon"}`,
	} {
		t.Run(name, func(t *testing.T) {
			onEveryStore(t, func(t *testing.T, store kv.Store) {
				sweeps := storage.NewSweeps(store)
				save(t, sweeps, minutes(1), minutes(2))
				putRaw(t, store, key, value)
				results, err := sweeps.List(time.Time{}, 10)
				wantValueError(t, err, key)
				if want := []int{2, 1}; !slices.Equal(want, began(results)) {
					t.Errorf("beside it: %v; want %v", began(results), want)
				}
				if results, err = sweeps.List(minutes(2).At, 1); len(results) != 0 {
					t.Errorf("a damaged sweep does not count: %v", began(results))
				}
				wantValueError(t, err, key)
				putRaw(t, store, "sweep/2026-01-31T13:00:00.000000000Z/damaged", value)
				_, ok, err := sweeps.Latest()
				if ok {
					t.Error("an older sweep is shown as the latest")
				}
				wantValueError(t, err, "sweep/2026-01-31T13:00:00.000000000Z/damaged")
				if len(dump(t, store)) != 4 {
					t.Error("something was removed")
				}
			})
		})
	}
}

func wantValueError(t *testing.T, err error, key string) {
	t.Helper()
	var facts *storage.ValueError
	if !errors.Is(err, storage.ErrValue) || !errors.As(err, &facts) || facts.Key != key || !strings.Contains(err.Error(), key) {
		t.Errorf("%v; want a ValueError with the key %s", err, key)
	}
}

func TestErrorsOfTheStoreAreReturned(t *testing.T) {
	broken := errors.New("broken")
	for _, op := range []kvtest.Op{
		kvtest.OpView, kvtest.OpUpdate, kvtest.OpCommit, kvtest.OpPut, kvtest.OpDelete, kvtest.OpScan,
	} {
		inner := memkv.New()
		save(t, storage.NewSweeps(inner), minutes(1))
		before := dump(t, inner)
		sweeps := storage.NewSweeps(kvtest.Failing(inner, func(o kvtest.Op, _ string) error {
			if o == op {
				return broken
			}
			return nil
		}))
		_, _, latestErr := sweeps.Latest()
		_, pruneErr := sweeps.Prune(minutes(5).At, 5)
		reads, writes := op == kvtest.OpView || op == kvtest.OpScan, op != kvtest.OpView
		if errors.Is(latestErr, broken) != reads {
			t.Errorf("%s fails: latest = %v", op, latestErr)
		}
		if errors.Is(pruneErr, broken) != (writes && op != kvtest.OpPut) {
			t.Errorf("%s fails: prune = %v", op, pruneErr)
		}
		if pruneErr != nil {
			if diff := cmp.Diff(before, dump(t, inner)); diff != "" {
				t.Errorf("%s fails: prune changed\n%s", op, diff)
			}
		}
		saveErr := sweeps.Save(minutes(2))
		if errors.Is(saveErr, broken) != slices.Contains([]kvtest.Op{kvtest.OpUpdate, kvtest.OpCommit, kvtest.OpPut}, op) {
			t.Errorf("%s fails: save = %v", op, saveErr)
		}
	}
}
