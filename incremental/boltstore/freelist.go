package boltstore

import "encoding/binary"

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
