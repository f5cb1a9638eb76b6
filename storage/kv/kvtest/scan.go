package kvtest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stuckbot/storage/kv"
)

// awkward are keys around every border that a prefix can have.
func awkward() []string {
	return []string{
		"\x00", "\x00a", "a", "a\x00", "a\xff", "a\xff\x01", "a\xff\xff", "aa", "ab", "b", "b/1", "b/2", "b0",
		"z", "\xfe", "\xff", "\xff\x00", "\xff\xff", "\xff\xff\xff", "\xff\xffa",
	}
}

func putKeys(t *testing.T, s kv.Store, keys ...string) {
	t.Helper()
	var pairs []pair
	for _, key := range keys {
		pairs = append(pairs, pair{key, "value of " + key})
	}
	put(t, s, pairs...)
}

func testScanOrder(t *testing.T, s kv.Store) {
	keys := awkward()
	putKeys(t, s, keys[10:]...)
	putKeys(t, s, keys[:10]...)
	slices.Sort(keys)
	view(t, s, func(tx kv.Tx) error {
		wantScan(t, tx, "", kv.ScanOptions{}, keys...)
		slices.Reverse(keys)
		wantScan(t, tx, "", kv.ScanOptions{Reverse: true}, keys...)
		return nil
	})
}

// testScanPrefixes tries every awkward key, and some that do not exist, as a prefix in both directions.
func testScanPrefixes(t *testing.T, s kv.Store) {
	view(t, s, func(tx kv.Tx) error {
		wantScan(t, tx, "", kv.ScanOptions{})
		wantScan(t, tx, "a", kv.ScanOptions{Reverse: true})
		return nil
	})
	putKeys(t, s, awkward()...)
	view(t, s, func(tx kv.Tx) error {
		for _, prefix := range append(awkward(), "", "c", "b/", "a\xfe", "\xff\xff\xff\xff") {
			wantScan(t, tx, prefix, kv.ScanOptions{}, expected(awkward(), prefix, kv.ScanOptions{})...)
			o := kv.ScanOptions{Reverse: true}
			wantScan(t, tx, prefix, o, expected(awkward(), prefix, o)...)
		}
		return nil
	})
}

// testScanAfter tries every awkward key as After of every prefix, also where it lies outside of the prefix.
func testScanAfter(t *testing.T, s kv.Store) {
	putKeys(t, s, awkward()...)
	view(t, s, func(tx kv.Tx) error {
		for _, prefix := range []string{"", "a", "a\xff", "b/", "c", "\xff", "\xff\xff"} {
			for _, after := range append(awkward(), "a\x01", "b/", "b/1\x00", "b/3", "c", "\xff\xff\xff\xff") {
				for _, reverse := range []bool{false, true} {
					o := kv.ScanOptions{After: after, Reverse: reverse}
					wantScan(t, tx, prefix, o, expected(awkward(), prefix, o)...)
				}
			}
		}
		return nil
	})
}

// expected is the plainest scan there is.
func expected(keys []string, prefix string, o kv.ScanOptions) []string {
	var found []string
	for _, key := range keys {
		after := o.After == "" || key > o.After
		if o.Reverse {
			after = o.After == "" || key < o.After
		}
		if strings.HasPrefix(key, prefix) && after {
			found = append(found, key)
		}
	}
	slices.Sort(found)
	if o.Reverse {
		slices.Reverse(found)
	}
	return found
}

func testScanPages(t *testing.T, s kv.Store) {
	var keys []string
	for i := range 97 {
		keys = append(keys, fmt.Sprintf("page/%04d", i))
	}
	putKeys(t, s, append(keys, "pag", "page", "page0")...)
	for _, reverse := range []bool{false, true} {
		var found []string
		o := kv.ScanOptions{Reverse: reverse}
		for {
			var page []string
			view(t, s, func(tx kv.Tx) error {
				page = nil
				return tx.Scan("page/", o, func(key string, _ []byte) (bool, error) {
					page = append(page, key)
					return len(page) < 10, nil
				})
			})
			if len(page) == 0 {
				break
			}
			found = append(found, page...)
			o.After = page[len(page)-1]
		}
		if diff := cmp.Diff(expected(keys, "page/", kv.ScanOptions{Reverse: reverse}), found); diff != "" {
			t.Errorf("reverse %v: joined pages (-want +got):\n%s", reverse, diff)
		}
	}
}

func testScanStops(t *testing.T, s kv.Store) {
	putKeys(t, s, "a", "b", "c", "d")
	view(t, s, func(tx kv.Tx) error {
		var seen []string
		err := tx.Scan("", kv.ScanOptions{}, func(key string, _ []byte) (bool, error) {
			seen = append(seen, key)
			return key != "b", nil
		})
		if diff := cmp.Diff([]string{"a", "b"}, seen); diff != "" {
			t.Errorf("keys seen (-want +got):\n%s", diff)
		}
		return err
	})
}

func testScanError(t *testing.T, s kv.Store) {
	putKeys(t, s, "a", "b", "c")
	broken := errors.New("broken")
	calls := 0
	view(t, s, func(tx kv.Tx) error {
		calls = 0
		err := tx.Scan("", kv.ScanOptions{}, func(string, []byte) (bool, error) { calls++; return true, broken })
		if !same(err, broken) {
			t.Errorf("scan returned %v; want the very error of fn", err)
		}
		wantScan(t, tx, "", kv.ScanOptions{}, "a", "b", "c")
		return nil
	})
	if calls != 1 {
		t.Errorf("fn was called %d times; want 1", calls)
	}
}

func testScanKeysOnly(t *testing.T, s kv.Store) {
	putKeys(t, s, "a", "b", "c")
	view(t, s, func(tx kv.Tx) error {
		for _, reverse := range []bool{false, true} {
			found, err := collect(tx, "", kv.ScanOptions{KeysOnly: true, After: "b", Reverse: reverse})
			want := pair{map[bool]string{false: "c", true: "a"}[reverse], ""}
			if err != nil || len(found) != 1 || found[0] != want {
				t.Errorf("reverse %v: found %v, %v; want %v", reverse, found, err, want)
			}
		}
		return nil
	})
}

func testScanNested(t *testing.T, s kv.Store) {
	putKeys(t, s, "a", "b", "c")
	check := func(tx kv.Tx) error {
		var seen []string
		err := tx.Scan("", kv.ScanOptions{}, func(outer string, _ []byte) (bool, error) {
			wantValue(t, tx, outer, "value of "+outer)
			return true, tx.Scan("", kv.ScanOptions{Reverse: true}, func(inner string, _ []byte) (bool, error) {
				seen = append(seen, outer+inner)
				return true, nil
			})
		})
		if diff := cmp.Diff([]string{"ac", "ab", "aa", "bc", "bb", "ba", "cc", "cb", "ca"}, seen); diff != "" {
			t.Errorf("pairs seen (-want +got):\n%s", diff)
		}
		return err
	}
	view(t, s, check)
	update(t, s, check)
}

func testScanForbidsWrites(t *testing.T, s kv.Store) {
	putKeys(t, s, "a", "b")
	update(t, s, func(tx kv.Tx) error {
		err := tx.Scan("", kv.ScanOptions{}, func(key string, _ []byte) (bool, error) {
			if err := tx.Put(key, []byte("changed")); !errors.Is(err, kv.ErrInScan) {
				t.Errorf("put inside a scan: %v; want ErrInScan", err)
			}
			if err := tx.Delete(key); !errors.Is(err, kv.ErrInScan) {
				t.Errorf("delete inside a scan: %v; want ErrInScan", err)
			}
			return true, nil
		})
		return errors.Join(err, tx.Put("c", []byte("after the scan")))
	})
	wantContents(t, s, pair{"a", "value of a"}, pair{"b", "value of b"}, pair{"c", "after the scan"})
}

// testScanAfterDeletes empties whole pages of a tree and scans before anything is written out.
func testScanAfterDeletes(t *testing.T, s kv.Store) {
	var keys, left []string
	for i := range 2000 {
		keys = append(keys, fmt.Sprintf("k/%05d", i))
	}
	put(t, s, pair{"j", ""}, pair{"l", ""})
	putKeys(t, s, keys...)
	update(t, s, func(tx kv.Tx) error {
		left = nil
		for i, key := range keys {
			if i%700 == 350 {
				left = append(left, key)
			} else if err := tx.Delete(key); err != nil {
				return err
			}
		}
		wantScan(t, tx, "k/", kv.ScanOptions{}, left...)
		backwards := slices.Clone(left)
		slices.Reverse(backwards)
		wantScan(t, tx, "k/", kv.ScanOptions{Reverse: true}, backwards...)
		wantScan(t, tx, "k/", kv.ScanOptions{Reverse: true, After: left[2]}, backwards[1:]...)
		wantScan(t, tx, "", kv.ScanOptions{Reverse: true}, append(append([]string{"l"}, backwards...), "j")...)
		return nil
	})
	view(t, s, func(tx kv.Tx) error { wantScan(t, tx, "k/", kv.ScanOptions{}, left...); return nil })
}

// wantScan compares the keys of a scan; the values are only looked at where putKeys wrote them.
func wantScan(t *testing.T, tx kv.Tx, prefix string, o kv.ScanOptions, want ...string) {
	t.Helper()
	found, err := collect(tx, prefix, o)
	if err != nil {
		t.Errorf("scan %q %+v: %v", prefix, o, err)
		return
	}
	var got []string
	for _, p := range found {
		got = append(got, p.Key)
		if strings.HasPrefix(p.Value, "value of ") && p.Value != "value of "+p.Key {
			t.Errorf("scan %q %+v: %q has the value %q", prefix, o, p.Key, p.Value)
		}
	}
	if !slices.Equal(want, got) {
		t.Errorf("scan %q %+v: keys (-want +got):\n%s", prefix, o, cmp.Diff(want, got))
	}
}
