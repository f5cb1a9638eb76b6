// Package memkv is a kv.Store in memory, for tests that need no disk. It keeps the promises that kvtest proves, except that
// nothing outlives the process.
package memkv

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"stuckbot/storage/kv"
)

// Store is an empty store when it is new. Every committed state is a slice that never changes again, so that a snapshot is
// a pointer.
type Store struct {
	writer sync.Mutex
	state  atomic.Pointer[[]entry]
}

type entry struct {
	key   string
	value []byte
}

// New returns an empty store.
func New() *Store {
	s := &Store{}
	s.state.Store(&[]entry{})
	return s
}

// View implements kv.Store.
func (s *Store) View(fn func(kv.Tx) error) error {
	t := &tx{entries: *s.state.Load()}
	defer t.end()
	return fn(t)
}

// Update implements kv.Store. It copies the list of entries: fine for the thousands of a test.
func (s *Store) Update(fn func(kv.Tx) error) error {
	s.writer.Lock()
	defer s.writer.Unlock()
	t := &tx{entries: slices.Clone(*s.state.Load()), writable: true}
	defer t.end()
	if err := fn(t); err != nil {
		return err
	}
	s.state.Store(&t.entries)
	return nil
}

type tx struct {
	entries  []entry // sorted by key; the values are never written to
	writable bool
	scans    int // how many Scans are running
	done     bool
}

func (t *tx) end() { t.done = true }

// find returns where key is, or where it would be.
func (t *tx) find(key string) (int, bool) {
	return slices.BinarySearchFunc(t.entries, key, func(e entry, key string) int { return strings.Compare(e.key, key) })
}

// Get implements kv.Tx.
func (t *tx) Get(key string) ([]byte, bool, error) {
	if t.done {
		return nil, false, kv.ErrTxDone
	}
	i, ok := t.find(key)
	if !ok {
		return nil, false, nil
	}
	return own(t.entries[i].value), true, nil
}

// Put implements kv.Tx.
func (t *tx) Put(key string, value []byte) error {
	if err := t.mayWrite(); err != nil {
		return err
	}
	if key == "" {
		return kv.ErrEmptyKey
	}
	i, ok := t.find(key)
	if ok {
		t.entries[i].value = own(value)
		return nil
	}
	t.entries = slices.Insert(t.entries, i, entry{key, own(value)})
	return nil
}

// Delete implements kv.Tx.
func (t *tx) Delete(key string) error {
	if err := t.mayWrite(); err != nil {
		return err
	}
	if i, ok := t.find(key); ok {
		t.entries = slices.Delete(t.entries, i, i+1)
	}
	return nil
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
	for _, e := range t.matching(prefix, o) {
		var value []byte
		if !o.KeysOnly {
			value = own(e.value)
		}
		if more, err := fn(e.key, value); err != nil || !more {
			return err
		}
	}
	return nil
}

// matching returns what a Scan visits, in its order.
func (t *tx) matching(prefix string, o kv.ScanOptions) []entry {
	i, _ := t.find(prefix)
	var found []entry
	for _, e := range t.entries[i:] {
		if !strings.HasPrefix(e.key, prefix) {
			break
		}
		skipped := o.After != "" && (!o.Reverse && e.key <= o.After || o.Reverse && e.key >= o.After)
		if !skipped {
			found = append(found, e)
		}
	}
	if o.Reverse {
		slices.Reverse(found)
	}
	return found
}

// own copies b, so that neither side sees the other's changes; the copy is never nil.
func own(b []byte) []byte { return append(make([]byte, 0, len(b)), b...) }
