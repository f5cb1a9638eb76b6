package boltkv

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
)

// The layout of a bbolt file, format version 2 (go.etcd.io/bbolt@v1.5.0/internal/common/{page,meta,bucket}.go). Numbers
// have the byte order of the machine.
const (
	boltMagic   = 0xED0CDAED
	boltVersion = 2

	pageHeader    = 16 // id uint64, flags uint16, count uint16, overflow uint32
	elementHeader = 16 // leaf: flags, pos, ksize, vsize uint32; branch: pos, ksize uint32, child uint64
	bucketHeader  = 16 // root uint64, sequence uint64; an inline page follows if root is 0
	metaSize      = 64 // magic, version, pageSize, flags uint32, root, sequence, freelist, pages, tx, checksum uint64

	branchPage   = 0x01
	leafPage     = 0x02
	metaPage     = 0x04
	freelistPage = 0x10

	bucketFlag = 0x01
	noFreelist = ^uint64(0)
	maxDepth   = 64 // no tree that fits on a disk is as deep
)

// inspectLimit is how much of a file inspect reads: 1 GiB takes about a second, and this program's database is far smaller.
// What lies beyond is only guarded when it is used.
const inspectLimit = 1 << 30

// finding is what inspect found wrong.
type finding struct {
	kind   error // ErrDamaged or ErrForeign
	detail string
	err    error
}

// Error implements error.
func (f *finding) Error() string { return fmt.Sprintf("%v: %s: %v", f.kind, f.detail, f.err) }

func damagedf(format string, args ...any) error {
	return &finding{kind: ErrDamaged, detail: fmt.Sprintf(format, args...)}
}

// structure is what inspect learned of a file that is in order.
type structure struct {
	// freelist tells whether the list of free pages is stored. When it is not, bbolt is to leave it so: it would store the
	// list as soon as it opens the file for writing, before anybody has decided that the database is wanted.
	freelist bool
}

// inspect proves, by reading only, that a file holds a bbolt database with a bucket of the name marker, and that bbolt can
// walk it: bbolt maps the file into memory and follows its pointers, and a damaged one makes it panic, crash the process, or
// overwrite what is still in use. Both meta pages must be intact, byte for byte. bbolt itself would be content with one, and
// so go back silently to the transaction before; a plan whose step was begun in the lost one could be repeated.
//
// It does not see changed values: bbolt has no checksums for data.
func inspect(r io.ReaderAt, size, limit int64, marker string) (structure, error) {
	m, err := readMeta(r, size)
	if err != nil {
		return structure{}, err
	}
	in := &inspection{r: r, meta: m, used: make([]bool, m.pages), budget: limit / int64(m.pageSize)}
	in.used[0], in.used[1] = true, true
	roots, err := in.tree(m.root)
	if err != nil {
		return structure{}, err
	}
	if _, ok := roots[marker]; !ok {
		return structure{}, &finding{kind: ErrForeign, detail: "a bbolt database of another program"}
	}
	for _, root := range roots {
		if err := in.bucket(root, 0); err != nil {
			return structure{}, err
		}
	}
	return structure{freelist: m.freelist != noFreelist}, in.freelist()
}

// inspection is the state of one walk.
type inspection struct {
	r       io.ReaderAt
	meta    meta
	used    []bool // by page id: referred to by the walk, or an overflow of such a page
	budget  int64  // how many more pages are read
	scratch []byte
}

type meta struct {
	pageSize                  uint32
	root, freelist, pages, tx uint64
}

// readMeta reads both meta pages and returns the newer one.
func readMeta(r io.ReaderAt, size int64) (meta, error) {
	if size == 0 {
		return meta{}, damagedf("the file is empty")
	}
	head := make([]byte, min(size, 2<<16)) // two pages of the largest size
	if _, err := r.ReadAt(head, 0); err != nil {
		return meta{}, &finding{ErrDamaged, "the first pages cannot be read", err}
	}
	if !looksLikeBolt(head) {
		if len(bytes.Trim(head, "\x00")) == 0 {
			return meta{}, damagedf("the first %d bytes are zero", len(head))
		}
		return meta{}, &finding{kind: ErrForeign, detail: "not a bbolt file"}
	}
	m0, err := parseMeta(head, 0)
	if err != nil {
		return meta{}, err
	}
	if int64(len(head)) < 2*int64(m0.pageSize) {
		return meta{}, damagedf("the file ends within the meta pages, after %d bytes", size)
	}
	m1, err := parseMeta(head, m0.pageSize)
	if err != nil {
		return meta{}, err
	}
	if m0.pageSize != m1.pageSize {
		return meta{}, damagedf("the meta pages name different page sizes, %d and %d", m0.pageSize, m1.pageSize)
	}
	m := m0
	if m1.tx > m0.tx {
		m = m1
	}
	if have := uint64(size) / uint64(m.pageSize); m.pages < 3 || m.pages > have {
		return meta{}, damagedf("the file ends after %d of %d pages", have, m.pages)
	}
	return m, nil
}

// looksLikeBolt reports whether one of the places where a meta page may begin has bbolt's magic number, or the file ends
// before the first one, within the header of page 0.
func looksLikeBolt(head []byte) bool {
	if len(head) < pageHeader+4 {
		first := binary.NativeEndian.AppendUint16(make([]byte, 8), metaPage)
		return bytes.HasPrefix(append(first, make([]byte, 6)...), head[:min(len(head), pageHeader)])
	}
	at := func(page int) bool {
		i := page + pageHeader
		return len(head) >= i+4 && binary.NativeEndian.Uint32(head[i:]) == boltMagic
	}
	found := at(0)
	for size := 1 << 9; size <= 1<<16; size <<= 1 {
		found = found || at(size)
	}
	return found
}

// parseMeta reads the meta page that begins at offset at: page 0, or page 1, which begins after the page size.
func parseMeta(head []byte, at uint32) (meta, error) {
	number := min(at, 1)
	if uint32(len(head)) < at+pageHeader+metaSize {
		return meta{}, damagedf("the file ends within meta page %d", number)
	}
	page := head[at:]
	b := page[pageHeader:]
	u32, u64 := binary.NativeEndian.Uint32, binary.NativeEndian.Uint64
	sum := fnv.New64a()
	_, _ = sum.Write(b[:metaSize-8])
	m := meta{pageSize: u32(b[8:]), root: u64(b[16:]), freelist: u64(b[32:]), pages: u64(b[40:]), tx: u64(b[48:])}
	switch {
	case u32(b) != boltMagic || u64(b[56:]) != sum.Sum64():
		return meta{}, damagedf("meta page %d has a wrong checksum", number)
	case u32(b[4:]) != boltVersion:
		return meta{}, &finding{kind: ErrForeign, detail: fmt.Sprintf("bbolt file format %d", u32(b[4:]))}
	case m.pageSize < 1<<9 || m.pageSize > 1<<16 || m.pageSize&(m.pageSize-1) != 0:
		return meta{}, damagedf("meta page %d names a page size of %d", number, m.pageSize)
	}
	// The header and the unused rest have no checksum, but only one right content.
	h := header{id: uint64(number), flags: metaPage}
	rest := page[pageHeader+metaSize : min(len(page), int(m.pageSize))]
	if parseHeader(page) != h || len(bytes.Trim(rest, "\x00")) != 0 {
		return meta{}, damagedf("meta page %d has unexpected content around its record", number)
	}
	return m, nil
}

type header struct {
	id           uint64
	flags, count uint16
	overflow     uint32
}

func parseHeader(page []byte) header {
	e := binary.NativeEndian
	return header{e.Uint64(page), e.Uint16(page[8:]), e.Uint16(page[10:]), e.Uint32(page[12:])}
}

// page reads a page with its overflow, and claims it for one reference. The slice is valid until the next call.
func (in *inspection) page(id uint64) (header, []byte, error) {
	if id < 2 || id >= in.meta.pages {
		return header{}, nil, damagedf("a reference to page %d, of pages 2 to %d", id, in.meta.pages-1)
	}
	size := int(in.meta.pageSize)
	if err := in.read(0, size, id); err != nil {
		return header{}, nil, err
	}
	h := parseHeader(in.scratch)
	if h.id != id {
		return header{}, nil, damagedf("page %d calls itself %d", id, h.id)
	}
	if uint64(h.overflow) >= in.meta.pages-id {
		return header{}, nil, damagedf("page %d overflows by %d pages, beyond the last page", id, h.overflow)
	}
	for i := id; i <= id+uint64(h.overflow); i++ {
		if in.used[i] {
			return header{}, nil, damagedf("page %d is referred to twice", i)
		}
		in.used[i] = true
	}
	whole := size * (1 + int(h.overflow))
	if err := in.read(size, whole, id); err != nil {
		return header{}, nil, err
	}
	in.budget -= 1 + int64(h.overflow)
	return h, in.scratch[:whole], nil
}

// read fills scratch[from:to] from the page id.
func (in *inspection) read(from, to int, id uint64) error {
	if len(in.scratch) < to {
		in.scratch = append(in.scratch[:from], make([]byte, to-from)...)
	}
	if from == to {
		return nil
	}
	_, err := in.r.ReadAt(in.scratch[from:to], int64(id)*int64(in.meta.pageSize)+int64(from))
	if err != nil {
		return &finding{ErrDamaged, fmt.Sprintf("page %d cannot be read", id), err}
	}
	return nil
}
