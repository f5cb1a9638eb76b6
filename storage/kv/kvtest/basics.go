package kvtest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"stuckbot/storage/kv"
)

func testPutGet(t *testing.T, s kv.Store) {
	put(t, s, pair{"a", "1"})
	view(t, s, func(tx kv.Tx) error {
		wantValue(t, tx, "a", "1")
		wantAbsent(t, tx, "")
		wantAbsent(t, tx, "b")
		wantAbsent(t, tx, "a\x00")
		return nil
	})
}

func testPutReplaces(t *testing.T, s kv.Store) {
	put(t, s, pair{"a", "a long value"}, pair{"b", "2"})
	put(t, s, pair{"a", "x"}, pair{"a", "y"})
	wantContents(t, s, pair{"a", "y"}, pair{"b", "2"})
}

func testEmptyValue(t *testing.T, s kv.Store) {
	check := func(tx kv.Tx) error {
		for _, key := range []string{"nil", "empty"} {
			value, ok, err := tx.Get(key)
			if err != nil || !ok || value == nil || len(value) != 0 {
				t.Errorf("get %q = %#v, %v, %v; want an empty value that exists", key, value, ok, err)
			}
		}
		return tx.Scan("", kv.ScanOptions{}, func(key string, value []byte) (bool, error) {
			if value == nil {
				t.Errorf("scan hands out nil for the empty value of %q", key)
			}
			return true, nil
		})
	}
	update(t, s, func(tx kv.Tx) error {
		if err := errors.Join(tx.Put("nil", nil), tx.Put("empty", []byte{})); err != nil {
			return err
		}
		return check(tx)
	})
	view(t, s, check)
}

func testEmptyKey(t *testing.T, s kv.Store) {
	update(t, s, func(tx kv.Tx) error {
		if err := tx.Put("", []byte("x")); !errors.Is(err, kv.ErrEmptyKey) {
			t.Errorf("put of an empty key: %v; want ErrEmptyKey", err)
		}
		wantAbsent(t, tx, "")
		return tx.Delete("")
	})
	wantContents(t, s)
}

func testDelete(t *testing.T, s kv.Store) {
	put(t, s, pair{"a", "1"}, pair{"b", "2"}, pair{"c", "3"})
	update(t, s, func(tx kv.Tx) error {
		err := errors.Join(tx.Delete("b"), tx.Delete("b"), tx.Delete("never there"))
		wantAbsent(t, tx, "b")
		return err
	})
	wantContents(t, s, pair{"a", "1"}, pair{"c", "3"})
	update(t, s, func(tx kv.Tx) error { return errors.Join(tx.Delete("a"), tx.Delete("c")) })
	wantContents(t, s)
	put(t, s, pair{"b", "again"})
	wantContents(t, s, pair{"b", "again"})
}

func testAnyBytes(t *testing.T, s kv.Store) {
	want := []pair{{"\x00", "zero"}, {"\x00\x00", "zeros"}, {"a/b", "slash"}, {"ä\n", "text"}, {"\xff", "\x00\xff"}, {"\xff\xff", "end"}}
	put(t, s, want...)
	wantContents(t, s, want...)
	view(t, s, func(tx kv.Tx) error {
		for _, p := range want {
			wantValue(t, tx, p.Key, p.Value)
		}
		return nil
	})
}

func testLarge(t *testing.T, s kv.Store) {
	key := strings.Repeat("k", 1024)
	sizes := []int{1, 511, 4095, 4096, 4097, 1 << 16, 3 << 20}
	for _, size := range sizes {
		put(t, s, pair{fmt.Sprintf("%s%09d", key[:1015], size), largeValue(size)})
	}
	all := contents(t, s)
	if len(all) != len(sizes) {
		t.Fatalf("%d values stored, %d found", len(sizes), len(all))
	}
	for i, size := range sizes {
		if all[i].Value != largeValue(size) {
			t.Errorf("the value of %d bytes came back changed", size)
		}
	}
	put(t, s, pair{all[len(all)-1].Key, "small again"})
	if got := contents(t, s); got[len(got)-1].Value != "small again" {
		t.Error("a large value is not replaced by a small one")
	}
}

func largeValue(size int) string { return strings.Repeat("0123456789abcdef!", size/17+1)[:size] }

func testSlices(t *testing.T, s kv.Store) {
	scribble := func(b []byte) {
		for i := range b {
			b[i] = 'X'
		}
		_ = append(b, "YY"...)
	}
	var kept []byte
	update(t, s, func(tx kv.Tx) error {
		value := []byte("one")
		if err := errors.Join(tx.Put("a", value), tx.Put("b", []byte("two")), tx.Put("c", []byte("three"))); err != nil {
			return err
		}
		scribble(value)
		got, _, err := tx.Get("b")
		scribble(got)
		return err
	})
	view(t, s, func(tx kv.Tx) error {
		var err error
		if kept, _, err = tx.Get("c"); err != nil {
			return err
		}
		got, _, err := tx.Get("a")
		scribble(got)
		if err != nil {
			return err
		}
		return tx.Scan("", kv.ScanOptions{}, func(_ string, value []byte) (bool, error) { scribble(value); return true, nil })
	})
	wantContents(t, s, pair{"a", "one"}, pair{"b", "two"}, pair{"c", "three"})

	put(t, s, pair{"c", "other"})
	if !bytes.Equal(kept, []byte("three")) {
		t.Errorf("a value that was kept beyond its transaction became %q", kept)
	}
}

func testOwnWrites(t *testing.T, s kv.Store) {
	put(t, s, pair{"a", "1"}, pair{"b", "2"}, pair{"d", "4"})
	update(t, s, func(tx kv.Tx) error {
		if err := errors.Join(tx.Put("a", []byte("new")), tx.Delete("b"), tx.Put("c", []byte("3"))); err != nil {
			return err
		}
		wantValue(t, tx, "a", "new")
		wantAbsent(t, tx, "b")
		wantValue(t, tx, "c", "3")
		wantScan(t, tx, "", kv.ScanOptions{}, "a", "c", "d")
		wantScan(t, tx, "", kv.ScanOptions{Reverse: true}, "d", "c", "a")
		return nil
	})
	wantContents(t, s, pair{"a", "new"}, pair{"c", "3"}, pair{"d", "4"})
}

func wantValue(t *testing.T, tx kv.Tx, key, want string) {
	t.Helper()
	if got, ok, err := tx.Get(key); err != nil || !ok || string(got) != want {
		t.Errorf("get %q = %q, %v, %v; want %q", key, got, ok, err, want)
	}
}

func wantAbsent(t *testing.T, tx kv.Tx, key string) {
	t.Helper()
	if got, ok, err := tx.Get(key); err != nil || ok || got != nil {
		t.Errorf("get %q = %q, %v, %v; want nothing", key, got, ok, err)
	}
}
