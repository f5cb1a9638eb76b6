package boltkv_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	bolt "go.etcd.io/bbolt"

	"stuckbot/storage/boltkv"
)

// The parts of bbolt's pages that the tests damage.
const (
	pageSize     = 4096
	branchPage   = 1
	leafPage     = 2
	freelistPage = 16
	noLimit      = 1 << 40
)

func inspect(data []byte) error {
	return boltkv.Inspect(bytes.NewReader(data), int64(len(data)), noLimit)
}

func needPageSize(t *testing.T) {
	t.Helper()
	if os.Getpagesize() != pageSize {
		t.Fatalf("the offsets in this test are for pages of %d bytes", pageSize)
	}
}

// wantRefused opens what data holds and wants an error of a kind, with the path, and nothing changed or left in its folder.
func wantRefused(t *testing.T, data []byte, kind error) *boltkv.Error {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stuckbot.db")
	writeFile(t, path, data)
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	var facts *boltkv.Error
	for _, readOnly := range []bool{true, false} {
		s, err := boltkv.Open(path, boltkv.Options{ReadOnly: readOnly})
		if err == nil {
			_ = s.Close()
			t.Fatalf("read-only %v: it was opened; want %v", readOnly, kind)
		}
		if !errors.Is(err, kind) || !errors.As(err, &facts) || facts.Path != path || facts.Detail == "" {
			t.Errorf("read-only %v: %v; want %v with path and detail", readOnly, err, kind)
		}
	}
	if !bytes.Equal(data, readFile(t, path)) {
		t.Error("the file was changed")
	}
	after, err := os.Stat(path)
	if err != nil || !after.ModTime().Equal(before.ModTime()) || after.Mode() != before.Mode() {
		t.Errorf("the file was touched: %v, %v", after, err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
	return facts
}

func TestADatabaseInOrderPassesInspection(t *testing.T) {
	_, data := makeDatabase(t)
	if err := inspect(data); err != nil {
		t.Error(err)
	}
}

func TestATruncatedFileIsDamaged(t *testing.T) {
	_, data := makeDatabase(t)
	for size := 0; size < len(data); size += 512 {
		if err := inspect(data[:size]); !errors.Is(err, boltkv.ErrDamaged) {
			t.Errorf("cut to %d bytes: %v; want ErrDamaged", size, err)
		}
	}
	for _, size := range []int{0, 1, 16, 80, 4095, 4096, 8191, 8192, 12288, 20000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) { wantRefused(t, data[:size], boltkv.ErrDamaged) })
	}
}

// wantSame opens data and wants these contents, and that it can be written to and opened again.
func wantSame(t *testing.T, data []byte, want map[string]string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "copy.db")
	writeFile(t, path, data)
	s := open(t, path)
	if diff := cmp.Diff(want, contents(t, s)); diff != "" {
		t.Errorf("accepted, and different (-want +got):\n%s", diff)
	}
	put(t, s, "zz", "written")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	_ = open(t, path).Close()
}

// TestEveryBitOfTheMetaPagesCounts flips every bit of both headers and records, and one bit in 16 bytes of the unused rest.
func TestEveryBitOfTheMetaPagesCounts(t *testing.T) {
	needPageSize(t)
	_, data := makeDatabase(t)
	for i := range 2 * pageSize {
		var bits []int
		switch {
		case i%pageSize < 80:
			bits = []int{0, 1, 2, 3, 4, 5, 6, 7}
		case i%16 == 15 || i%pageSize == 80:
			bits = []int{i % 7}
		}
		for _, bit := range bits {
			data[i] ^= 1 << bit
			if err := inspect(data); !errors.Is(err, boltkv.ErrDamaged) {
				t.Errorf("bit %d of byte %d is flipped: %v; want ErrDamaged", bit, i, err)
			}
			data[i] ^= 1 << bit
		}
	}
	for _, i := range []int{16, 30, 72, 200, pageSize + 16, pageSize + 60, pageSize + 79} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			damaged := bytes.Clone(data)
			damaged[i] ^= 4
			wantRefused(t, damaged, boltkv.ErrDamaged)
		})
	}
}

// TestGarbagePagesAreDamage overwrites page after page. A page that nothing refers to may hold anything.
func TestGarbagePagesAreDamage(t *testing.T) {
	needPageSize(t)
	path, data := makeDatabase(t)
	want := contents(t, open(t, path))
	random := make([]byte, pageSize)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range random {
		random[i] = byte(r.Uint32())
	}
	fills := map[string][]byte{
		"random": random, "zeros": make([]byte, pageSize), "ones": bytes.Repeat([]byte{0xff}, pageSize),
		"meta page": data[:pageSize], "text": bytes.Repeat([]byte("lorem ipsum "), 400)[:pageSize],
	}
	for name, fill := range fills {
		refused := 0
		for page := 0; page < len(data)/pageSize; page++ {
			damaged := bytes.Clone(data)
			copy(damaged[page*pageSize:], fill)
			err := inspect(damaged)
			if err == nil && name == "meta page" && page == 0 {
				continue // its own content
			}
			switch {
			case err == nil:
				if !overflowsLarge(data, page) {
					wantSame(t, damaged, want)
				}
			case !errors.Is(err, boltkv.ErrDamaged):
				t.Errorf("page %d overwritten with %s: %v; want ErrDamaged", page, name, err)
			default:
				refused++
			}
		}
		if refused < 6 {
			t.Errorf("%s: only %d pages were missed", name, refused)
		}
	}
}

// overflowsLarge reports whether the page only holds a piece of the large value, where damage cannot be seen.
func overflowsLarge(data []byte, page int) bool {
	return bytes.HasPrefix(data[page*pageSize:], bytes.Repeat([]byte("L"), 100))
}

// TestDamageThatLooksRightIsFound makes changes that leave every page well formed by itself.
func TestDamageThatLooksRightIsFound(t *testing.T) {
	needPageSize(t)
	_, data := makeDatabase(t)
	e := binary.NativeEndian
	branch, leaf, free := findPage(t, data, branchPage), findPage(t, data, leafPage), currentFreelist(t, data)
	tests := map[string]func(b []byte){
		"a branch is its own child":   func(b []byte) { e.PutUint64(b[branch+16+8:], uint64(branch/pageSize)) },
		"two children are one":        func(b []byte) { copy(b[branch+16+8:branch+16+16], b[branch+32+8:branch+32+16]) },
		"a child beyond the last":     func(b []byte) { e.PutUint64(b[branch+16+8:], 1<<40) },
		"a child is a meta page":      func(b []byte) { e.PutUint64(b[branch+16+8:], 1) },
		"a branch without children":   func(b []byte) { e.PutUint16(b[branch+10:], 0) },
		"too many elements":           func(b []byte) { e.PutUint16(b[leaf+10:], 0xffff) },
		"an overflow beyond the last": func(b []byte) { e.PutUint32(b[leaf+12:], 1<<31) },
		"a key beyond the page":       func(b []byte) { e.PutUint32(b[leaf+16+4:], 1<<31) },
		"a key without length":        func(b []byte) { e.PutUint32(b[leaf+16+8:], 0) },
		"a value beyond the page":     func(b []byte) { e.PutUint32(b[leaf+16+12:], 1<<31) },
		"keys out of order":           func(b []byte) { b[leaf+16+int(e.Uint32(b[leaf+16+4:]))] = 0xff },
		"a value that is a bucket":    func(b []byte) { e.PutUint32(b[leaf+16:], 1) },
		"a value with unknown flags":  func(b []byte) { e.PutUint32(b[leaf+16:], 2) },
		"a page of another type":      func(b []byte) { e.PutUint16(b[leaf+8:], freelistPage) },
		"a page with another number":  func(b []byte) { e.PutUint64(b[leaf:], 3) },
		"a branch that names another first key": func(b []byte) {
			b[branch+16+int(e.Uint32(b[branch+16:]))+int(e.Uint32(b[branch+20:]))-1]--
		},
		"free and in use": func(b []byte) {
			e.PutUint16(b[free+10:], 1)
			e.PutUint64(b[free+16:], uint64(leaf/pageSize))
		},
		"free twice": func(b []byte) {
			e.PutUint16(b[free+10:], 2)
			copy(b[free+24:free+32], b[free+16:free+24])
		},
		"more free pages than entries": func(b []byte) { e.PutUint16(b[free+10:], 0xffff); e.PutUint64(b[free+16:], 1<<50) },
		"a free page that is none":     func(b []byte) { e.PutUint16(b[free+10:], 1); e.PutUint64(b[free+16:], 1<<50) },
		"free pages of another type":   func(b []byte) { e.PutUint16(b[free+8:], leafPage) },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			damaged := bytes.Clone(data)
			change(damaged)
			wantRefused(t, damaged, boltkv.ErrDamaged)
		})
	}
}

// findPage returns the offset of a page of a type that the current state uses: one whose damage is noticed.
func findPage(t *testing.T, data []byte, flags uint16) int {
	t.Helper()
	for at := 2 * pageSize; at < len(data); at += pageSize {
		if binary.NativeEndian.Uint16(data[at+8:]) != flags || binary.NativeEndian.Uint16(data[at+10:]) < 2 {
			continue
		}
		damaged := bytes.Clone(data)
		damaged[at+8] ^= 0x80
		if inspect(damaged) != nil {
			return at
		}
	}
	t.Fatalf("no page of type %d in use", flags)
	return 0
}

func currentFreelist(t *testing.T, data []byte) int {
	t.Helper()
	e := binary.NativeEndian
	at := int(e.Uint64(newestMeta(data, pageSize)[32:])) * pageSize
	if e.Uint16(data[at+8:]) != freelistPage || e.Uint16(data[at+10:]) < 2 {
		t.Fatal("the database has too few free pages for this test")
	}
	return at
}

func TestForeignFilesAreLeftAlone(t *testing.T) {
	needPageSize(t)
	_, ours := makeDatabase(t)
	other := bytes.Clone(ours)
	for _, at := range []int{16, pageSize + 16} { // a later format of bbolt, with right checksums
		binary.NativeEndian.PutUint32(other[at+4:], 3)
		sign(other[at:])
	}
	random := make([]byte, 50_000)
	r := rand.New(rand.NewPCG(3, 3))
	for i := range random {
		random[i] = byte(r.Uint32())
	}
	tests := map[string][]byte{
		"text": []byte("not a database\n"), "sqlite": append([]byte("SQLite format 3\x00"), make([]byte, 8176)...),
		"random": random, "another program's bbolt": foreignBolt(t), "another format": other,
	}
	for name, data := range tests {
		t.Run(name, func(t *testing.T) { wantRefused(t, data, boltkv.ErrForeign) })
	}
}

func foreignBolt(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "other.db")
	makeBolt(t, path, "another program's bucket", nil)
	return readFile(t, path)
}

func makeBolt(t testing.TB, path, bucket string, o *bolt.Options) {
	t.Helper()
	db, err := bolt.Open(path, 0o600, o)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		b, err := tx.CreateBucket([]byte(bucket))
		return errors.Join(err, b.Put([]byte("a"), []byte("1")))
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestZerosAreDamage: a crash of the machine may leave a file with its length and without its content.
func TestZerosAreDamage(t *testing.T) {
	wantRefused(t, make([]byte, 32768), boltkv.ErrDamaged)
}
