package boltkv_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	bolt "go.etcd.io/bbolt"

	"stuckbot/storage/boltkv"
	"stuckbot/storage/kv"
)

// TestWhatInspectionAcceptsBboltCanUse changes random bytes. A change of a value cannot be seen, but whatever is accepted must
// be read, written to and opened again without an error; a crash ends the test.
func TestWhatInspectionAcceptsBboltCanUse(t *testing.T) {
	_, data := makeDatabase(t)
	accepted := 0
	const tries = 400
	for seed := range uint64(tries) {
		changed := change(data, rand.New(rand.NewPCG(seed, 2)))
		if inspect(changed) != nil {
			continue
		}
		accepted++
		if err := use(filepath.Join(t.TempDir(), "changed.db"), changed, accepted%8 == 0); err != nil {
			t.Fatalf("seed %d was accepted: %v", seed, err)
		}
	}
	if accepted < tries/20 || accepted > tries*19/20 {
		t.Errorf("%d of %d were accepted: the changes prove little", accepted, tries)
	}
}

// change returns data with a few random bytes changed, half of the time within the headers of a page.
func change(data []byte, r *rand.Rand) []byte {
	changed := bytes.Clone(data)
	for range 1 + r.IntN(3) {
		at := 2*pageSize + r.IntN(len(data)-2*pageSize)
		if r.IntN(2) == 0 {
			at = at/pageSize*pageSize + r.IntN(160)
		}
		changed[at] ^= byte(1 << r.IntN(8))
	}
	return changed
}

// use does everything with a database that bbolt can do with it.
func use(path string, data []byte, write bool) error {
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return err
	}
	defer func() { _ = os.Remove(path) }()
	s, err := boltkv.Open(path, boltkv.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	if _, err := readAll(s); err != nil || !write {
		return err
	}
	err = s.Update(func(tx kv.Tx) error {
		for i := range 100 {
			if err := errors.Join(tx.Put(fmt.Sprintf("key/%d/%03d", i%7, i), []byte("new")), tx.Delete("large")); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if _, err := s.Backup(io.Discard); err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	s, err = boltkv.Open(path, boltkv.Options{})
	if err != nil {
		return fmt.Errorf("after writing: %w", err)
	}
	return s.Close()
}

// FuzzInspect changes everything behind the meta pages, which would fail by their checksums, of a small database.
func FuzzInspect(f *testing.F) {
	const small = 512
	path := filepath.Join(f.TempDir(), "small.db")
	makeBolt(f, path, boltkv.Marker, &bolt.Options{PageSize: small})
	s := open(f, path)
	for i := range 8 { // enough for a branch page
		put(f, s, fmt.Sprintf("key/%d", i), string(bytes.Repeat([]byte{'v'}, 60)))
	}
	put(f, s, "large", string(bytes.Repeat([]byte{'L'}, 700)))
	_ = s.Close()
	data := readFile(f, path)
	metas := bytes.Clone(data[:2*small])
	f.Add(data[2*small : binary.NativeEndian.Uint64(newestMeta(data, small)[40:])*small])
	f.Fuzz(func(t *testing.T, pages []byte) {
		changed := append(bytes.Clone(metas), pages...)
		for _, at := range []int{16, small + 16} {
			binary.NativeEndian.PutUint64(changed[at+40:], uint64(len(changed)/small))
			sign(changed[at:])
		}
		if inspect(changed) != nil {
			return
		}
		if err := use(filepath.Join(t.TempDir(), "fuzzed.db"), changed, true); err != nil {
			t.Fatal(err)
		}
	})
}

// sign gives a changed meta record its checksum.
func sign(meta []byte) {
	sum := fnv.New64a()
	_, _ = sum.Write(meta[:56])
	binary.NativeEndian.PutUint64(meta[56:], sum.Sum64())
}

// TestOpenWritesNothingByItself covers the one case in which bbolt would: the list of free pages is not stored.
func TestOpenWritesNothingByItself(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stuckbot.db")
	makeBolt(t, path, boltkv.Marker, &bolt.Options{NoFreelistSync: true})
	before := readFile(t, path)
	s := open(t, path)
	if got := contents(t, s)["a"]; got != "1" {
		t.Errorf("read %q", got)
	}
	if !bytes.Equal(before, readFile(t, path)) {
		t.Error("opening and reading changed the file")
	}
	put(t, s, "b", "2")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"a": "1", "b": "2"}, contents(t, open(t, path))); diff != "" {
		t.Error(diff)
	}
}

// TestInspectionReadsNoMoreThanItsLimit opens a file of any size in bounded time.
func TestInspectionReadsNoMoreThanItsLimit(t *testing.T) {
	needPageSize(t)
	_, data := makeDatabase(t)
	r := &countingReader{r: bytes.NewReader(data)}
	if err := boltkv.Inspect(r, int64(len(data)), 5*pageSize); err != nil {
		t.Fatal(err)
	}
	limited := r.n
	r.n = 0
	if err := boltkv.Inspect(r, int64(len(data)), noLimit); err != nil {
		t.Fatal(err)
	}
	if limited >= r.n {
		t.Errorf("%d bytes were read with a limit, %d without", limited, r.n)
	}
}

type countingReader struct {
	r io.ReaderAt
	n int
}

func (r *countingReader) ReadAt(b []byte, at int64) (int, error) {
	n, err := r.r.ReadAt(b, at)
	r.n += n
	return n, err
}

// TestAReadErrorIsDamage: the disk may not deliver a page.
func TestAReadErrorIsDamage(t *testing.T) {
	_, data := makeDatabase(t)
	broken := errors.New("input/output error")
	for fine := range int64(4) {
		r := &brokenReader{r: bytes.NewReader(data), fine: fine, err: broken}
		err := boltkv.Inspect(r, int64(len(data)), noLimit)
		if !errors.Is(err, boltkv.ErrDamaged) || !errors.Is(err, broken) {
			t.Errorf("read %d fails: %v; want ErrDamaged with the reason", fine, err)
		}
	}
}

type brokenReader struct {
	r    io.ReaderAt
	fine int64
	err  error
}

func (r *brokenReader) ReadAt(b []byte, at int64) (int, error) {
	if r.fine--; r.fine < 0 {
		return 0, r.err
	}
	return r.r.ReadAt(b, at)
}
