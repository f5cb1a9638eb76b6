package kvtest

import (
	"errors"

	"stuckbot/storage/kv"
)

// Twice returns a store that runs every closure twice, the first time for nothing: in Update the first run is rolled back.
// A closure with side effects outside its Tx, such as appending to a variable that it does not reset, shows by them.
func Twice(s kv.Store) kv.Store { return twice{s} }

type twice struct{ kv.Store }

var errFirstRun = errors.New("kvtest: first of two runs")

// View implements kv.Store.
func (s twice) View(fn func(kv.Tx) error) error {
	_ = s.Store.View(fn)
	return s.Store.View(fn)
}

// Update implements kv.Store.
func (s twice) Update(fn func(kv.Tx) error) error {
	err := s.Store.Update(func(tx kv.Tx) error { _ = fn(tx); return errFirstRun })
	if !errors.Is(err, errFirstRun) {
		return err
	}
	return s.Store.Update(fn)
}

// Op is an operation that Failing can let fail.
type Op string

// The operations of a store. For View, Update and Commit, key is empty; for Scan it is the prefix. Commit fails after the
// closure of an Update has returned nil, and rolls it back.
const (
	OpView   Op = "view"
	OpUpdate Op = "update"
	OpCommit Op = "commit"
	OpGet    Op = "get"
	OpPut    Op = "put"
	OpDelete Op = "delete"
	OpScan   Op = "scan"
)

// Failing returns a store whose operations fail with the error that fail returns for them, unless it is nil. fail is
// called before every operation, and by several goroutines if the store is.
func Failing(s kv.Store, fail func(op Op, key string) error) kv.Store { return failing{s, fail} }

type failing struct {
	store kv.Store
	fail  func(Op, string) error
}

// View implements kv.Store.
func (s failing) View(fn func(kv.Tx) error) error {
	if err := s.fail(OpView, ""); err != nil {
		return err
	}
	return s.store.View(func(tx kv.Tx) error { return fn(failingTx{tx, s.fail}) })
}

// Update implements kv.Store.
func (s failing) Update(fn func(kv.Tx) error) error {
	if err := s.fail(OpUpdate, ""); err != nil {
		return err
	}
	return s.store.Update(func(tx kv.Tx) error {
		if err := fn(failingTx{tx, s.fail}); err != nil {
			return err
		}
		return s.fail(OpCommit, "")
	})
}

type failingTx struct {
	kv.Tx
	fail func(Op, string) error
}

// Get implements kv.Tx.
func (t failingTx) Get(key string) ([]byte, bool, error) {
	if err := t.fail(OpGet, key); err != nil {
		return nil, false, err
	}
	return t.Tx.Get(key)
}

// Put implements kv.Tx.
func (t failingTx) Put(key string, value []byte) error {
	if err := t.fail(OpPut, key); err != nil {
		return err
	}
	return t.Tx.Put(key, value)
}

// Delete implements kv.Tx.
func (t failingTx) Delete(key string) error {
	if err := t.fail(OpDelete, key); err != nil {
		return err
	}
	return t.Tx.Delete(key)
}

// Scan implements kv.Tx.
func (t failingTx) Scan(prefix string, o kv.ScanOptions, fn func(string, []byte) (bool, error)) error {
	if err := t.fail(OpScan, prefix); err != nil {
		return err
	}
	return t.Tx.Scan(prefix, o, fn)
}
