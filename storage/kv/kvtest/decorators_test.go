package kvtest_test

import (
	"errors"
	"testing"

	"stuckbot/storage/kv"
	"stuckbot/storage/kv/kvtest"
	"stuckbot/storage/kv/memkv"
)

// count is a closure that tells how often it ran, and writes how often it saw a write of its own.
func count(runs *int) func(kv.Tx) error {
	return func(tx kv.Tx) error {
		*runs++
		value, _, err := tx.Get("runs")
		if err != nil {
			return err
		}
		return tx.Put("runs", append(value, '+'))
	}
}

func TestTwiceRunsClosuresTwiceAndKeepsOneRun(t *testing.T) {
	inner := memkv.New()
	s := kvtest.Twice(inner)
	runs := 0
	if err := s.Update(count(&runs)); err != nil || runs != 2 {
		t.Fatalf("update ran its closure %d times: %v", runs, err)
	}
	views := 0
	err := s.View(func(tx kv.Tx) error {
		views++
		if value, _, _ := tx.Get("runs"); string(value) != "+" {
			t.Errorf("stored %q; want what one run writes", value)
		}
		return nil
	})
	if err != nil || views != 2 {
		t.Errorf("view ran its closure %d times: %v", views, err)
	}
}

func TestTwiceReturnsTheErrorOfTheClosure(t *testing.T) {
	s := kvtest.Twice(memkv.New())
	broken := errors.New("broken")
	runs := 0
	fn := func(tx kv.Tx) error { runs++; _ = tx.Put("a", nil); return broken }
	if err := s.Update(fn); !errors.Is(err, broken) || runs != 2 {
		t.Errorf("update = %v after %d runs", err, runs)
	}
	if err := s.View(fn); !errors.Is(err, broken) || runs != 4 {
		t.Errorf("view = %v after %d runs", err, runs)
	}
}

func TestFailingFailsEachOperationAndRollsBack(t *testing.T) {
	broken := errors.New("broken")
	all := func(tx kv.Tx) error {
		_, _, err := tx.Get("k")
		if err := errors.Join(err, tx.Put("k", nil)); err != nil {
			return err
		}
		err = tx.Scan("k", kv.ScanOptions{}, func(string, []byte) (bool, error) { return true, nil })
		return errors.Join(err, tx.Delete("k"), tx.Put("k", []byte("done")))
	}
	for _, op := range []kvtest.Op{kvtest.OpUpdate, kvtest.OpCommit, kvtest.OpGet, kvtest.OpPut, kvtest.OpDelete, kvtest.OpScan} {
		inner := memkv.New()
		s := kvtest.Failing(inner, func(o kvtest.Op, key string) error {
			if o == op {
				return broken
			}
			return nil
		})
		if err := s.Update(all); !errors.Is(err, broken) {
			t.Errorf("%s: update = %v", op, err)
		}
		if err := inner.View(func(tx kv.Tx) error {
			if _, ok, _ := tx.Get("k"); ok {
				t.Errorf("%s: something was kept", op)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	}
	s := kvtest.Failing(memkv.New(), func(o kvtest.Op, _ string) error { return map[kvtest.Op]error{kvtest.OpView: broken}[o] })
	if err := errors.Join(s.Update(all)); err != nil {
		t.Errorf("nothing of the update was to fail: %v", err)
	}
	if err := s.View(func(kv.Tx) error { return nil }); !errors.Is(err, broken) {
		t.Errorf("view = %v", err)
	}
}
