package kvtest

import (
	"errors"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"stuckbot/storage/kv"
)

func testViewForbidsWrites(t *testing.T, s kv.Store) {
	put(t, s, pair{"a", "1"})
	view(t, s, func(tx kv.Tx) error {
		if err := tx.Put("b", []byte("2")); !errors.Is(err, kv.ErrReadOnly) {
			t.Errorf("put in a view: %v; want ErrReadOnly", err)
		}
		if err := tx.Delete("a"); !errors.Is(err, kv.ErrReadOnly) {
			t.Errorf("delete in a view: %v; want ErrReadOnly", err)
		}
		wantValue(t, tx, "a", "1")
		return nil
	})
	wantContents(t, s, pair{"a", "1"})
}

// testViewIsSnapshot proves that a view sees the state at its beginning however much is written meanwhile, and that the
// writer does not wait for it.
func testViewIsSnapshot(t *testing.T, s kv.Store) {
	put(t, s, pair{"a", "1"}, pair{"b", "1"})
	view(t, s, func(tx kv.Tx) error {
		wantValue(t, tx, "a", "1")
		written := make(chan error)
		go func() {
			for i := range 20 {
				value := []byte(strings.Repeat(strconv.Itoa(i), 30_000))
				err := s.Update(func(tx kv.Tx) error {
					return errors.Join(tx.Put("a", value), tx.Delete("b"), tx.Put("c"+strconv.Itoa(i), value))
				})
				if err != nil {
					written <- err
					return
				}
			}
			written <- nil
		}()
		if err := <-written; err != nil {
			return err
		}
		wantValue(t, tx, "a", "1")
		wantValue(t, tx, "b", "1")
		wantScan(t, tx, "", kv.ScanOptions{}, "a", "b")
		return nil
	})
	if got := len(contents(t, s)); got != 21 {
		t.Errorf("a view begun afterwards sees %d keys; want 21", got)
	}
}

// testViewBesideUpdate proves that a view may begin while an update runs, and does not see what is not committed.
func testViewBesideUpdate(t *testing.T, s kv.Store) {
	put(t, s, pair{"a", "1"})
	update(t, s, func(tx kv.Tx) error {
		if err := errors.Join(tx.Put("a", []byte("2")), tx.Put("b", []byte("2"))); err != nil {
			return err
		}
		var seen []pair
		read := make(chan error)
		go func() {
			read <- s.View(func(tx kv.Tx) (err error) { seen, err = collect(tx, "", kv.ScanOptions{}); return err })
		}()
		if err := <-read; err != nil {
			return err
		}
		if len(seen) != 1 || seen[0] != (pair{"a", "1"}) {
			t.Errorf("a view beside the update sees %v", seen)
		}
		return nil
	})
	wantContents(t, s, pair{"a", "2"}, pair{"b", "2"})
}

func testRollbackOnError(t *testing.T, s kv.Store) {
	put(t, s, pair{"a", "1"}, pair{"b", "1"})
	broken := errors.New("broken")
	err := s.Update(func(tx kv.Tx) error {
		if err := errors.Join(tx.Put("a", []byte("2")), tx.Delete("b"), tx.Put("c", []byte("2"))); err != nil {
			return err
		}
		return broken
	})
	if !same(err, broken) {
		t.Errorf("update returned %v; want the very error of its closure", err)
	}
	if err := s.View(func(kv.Tx) error { return broken }); !same(err, broken) {
		t.Errorf("view returned %v; want the very error of its closure", err)
	}
	wantContents(t, s, pair{"a", "1"}, pair{"b", "1"})
	put(t, s, pair{"a", "3"})
	wantContents(t, s, pair{"a", "3"}, pair{"b", "1"})
}

func testRollbackOnPanic(t *testing.T, s kv.Store) {
	put(t, s, pair{"a", "1"})
	recovered := func(run func()) (r any) {
		defer func() { r = recover() }()
		run()
		return nil
	}
	if r := recovered(func() {
		_ = s.Update(func(tx kv.Tx) error { _ = tx.Put("a", []byte("2")); panic("in update") })
	}); r != "in update" {
		t.Errorf("recovered %v from the update", r)
	}
	if r := recovered(func() { _ = s.View(func(kv.Tx) error { panic("in view") }) }); r != "in view" {
		t.Errorf("recovered %v from the view", r)
	}
	if r := recovered(func() {
		_ = s.Update(func(tx kv.Tx) error {
			_ = tx.Put("b", nil)
			return tx.Scan("", kv.ScanOptions{}, func(string, []byte) (bool, error) { panic("in scan") })
		})
	}); r != "in scan" {
		t.Errorf("recovered %v from the scan", r)
	}
	wantContents(t, s, pair{"a", "1"})
	put(t, s, pair{"a", "3"})
	wantContents(t, s, pair{"a", "3"})
}

// testRollbackOnGoexit covers t.FailNow inside a closure: the next writer must not wait for ever.
func testRollbackOnGoexit(t *testing.T, s kv.Store) {
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = s.Update(func(tx kv.Tx) error { _ = tx.Put("a", []byte("1")); runtime.Goexit(); return nil })
	})
	wg.Wait()
	wantContents(t, s)
	put(t, s, pair{"b", "2"})
	wantContents(t, s, pair{"b", "2"})
}

func testRefusedWrite(t *testing.T, s kv.Store) {
	update(t, s, func(tx kv.Tx) error {
		if err := tx.Put("a", []byte("1")); err != nil {
			return err
		}
		if err := tx.Put("", nil); err == nil {
			t.Error("an empty key was taken")
		}
		if err := tx.Put(strings.Repeat("k", 1<<17), nil); err == nil {
			// A backend without such a limit is fine, too.
			if err := tx.Delete(strings.Repeat("k", 1<<17)); err != nil {
				return err
			}
		}
		return tx.Put("b", []byte("2"))
	})
	wantContents(t, s, pair{"a", "1"}, pair{"b", "2"})
}

func testWritersSerialised(t *testing.T, s kv.Store) {
	const writers, each = 8, 10
	var wg sync.WaitGroup
	errs := make(chan error, writers*each)
	for range writers {
		wg.Go(func() {
			for range each {
				errs <- s.Update(func(tx kv.Tx) error {
					value, _, err := tx.Get("counter")
					if err != nil {
						return err
					}
					n, _ := strconv.Atoi(string(value))
					return tx.Put("counter", []byte(strconv.Itoa(n+1)))
				})
			}
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	wantContents(t, s, pair{"counter", strconv.Itoa(writers * each)})
}

func testTxDone(t *testing.T, s kv.Store) {
	put(t, s, pair{"a", "1"})
	var leaked []kv.Tx
	update(t, s, func(tx kv.Tx) error { leaked = append(leaked, tx); return nil })
	view(t, s, func(tx kv.Tx) error { leaked = append(leaked, tx); return nil })
	_ = s.Update(func(tx kv.Tx) error { leaked = append(leaked, tx); return errors.New("rolled back") })
	for _, tx := range leaked {
		_, _, err := tx.Get("a")
		errs := map[string]error{
			"get": err, "put": tx.Put("b", nil), "delete": tx.Delete("a"),
			"scan": tx.Scan("", kv.ScanOptions{}, func(string, []byte) (bool, error) { return true, nil }),
		}
		for op, err := range errs {
			if !errors.Is(err, kv.ErrTxDone) {
				t.Errorf("%s after the closure returned: %v; want ErrTxDone", op, err)
			}
		}
	}
	wantContents(t, s, pair{"a", "1"})
}
