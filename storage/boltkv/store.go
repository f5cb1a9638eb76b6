// Package boltkv is a kv.Store in one file, by bbolt. One process at a time has it open for writing.
//
// All keys are in one bucket, whose name is the mark by which a file is known as ours. The file has mode 0600 and is created
// whole: what exists at the path and is empty is damage, never a new database. Open changes nothing in a file that it does
// not accept.
package boltkv

import (
	"errors"
	"io"
	"os"
	"sync"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"stuckbot/storage/kv"
)

// marker is the name of the bucket.
const marker = "stuckbot.io/data"

// Store is an open database. It is safe for concurrent use.
type Store struct {
	path   string
	db     *bolt.DB
	file   *os.File // the one that db uses; it carries the lock
	record Holder   // what was written to the record of the holder; zero if nothing was

	// begin is held while a transaction begins. If bbolt panics there, which leaves its locks locked, those who wait here
	// learn of it, instead of waiting inside bbolt for ever.
	begin sync.Mutex
	// writer is full while an Update runs: a lock that can be waited for together with failed.
	writer chan struct{}

	failOnce sync.Once
	failed   chan struct{} // closed when the store was stopped
	reason   *Error        // why; set before failed is closed

	closeOnce sync.Once
	closeErr  error
}

// View implements kv.Store. While it runs, pages that it may still read are not used again, so that the file grows: do not
// wait for people or networks inside.
func (s *Store) View(fn func(kv.Tx) error) error {
	t, err := s.beginTx(false)
	if err != nil {
		return err
	}
	defer t.end()
	if err := fn(t); err != nil {
		return err
	}
	return s.failure()
}

// Update implements kv.Store. An error of its own is an *Error: ErrNotStored, with ErrFull if the space is known to be the
// reason, after which nothing was kept and the store goes on; or the reason for which the store was stopped.
func (s *Store) Update(fn func(kv.Tx) error) error {
	select {
	case s.writer <- struct{}{}:
		defer func() { <-s.writer }()
	case <-s.failed:
		return s.reason
	}
	t, err := s.beginTx(true)
	if err != nil {
		return err
	}
	defer t.end()
	if err := fn(t); err != nil {
		return err
	}
	return t.commit()
}

// Backup writes a consistent copy of the database to w, while it is in use, and returns how many bytes that is. The copy is
// a database that Open takes.
func (s *Store) Backup(w io.Writer) (int64, error) {
	t, err := s.beginTx(false)
	if err != nil {
		return 0, err
	}
	defer t.end()
	n, err := t.tx.WriteTo(w) // reads the file, not the mapped memory
	if err != nil {
		return n, &Error{Path: s.path, Detail: "backup", Err: err}
	}
	return n, nil
}

// Path returns the path that was given to Open.
func (s *Store) Path() string { return s.path }

// Close waits for running transactions, removes the record of the holder and releases the lock. It may be called again.
func (s *Store) Close() error {
	s.closeOnce.Do(func() { s.closeErr = s.close() })
	return s.closeErr
}

func (s *Store) close() error {
	var err error
	if s.record != (Holder{}) {
		err = removeRecord(s.path, s.record) // before the lock is released: afterwards it may be another's
	}
	var closeErr error
	guardErr := s.guard(func() { closeErr = s.db.Close() })
	if guardErr != nil {
		// bbolt may never finish. The mapped memory stays until the process ends, and does no harm.
		unlock(s.file)
		closeErr = s.file.Close()
	}
	if err := errors.Join(err, closeErr); err != nil {
		return &Error{Path: s.path, Detail: "close", Err: err}
	}
	return nil
}

func (s *Store) beginTx(writable bool) (*tx, error) {
	s.begin.Lock()
	defer s.begin.Unlock()
	t := &tx{store: s, writable: writable}
	var err error
	guardErr := s.guard(func() {
		if t.tx, err = s.db.Begin(writable); err == nil {
			t.bucket = t.tx.Bucket([]byte(marker))
		}
	})
	switch {
	case guardErr != nil:
		return nil, guardErr
	case errors.Is(err, bolterrors.ErrDatabaseNotOpen):
		return nil, kv.ErrClosed
	case errors.Is(err, bolterrors.ErrDatabaseReadOnly):
		return nil, kv.ErrReadOnly
	case err != nil:
		return nil, &Error{Path: s.path, Detail: "begin a transaction", Err: err}
	case t.bucket == nil:
		return nil, s.fail(&Error{Kind: ErrDamaged, Path: s.path, Detail: "the bucket has gone"})
	}
	return t, nil
}
