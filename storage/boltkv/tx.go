package boltkv

import (
	"bytes"
	"errors"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"stuckbot/storage/kv"
)

// tx is one transaction. Everything that touches bbolt goes through a guard.
type tx struct {
	store    *Store
	tx       *bolt.Tx
	bucket   *bolt.Bucket
	writable bool
	scans    int // how many Scans are running
	done     bool
}

// end rolls back what was not committed.
func (t *tx) end() {
	if t.done {
		return
	}
	t.done = true
	_ = t.store.guard(func() { _ = t.tx.Rollback() }) // it has no errors, and a panic stops the store
}

func (t *tx) commit() error {
	t.done = true
	id := t.tx.ID()
	var err error
	if guardErr := t.store.guard(func() { err = t.tx.Commit() }); guardErr != nil {
		return guardErr
	}
	if err != nil {
		return t.store.commitFailed(id, err)
	}
	return nil
}

// commitFailed says what has become of the transaction id, whose commit gave err. bbolt has rolled it back, unless the very
// last step failed: the new meta page was written, and the disk did not confirm it. Then it is visible, and may be gone after
// a crash. The store stops, since only a look at what the disk has can tell.
func (s *Store) commitFailed(id int, err error) error {
	reached := false
	guardErr := s.guard(func() {
		if tx, beginErr := s.db.Begin(false); beginErr == nil {
			reached = tx.ID() >= id
			_ = tx.Rollback()
		}
	})
	switch {
	case guardErr != nil:
		return guardErr
	case reached:
		return s.fail(&Error{Kind: kv.ErrUncertain, Path: s.path, Detail: "the disk did not confirm the last write", Err: err})
	case full(err):
		return &Error{Kind: ErrNotStored, Path: s.path, Err: fmt.Errorf("%w: %w", ErrFull, err)}
	default:
		return &Error{Kind: ErrNotStored, Path: s.path, Err: err}
	}
}

// Get implements kv.Tx.
func (t *tx) Get(key string) (value []byte, ok bool, err error) {
	if t.done {
		return nil, false, kv.ErrTxDone
	}
	err = t.store.guard(func() {
		if v := t.bucket.Get([]byte(key)); v != nil {
			value, ok = own(v), true
		}
	})
	return value, ok, err
}

// Put implements kv.Tx.
func (t *tx) Put(key string, value []byte) error {
	if err := t.mayWrite(); err != nil {
		return err
	}
	if key == "" {
		return kv.ErrEmptyKey
	}
	var err error
	guardErr := t.store.guard(func() { err = t.bucket.Put([]byte(key), own(value)) }) // bbolt keeps the slice until commit
	return errors.Join(guardErr, err)
}

// Delete implements kv.Tx.
func (t *tx) Delete(key string) error {
	if err := t.mayWrite(); err != nil {
		return err
	}
	var err error
	guardErr := t.store.guard(func() { err = t.bucket.Delete([]byte(key)) })
	return errors.Join(guardErr, err)
}

func (t *tx) mayWrite() error {
	switch {
	case t.done:
		return kv.ErrTxDone
	case !t.writable:
		return kv.ErrReadOnly
	case t.scans > 0:
		return kv.ErrInScan
	default:
		return nil
	}
}

// Scan implements kv.Tx.
func (t *tx) Scan(prefix string, o kv.ScanOptions, fn func(string, []byte) (bool, error)) error {
	if t.done {
		return kv.ErrTxDone
	}
	t.scans++
	defer func() { t.scans-- }()
	next := t.ascending(prefix, o.After)
	if o.Reverse {
		next = t.descending(prefix, o.After)
	}
	for {
		var key string // never empty where there is one
		var value []byte
		err := t.store.guard(func() {
			k, v := next()
			key = string(k)
			if k != nil && !o.KeysOnly {
				value = own(v)
			}
		})
		if err != nil || key == "" {
			return err
		}
		if more, err := fn(key, value); err != nil || !more {
			return err
		}
	}
}

// ascending returns a function that steps through the keys of a prefix that lie after a key, and returns nil at the end.
func (t *tx) ascending(prefix, after string) func() (key, value []byte) {
	var c *bolt.Cursor
	return func() (k, v []byte) {
		if c != nil {
			k, v = c.Next()
		} else {
			c = t.bucket.Cursor()
			k, v = c.Seek([]byte(max(prefix, after)))
			if k != nil && string(k) == after {
				k, v = c.Next()
			}
		}
		if !bytes.HasPrefix(k, []byte(prefix)) {
			return nil, nil
		}
		return k, v
	}
}

// maxEmptyPages is more than one transaction can empty in a row.
const maxEmptyPages = 1 << 22

// descending is ascending backwards, from before a key. bbolt's Prev returns nil at the beginning, and also where it comes
// upon a page that this transaction has emptied. So the key to end with is looked up first, and nil means: go on.
func (t *tx) descending(prefix, before string) func() (key, value []byte) {
	end, bounded := successor(prefix)
	if before != "" && (!bounded || before < end) {
		end, bounded = before, true
	}
	var c *bolt.Cursor
	var last []byte
	started := false
	return func() (k, v []byte) {
		switch {
		case !started:
			started = true
			c = t.bucket.Cursor()
			last, _ = c.Seek([]byte(prefix))
			if !bytes.HasPrefix(last, []byte(prefix)) || bounded && string(last) >= end {
				last = nil
				return nil, nil
			}
			k, v = seekBefore(c, end, bounded)
		case last == nil:
			return nil, nil
		default:
			k, v = c.Prev()
		}
		for empty := 0; k == nil; empty++ {
			if empty > maxEmptyPages {
				panic("the first key of a range is not found backwards")
			}
			k, v = c.Prev()
		}
		if bytes.Equal(k, last) {
			last = nil
		}
		return k, v
	}
}

// seekBefore moves c to the last key before end, or to the last key. It may return nil although there is one further back.
func seekBefore(c *bolt.Cursor, end string, bounded bool) (key, value []byte) {
	if bounded {
		if k, _ := c.Seek([]byte(end)); k != nil {
			return c.Prev()
		}
	}
	return c.Last()
}

// successor returns the smallest string that is greater than all that begin with prefix; there is none after 0xff bytes.
func successor(prefix string) (string, bool) {
	for i := len(prefix) - 1; i >= 0; i-- { // strings.TrimRight would take other bytes that are no text for 0xff
		if prefix[i] != 0xff {
			return prefix[:i] + string([]byte{prefix[i] + 1}), true
		}
	}
	return "", false
}

// own copies memory of bbolt's, which may not be used after the transaction; the copy is never nil.
func own(b []byte) []byte { return append(make([]byte, 0, len(b)), b...) }
