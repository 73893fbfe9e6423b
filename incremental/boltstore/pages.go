package boltstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	bolt "go.etcd.io/bbolt"

	"anond/incremental/state"
)

// checkTree checks that each page is reached once, before any is searched: bbolt
// follows pages that lead back to themselves without end.
func (s *Store) checkTree() error {
	f, err := os.Open(s.path)
	if err != nil {
		return err
	}
	return errors.Join(s.walk(f), f.Close())
}

func (s *Store) walk(file io.ReaderAt) error {
	return s.db.View(func(tx *bolt.Tx) error {
		size := int64(s.db.Info().PageSize)
		w := walk{file: file, size: size, seen: make([]bool, tx.Size()/size)}
		if err := w.page(uint64(tx.Cursor().Bucket().Root()), true); err != nil {
			return err
		}
		return w.free(uint64(tx.ID()))
	})
}

// walk follows the pages of a bbolt file. Only what leads to other pages is read.
type walk struct {
	file io.ReaderAt
	size int64
	seen []bool
}

// What a page begins with, and its elements, as bbolt writes them.
const (
	pageHeader   = 16
	element      = 16
	branchPage   = 0x01
	leafPage     = 0x02
	bucketInLeaf = 0x01
)

func (w *walk) page(id uint64, top bool) error {
	if id < 2 || id >= uint64(len(w.seen)) {
		return w.broken(id)
	}
	body := make([]byte, w.size)
	if _, err := w.file.ReadAt(body, int64(id)*w.size); err != nil {
		return err
	}
	kind, count, more := binary.NativeEndian.Uint16(body[8:]), int(binary.NativeEndian.Uint16(body[10:])),
		uint64(binary.NativeEndian.Uint32(body[12:]))
	if binary.NativeEndian.Uint64(body) != id || more >= uint64(len(w.seen))-id {
		return w.broken(id)
	}
	for p := id; p <= id+more; p++ {
		if w.seen[p] {
			return w.broken(id)
		}
		w.seen[p] = true
	}
	if top || pageHeader+count*element > len(body) {
		body = make([]byte, int64(more+1)*w.size)
		if _, err := w.file.ReadAt(body, int64(id)*w.size); err != nil {
			return err
		}
	}
	switch {
	case pageHeader+count*element > len(body):
	case kind == branchPage:
		return w.branch(body, count, top)
	case kind == leafPage:
		return w.leaf(id, body, count, top)
	}
	return w.broken(id)
}

func (w *walk) branch(body []byte, count int, top bool) error {
	for i := range count {
		if err := w.page(binary.NativeEndian.Uint64(body[pageHeader+i*element+8:]), top); err != nil {
			return err
		}
	}
	return nil
}

// leaf follows the buckets of a page of the file's own tree; other pages have none. A
// small bucket is in the page itself, and has no root.
func (w *walk) leaf(id uint64, body []byte, count int, top bool) error {
	for i := range count {
		at := pageHeader + i*element
		if binary.NativeEndian.Uint32(body[at:])&bucketInLeaf == 0 {
			continue
		}
		value := at + int(binary.NativeEndian.Uint32(body[at+4:])) + int(binary.NativeEndian.Uint32(body[at+8:]))
		if !top || value+8 > len(body) {
			return w.broken(id)
		}
		if root := binary.NativeEndian.Uint64(body[value:]); root != 0 {
			if err := w.page(root, false); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *walk) broken(id uint64) error {
	return fmt.Errorf("%w: the page structure is broken at page %d", state.ErrCorrupt, id)
}

// Where a meta page, of which there are two, has what is read here; and the list of free
// pages, as bbolt writes it.
const (
	metaFreelist = pageHeader + 32
	metaTxID     = pageHeader + 48
	freelistPage = 0x10
	manyFree     = 0xffff // the count is the first entry
)

// free checks the list of free pages of a transaction. bbolt frees as many pages as the
// list says that it has, which may be thousands of millions, and writes to whatever page
// is on it.
func (w *walk) free(txid uint64) error {
	body := make([]byte, w.size)
	for meta := range int64(2) {
		if _, err := w.file.ReadAt(body, meta*w.size); err != nil {
			return err
		}
		if binary.NativeEndian.Uint64(body[metaTxID:]) == txid {
			return w.freelist(binary.NativeEndian.Uint64(body[metaFreelist:]))
		}
	}
	return w.broken(0)
}

func (w *walk) freelist(id uint64) error {
	if id < 2 || id >= uint64(len(w.seen)) {
		return w.broken(id)
	}
	body := make([]byte, w.size)
	if _, err := w.file.ReadAt(body, int64(id)*w.size); err != nil {
		return err
	}
	more := uint64(binary.NativeEndian.Uint32(body[12:]))
	if binary.NativeEndian.Uint64(body) != id || binary.NativeEndian.Uint16(body[8:]) != freelistPage || more >= uint64(len(w.seen))-id {
		return w.broken(id)
	}
	body = make([]byte, int64(more+1)*w.size)
	if _, err := w.file.ReadAt(body, int64(id)*w.size); err != nil {
		return err
	}
	count, list := uint64(binary.NativeEndian.Uint16(body[10:])), body[pageHeader:]
	if count == manyFree {
		count, list = binary.NativeEndian.Uint64(list), list[8:]
	}
	if count > uint64(len(list)/8) {
		return w.broken(id)
	}
	used := func(p uint64) bool { // and is marked, so that no page is on the list twice
		taken := p < 2 || p >= uint64(len(w.seen)) || w.seen[p]
		if !taken {
			w.seen[p] = true
		}
		return taken
	}
	for p := id; p <= id+more; p++ {
		if used(p) {
			return w.broken(id)
		}
	}
	for i := range count {
		if used(binary.NativeEndian.Uint64(list[8*i:])) {
			return w.broken(id)
		}
	}
	return nil
}
