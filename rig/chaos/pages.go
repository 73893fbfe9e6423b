package chaos

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	bolt "go.etcd.io/bbolt"

	"anond/incremental/boltstore"
	"anond/incremental/state"
)

// Which pages of a state file are lost, and what bit of one is turned.

const pageSize = 4096 // of the state file, as bbolt writes it here

// written reads what was ever written of a state file, behind which it has room for later: up to the page that the meta pages, the first
// two, have for the first that was never used. It takes the room of what is given.
func written(f io.ReaderAt, size int64, room []byte) ([]byte, error) {
	var meta [2 * pageSize]byte
	if _, err := f.ReadAt(meta[:], 0); err != nil {
		return nil, err
	}
	const firstUnused = 56
	pages := max(binary.NativeEndian.Uint64(meta[firstUnused:]), binary.NativeEndian.Uint64(meta[pageSize+firstUnused:]))
	if pages < uint64(size)/pageSize {
		size = int64(pages) * pageSize
	}
	room = slices.Grow(room[:0], int(size))[:size]
	_, err := f.ReadAt(room, 0)
	return room, err
}

// laidOut is a state as a file whose pages lie where they must: in a file of the daemon that follows from the order of Go's maps, so that
// the same fault would do something else each time. What is no state stays as it is.
func (s *site) laidOut(image []byte) (out []byte, err error) {
	path := s.path("laid-out.db")
	defer os.Remove(path)
	if err := os.WriteFile(path, image, 0o600); err != nil {
		return nil, err
	}
	defer func() {
		if recover() != nil { // bbolt panics at damage
			out, err = image, nil
		}
	}()
	from, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true})
	if err != nil {
		return image, nil
	}
	defer from.Close()
	defer os.Remove(path + ".copy")
	to, err := bolt.Open(path+".copy", 0o600, &bolt.Options{NoSync: true, NoGrowSync: true, FreelistType: bolt.FreelistArrayType,
		PageSize: pageSize})
	if err != nil {
		return nil, err
	}
	err = from.View(func(tx *bolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bolt.Bucket) error { // one transaction each: within one, the order is that of a map
			return to.Update(func(tx *bolt.Tx) error {
				into, err := tx.CreateBucket(name)
				if err != nil {
					return err
				}
				return errors.Join(into.SetSequence(b.Sequence()), b.ForEach(into.Put))
			})
		})
	})
	if err := errors.Join(err, to.Close()); err != nil {
		return nil, fmt.Errorf("lay out a state: %w", err)
	}
	return os.ReadFile(path + ".copy")
}

// spoilState puts a state with a turned bit in place: any bit, or, for every other fault, one with which the check of a
// state finds damage, if there is one among some tries. Most bits of a file are of free pages, or behind what a page has.
func (s *site) spoilState(image []byte, draw uint32) error {
	tries := []uint32{1, 24}[draw>>12&1]
	damage := func(fault string) bool { return strings.Contains(fault, state.ErrCorrupt.Error()) }
	image, err := s.laidOut(image)
	if err != nil {
		return err
	}
	for i := range tries {
		if err := os.WriteFile(s.config.State.Path, flippedState(image, draw+i*2654435761), 0o600); err != nil {
			return err
		}
		if faults, err := boltstore.Check(s.config.State.Path, boltstore.Options{}); err != nil || slices.ContainsFunc(faults, damage) {
			return nil
		}
	}
	return nil
}

// flippedState turns a bit of a page of the state file that was ever written: most of the file is room for later.
// Every other one is in the header of the page, where it does most.
func flippedState(image []byte, draw uint32) []byte {
	var pages []int
	for at := 0; at < len(image); at += pageSize {
		if !bytes.Equal(image[at:min(len(image), at+pageSize)], make([]byte, pageSize)) {
			pages = append(pages, at)
		}
	}
	at, within := pages[int(draw/16)%len(pages)], pageSize
	if draw%2 == 0 {
		within = 128
	}
	out := bytes.Clone(image)
	out[at+int(draw/16)/len(pages)%within] ^= 1 << (draw / 2 % 8)
	return out
}
