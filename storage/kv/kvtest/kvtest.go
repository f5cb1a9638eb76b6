// Package kvtest proves implementations of kv.Store: Run is the conformance suite that every backend passes. Twice and
// Failing are decorators for the tests of what is written against kv.Store.
package kvtest

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stuckbot/storage/kv"
)

// Run proves that a backend keeps the promises of kv.Store. open returns a store that is empty; it belongs to t and is
// closed, where that is needed, in t.Cleanup. Run starts goroutines and needs no particular time.
func Run(t *testing.T, open func(t *testing.T) kv.Store) {
	t.Helper()
	tests := []struct {
		name string
		test func(*testing.T, kv.Store)
	}{
		{"get what was put", testPutGet},
		{"put replaces", testPutReplaces},
		{"an empty value exists", testEmptyValue},
		{"an empty key is refused and nothing else", testEmptyKey},
		{"delete", testDelete},
		{"keys of any bytes", testAnyBytes},
		{"long keys and large values", testLarge},
		{"slices belong to the caller", testSlices},
		{"a transaction sees its own writes", testOwnWrites},
		{"scan is ordered bytewise", testScanOrder},
		{"scan of prefixes", testScanPrefixes},
		{"scan after a key", testScanAfter},
		{"scan pages join", testScanPages},
		{"scan stops early", testScanStops},
		{"scan returns the error of fn", testScanError},
		{"scan of keys only", testScanKeysOnly},
		{"scan within a scan", testScanNested},
		{"scan forbids writes", testScanForbidsWrites},
		{"scan after many deletes in the same transaction", testScanAfterDeletes},
		{"view forbids writes", testViewForbidsWrites},
		{"view is a snapshot", testViewIsSnapshot},
		{"views run beside an update", testViewBesideUpdate},
		{"an error rolls back and is returned as it is", testRollbackOnError},
		{"a panic rolls back and goes on", testRollbackOnPanic},
		{"a goroutine that ends rolls back", testRollbackOnGoexit},
		{"a refused write does not spoil the transaction", testRefusedWrite},
		{"writers are serialised", testWritersSerialised},
		{"a transaction is over when its closure returns", testTxDone},
		{"random transactions against a model", testModel},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.test(t, open(t)) })
	}
}

// pair is a key and its value, for comparison.
type pair struct{ Key, Value string }

func put(t *testing.T, s kv.Store, pairs ...pair) {
	t.Helper()
	err := s.Update(func(tx kv.Tx) error {
		for _, p := range pairs {
			if err := tx.Put(p.Key, []byte(p.Value)); err != nil {
				return fmt.Errorf("put %q: %w", p.Key, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// contents returns everything in the store, in a new snapshot.
func contents(t *testing.T, s kv.Store) []pair {
	t.Helper()
	var all []pair
	if err := s.View(func(tx kv.Tx) (err error) { all, err = collect(tx, "", kv.ScanOptions{}); return err }); err != nil {
		t.Fatal(err)
	}
	return all
}

// collect returns what a scan visits.
func collect(tx kv.Tx, prefix string, o kv.ScanOptions) ([]pair, error) {
	var found []pair
	err := tx.Scan(prefix, o, func(key string, value []byte) (bool, error) {
		found = append(found, pair{key, string(value)})
		return true, nil
	})
	return found, err
}

func wantContents(t *testing.T, s kv.Store, want ...pair) {
	t.Helper()
	if diff := cmp.Diff(want, contents(t, s)); diff != "" {
		t.Errorf("contents of the store (-want +got):\n%s", diff)
	}
}

// same reports whether err is the very error want: it is promised that a closure's error is returned as it is.
func same(err, want error) bool { return err == want } //nolint:errorlint // identity is what is proved

// update and view run fn and fail the test when it returns an error.
func update(t *testing.T, s kv.Store, fn func(kv.Tx) error) {
	t.Helper()
	if err := s.Update(fn); err != nil {
		t.Fatalf("update: %v", err)
	}
}

func view(t *testing.T, s kv.Store, fn func(kv.Tx) error) {
	t.Helper()
	if err := s.View(fn); err != nil {
		t.Fatalf("view: %v", err)
	}
}
