package boltkv

import (
	"bytes"
	"encoding/binary"
)

// tree walks the tree of pages below a bucket's root page and returns the buckets it holds: their headers, by name.
func (in *inspection) tree(root uint64) (map[string][]byte, error) {
	buckets := map[string][]byte{}
	return buckets, in.subtree(root, keyRange{}, 0, buckets)
}

// keyRange is what the keys of a subtree must be: the lowest is first, and all are below end. nil says nothing. That first is
// no mere bound matters: bbolt finds a child in its parent by it, and would otherwise add the child again when it writes.
type keyRange struct{ first, end []byte }

// fits reports whether key may be number i of its page, after the key last.
func (r keyRange) fits(i int, last, key []byte) bool {
	if i == 0 && r.first != nil && !bytes.Equal(key, r.first) {
		return false
	}
	return (i == 0 || bytes.Compare(last, key) < 0) && (r.end == nil || bytes.Compare(key, r.end) < 0)
}

func (in *inspection) subtree(id uint64, keys keyRange, depth int, buckets map[string][]byte) error {
	if in.budget <= 0 {
		return nil
	}
	if depth > maxDepth {
		return damagedf("page %d lies deeper than %d levels", id, maxDepth)
	}
	h, page, err := in.page(id)
	if err != nil {
		return err
	}
	switch h.flags {
	case leafPage:
		return leaf(page, h, keys, buckets)
	case branchPage:
		return in.branch(bytes.Clone(page), h, keys, depth, buckets)
	default:
		return damagedf("page %d is of type %#x, not of a tree", id, h.flags)
	}
}

func (in *inspection) branch(page []byte, h header, keys keyRange, depth int, buckets map[string][]byte) error {
	if h.count == 0 {
		return damagedf("page %d is a branch without children", h.id)
	}
	elements := make([]element, h.count)
	var last []byte
	for i := range elements {
		e, err := branchElement(page, h, i)
		if err != nil {
			return err
		}
		if !keys.fits(i, last, e.key) {
			return damagedf("page %d: key %d is out of order", h.id, i)
		}
		elements[i], last = e, e.key
	}
	for i, e := range elements {
		within := keyRange{e.key, keys.end}
		if i+1 < len(elements) {
			within.end = elements[i+1].key
		}
		if err := in.subtree(e.child, within, depth+1, buckets); err != nil {
			return err
		}
	}
	return nil
}

// leaf checks the page of a leaf, which may also be an inline page, and collects the buckets it holds.
func leaf(page []byte, h header, keys keyRange, buckets map[string][]byte) error {
	if h.count == 0 && keys.first != nil {
		return damagedf("page %d is empty", h.id)
	}
	var last []byte
	for i := range int(h.count) {
		e, err := leafElement(page, h, i)
		if err != nil {
			return err
		}
		if !keys.fits(i, last, e.key) {
			return damagedf("page %d: key %d is out of order", h.id, i)
		}
		last = e.key
		if e.bucket {
			if buckets == nil || len(e.value) < bucketHeader {
				return damagedf("page %d: element %d cannot be a bucket", h.id, i)
			}
			buckets[string(e.key)] = bytes.Clone(e.value)
		}
	}
	return nil
}

// bucket checks a bucket by its header: its own tree, or its inline page, and the buckets within.
func (in *inspection) bucket(value []byte, depth int) error {
	if depth > maxDepth {
		return damagedf("buckets within buckets, more than %d", maxDepth)
	}
	root, inline := binary.NativeEndian.Uint64(value), value[bucketHeader:]
	if root == 0 {
		if len(inline) < pageHeader {
			return damagedf("a bucket without pages")
		}
		h := parseHeader(inline)
		if h.flags != leafPage || h.overflow != 0 || h.id != 0 {
			return damagedf("an inline bucket whose page is none")
		}
		return leaf(inline, h, keyRange{}, nil)
	}
	children, err := in.tree(root)
	if err != nil {
		return err
	}
	for _, child := range children {
		if err := in.bucket(child, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// element is a key on a page with what belongs to it.
type element struct {
	key, value []byte
	child      uint64
	bucket     bool
}

func leafElement(page []byte, h header, i int) (element, error) {
	at := pageHeader + i*elementHeader
	if at+elementHeader > len(page) {
		return element{}, damagedf("page %d is too small for %d elements", h.id, h.count)
	}
	u32 := binary.NativeEndian.Uint32
	flags, pos, ksize, vsize := u32(page[at:]), u32(page[at+4:]), u32(page[at+8:]), u32(page[at+12:])
	if flags&^uint32(bucketFlag) != 0 {
		return element{}, damagedf("page %d: element %d has the flags %#x", h.id, i, flags)
	}
	data, err := elementData(page, h, i, pos, uint64(ksize)+uint64(vsize), ksize)
	if err != nil {
		return element{}, err
	}
	return element{key: data[:ksize], value: data[ksize:], bucket: flags&bucketFlag != 0}, nil
}

func branchElement(page []byte, h header, i int) (element, error) {
	at := pageHeader + i*elementHeader
	if at+elementHeader > len(page) {
		return element{}, damagedf("page %d is too small for %d elements", h.id, h.count)
	}
	u32 := binary.NativeEndian.Uint32
	pos, ksize := u32(page[at:]), u32(page[at+4:])
	data, err := elementData(page, h, i, pos, uint64(ksize), ksize)
	return element{key: data, child: binary.NativeEndian.Uint64(page[at+8:])}, err
}

// elementData returns the bytes that element i points to, pos after itself: behind all elements, and within the page.
func elementData(page []byte, h header, i int, pos uint32, length uint64, ksize uint32) ([]byte, error) {
	from := uint64(pageHeader+i*elementHeader) + uint64(pos)
	to := from + length
	if ksize == 0 || from < pageHeader+uint64(h.count)*elementHeader || to > uint64(len(page)) {
		return nil, damagedf("page %d: element %d points outside of its page", h.id, i)
	}
	return page[from:to:to], nil
}

// freelist checks that the list of free pages is one, names each page once, and none that is in use: the next writes go
// there.
func (in *inspection) freelist() error {
	if in.meta.freelist == noFreelist {
		return nil
	}
	h, page, err := in.page(in.meta.freelist)
	if err != nil {
		return err
	}
	if h.flags != freelistPage {
		return damagedf("page %d is of type %#x, not the list of free pages", h.id, h.flags)
	}
	ids := page[pageHeader:]
	count := uint64(h.count)
	if h.count == 0xffff && len(ids) >= 8 { // then the first entry is the count
		count, ids = binary.NativeEndian.Uint64(ids), ids[8:]
	}
	if count > uint64(len(ids)/8) {
		return damagedf("page %d is too small for %d free pages", h.id, count)
	}
	for i := range count {
		id := binary.NativeEndian.Uint64(ids[8*i:])
		if id < 2 || id >= in.meta.pages || in.used[id] {
			return damagedf("page %d calls page %d free, which is in use or does not exist", h.id, id)
		}
		in.used[id] = true
	}
	return nil
}
