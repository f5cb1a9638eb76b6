package storage

import (
	"errors"
	"fmt"
	"time"

	"stuckbot/checks/sweep"
	"stuckbot/storage/kv"
)

const sweepPrefix = "sweep/"

// Sweeps keeps the results of sweeps, so that a result can be shown again and compared with the one before.
type Sweeps struct {
	store kv.Store
}

// NewSweeps returns the repository of the sweeps in a store.
func NewSweeps(store kv.Store) *Sweeps { return &Sweeps{store} }

// Save stores r. Its Failures lose their Err, which is of use in this process only. r.At must be set.
func (s *Sweeps) Save(r sweep.Result) error {
	key, err := newTimeKey(sweepPrefix, r.At)
	if err != nil {
		return fmt.Errorf("save sweep: %w", err)
	}
	value, err := encodeSweep(r)
	if err != nil {
		return fmt.Errorf("save sweep: %w", err)
	}
	if err := s.store.Update(func(tx kv.Tx) error { return tx.Put(key, value) }); err != nil {
		return fmt.Errorf("save sweep: %w", err)
	}
	return nil
}

// Latest returns the newest sweep, and whether there is one. If it cannot be decoded, the error is a *ValueError: an older
// one is not shown in its place.
func (s *Sweeps) Latest() (sweep.Result, bool, error) {
	results, err := s.List(time.Time{}, 1)
	if err != nil || len(results) == 0 {
		return sweep.Result{}, false, err
	}
	return results[0], true, nil
}

// List returns sweeps that began before a time, newest first; the zero time is after all. It reads from there no more than
// limit, and more only to complete the last instant, so that the At of the last result is a safe before for the next page.
// Sweeps that cannot be decoded count towards limit: for each the error has a *ValueError, beside the results that can be.
func (s *Sweeps) List(before time.Time, limit int) ([]sweep.Result, error) {
	bound, err := timeKeyBound(sweepPrefix, before)
	if err != nil {
		return nil, fmt.Errorf("list sweeps: %w", err)
	}
	if limit < 1 {
		return nil, nil
	}
	var results []sweep.Result
	var damaged []error
	err = s.store.View(func(tx kv.Tx) error {
		results, damaged = nil, nil
		seen, last := 0, ""
		return tx.Scan(sweepPrefix, kv.ScanOptions{After: bound, Reverse: true}, func(key string, value []byte) (bool, error) {
			at := timeOfKey(sweepPrefix, key)
			if seen >= limit && at != last {
				return false, nil
			}
			seen, last = seen+1, at
			if r, err := decodeSweep(value); err != nil {
				damaged = append(damaged, &ValueError{Key: key, Err: err})
			} else {
				results = append(results, r)
			}
			return true, nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("list sweeps: %w", err)
	}
	return results, errors.Join(damaged...)
}

// Prune removes the oldest sweeps that began before a time, at most limit of them, and returns how many. Call it again while
// it returns limit. It does not decode: what is damaged goes, too.
func (s *Sweeps) Prune(before time.Time, limit int) (int, error) {
	text, err := formatTimeKey(before)
	if err != nil {
		return 0, fmt.Errorf("prune sweeps: %w", err)
	}
	bound := sweepPrefix + text
	var keys []string
	err = s.store.Update(func(tx kv.Tx) error {
		keys = nil
		err := tx.Scan(sweepPrefix, kv.ScanOptions{KeysOnly: true}, func(key string, _ []byte) (bool, error) {
			if len(keys) >= limit || key >= bound {
				return false, nil
			}
			keys = append(keys, key)
			return true, nil
		})
		if err != nil {
			return err
		}
		for _, key := range keys {
			if err := tx.Delete(key); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("prune sweeps: %w", err)
	}
	return len(keys), nil
}
