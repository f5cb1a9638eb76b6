package kvtest

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stuckbot/storage/kv"
)

// testModel runs random transactions on the store and on a map, and compares every answer. A failure names its seed.
func testModel(t *testing.T, s kv.Store) {
	const seeds, transactions = 6, 15
	for seed := range uint64(seeds) {
		m := &model{rand: rand.New(rand.NewPCG(seed, 1)), committed: map[string]string{}}
		for _, p := range contents(t, s) {
			m.committed[p.Key] = p.Value
		}
		for n := range transactions {
			if err := m.transaction(s); err != nil {
				t.Fatalf("seed %d, transaction %d: %v", seed, n, err)
			}
			if diff := cmp.Diff(m.committed, asMap(contents(t, s))); diff != "" {
				t.Fatalf("seed %d, after transaction %d (-model +store):\n%s", seed, n, diff)
			}
		}
	}
}

type model struct {
	rand      *rand.Rand
	committed map[string]string
}

var errRollback = errors.New("rolled back on purpose")

// transaction runs one update of random operations, a third of them rolled back.
func (m *model) transaction(s kv.Store) error {
	rollback := m.rand.IntN(3) == 0
	pending := maps.Clone(m.committed)
	err := s.Update(func(tx kv.Tx) error {
		for range 1 + m.rand.IntN(200) {
			if err := m.operation(tx, pending); err != nil {
				return err
			}
		}
		if rollback {
			return errRollback
		}
		return nil
	})
	switch {
	case rollback && errors.Is(err, errRollback):
		return nil
	case err != nil:
		return err
	}
	m.committed = pending
	return nil
}

func (m *model) operation(tx kv.Tx, pending map[string]string) error {
	switch n := m.rand.IntN(100); {
	case n < 45:
		key, value := m.key(), strings.Repeat("v", m.rand.IntN(700))
		pending[key] = value
		return tx.Put(key, []byte(value))
	case n < 70:
		key := m.key()
		delete(pending, key)
		return tx.Delete(key)
	case n < 72:
		return m.deleteRange(tx, pending)
	case n < 90:
		key := m.key()
		want, exists := pending[key]
		if got, ok, err := tx.Get(key); err != nil || ok != exists || string(got) != want {
			return fmt.Errorf("get %q = %q, %v, %w; want %q, %v", key, got, ok, err, want, exists)
		}
		return nil
	default:
		return m.scan(tx, pending)
	}
}

// deleteRange removes every key of a prefix, which empties pages of a tree.
func (m *model) deleteRange(tx kv.Tx, pending map[string]string) error {
	found, err := collect(tx, m.key()[:1], kv.ScanOptions{KeysOnly: true})
	if err != nil {
		return err
	}
	for _, p := range found {
		delete(pending, p.Key)
		if err := tx.Delete(p.Key); err != nil {
			return err
		}
	}
	return nil
}

func (m *model) scan(tx kv.Tx, pending map[string]string) error {
	key := m.key()
	prefix := key[:m.rand.IntN(len(key)+1)]
	o := kv.ScanOptions{Reverse: m.rand.IntN(2) == 0}
	if m.rand.IntN(2) == 0 {
		o.After = m.key()
	}
	found, err := collect(tx, prefix, o)
	if err != nil {
		return err
	}
	var want []pair
	for _, key := range expected(slices.Collect(maps.Keys(pending)), prefix, o) {
		want = append(want, pair{key, pending[key]})
	}
	if diff := cmp.Diff(want, found); diff != "" {
		return fmt.Errorf("scan %q %+v (-model +store):\n%s", prefix, o, diff)
	}
	return nil
}

// key returns one of about 1300 keys, dense enough to be met again, with bytes at the borders.
func (m *model) key() string {
	alphabet := []byte{0x00, 'a', 'b', 'm', 0xfe, 0xff}
	key := make([]byte, 1+m.rand.IntN(4))
	for i := range key {
		key[i] = alphabet[m.rand.IntN(len(alphabet))]
	}
	return string(key)
}

func asMap(pairs []pair) map[string]string {
	all := make(map[string]string, len(pairs))
	for _, p := range pairs {
		all[p.Key] = p.Value
	}
	return all
}
