package boltkv

import "io"

// Marker is the name of the bucket.
const Marker = marker

// Inspect is inspect without the structure.
func Inspect(r io.ReaderAt, size, limit int64) error {
	_, err := inspect(r, size, limit, marker)
	if err != nil {
		return asError("inspected", err)
	}
	return nil
}

// CommitFailed is what Update does with the error of a commit of transaction id.
func (s *Store) CommitFailed(id int, err error) error { return s.commitFailed(id, err) }

// LastTransaction returns the number of the last committed transaction.
func (s *Store) LastTransaction() int {
	tx, err := s.db.Begin(false)
	if err != nil {
		return -1
	}
	defer func() { _ = tx.Rollback() }()
	return tx.ID()
}
