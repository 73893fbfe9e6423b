package boltstore

import (
	"bytes"
	"errors"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"anond/incremental/erase"
	"anond/incremental/state"
)

// Forget lets the state of a running daemon forget people: in one transaction, so that after a
// crash it is the state of before or one that has forgotten. bbolt keeps what was replaced on free
// pages until it uses them again: Stale says so, also after a restart, until the file is rewritten
// (CleanFile, ForgetFile, CompactFile). The state must be loaded again.
//
// Cost: all records are read, blocks that change are written, and held in memory until the
// transaction ends.
func (s *Store) Forget(e *erase.Erasure) error {
	if s.readOnly {
		return errReadOnly
	}
	s.heedLimit()
	s.ready = false
	err := guarded(func() error { return s.update(func(tx *transaction) error { return (&writer{tx: tx}).forget(e) }) })
	if err = writeError(err); err != nil {
		return fmt.Errorf("state %s: forget: %w", s.path, err)
	}
	s.stale.Store(true)
	return nil
}

// Stale reports whether free pages of the file may hold what was forgotten. Safe for concurrent
// use.
func (s *Store) Stale() bool { return s.stale.Load() }

// CleanFile replaces the state at path by a copy of what it holds, without a page of the old file
// (Stale).
func CleanFile(path string, o Options) error { return RekeyFile(path, o, o.Key) }

func (w *writer) forget(e *erase.Erasure) error {
	ends, err := readEnds(w.tx)
	if err != nil {
		return err
	}
	for _, b := range []*bucket{inRecords, inBorn, inSettling} {
		if err := w.change(b, changeOf(b, e)); err != nil {
			return err
		}
	}
	if ends.dictionary, err = w.shrinkDictionary(e); err != nil {
		return err
	}
	return w.forgotten(e, ends, true)
}

// change replaces the values of a bucket that change. Keys are gathered first: bbolt moves what is
// under a cursor.
func (w *writer) change(b *bucket, change change) error {
	x, err := w.bucket(b)
	if err != nil {
		return err
	}
	for _, key := range keysOf(x) {
		content, err := w.tx.unseal(b, key, x.Get(key))
		if err != nil {
			return err
		}
		now, err := change(key, content)
		switch {
		case err != nil || bytes.Equal(now, content):
		case now == nil:
			err = x.Delete(key)
		default:
			err = w.put(b, key, now)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func keysOf(x *bolt.Bucket) (keys [][]byte) {
	c := x.Cursor()
	for key, _ := c.First(); key != nil; key, _ = c.Next() {
		keys = append(keys, bytes.Clone(key))
	}
	return keys
}

// shrinkDictionary takes out the entries that do not stay, and returns how many are left.
func (w *writer) shrinkDictionary(e *erase.Erasure) (kept uint64, err error) {
	x, err := w.bucket(inDictionary)
	if err != nil {
		return 0, err
	}
	stays, lists := e.Dictionary(), [][]state.DictionaryEntry{}
	err = scan(w.tx, inDictionary, 8, func(_ uint64, key, content []byte) error {
		list, err := dictionaryLayout.decode(content)
		if err != nil {
			return inDictionary.damaged(key, err.Error())
		}
		lists = append(lists, keep(list, stays))
		return nil
	})
	if err != nil {
		return 0, err
	}
	for _, key := range keysOf(x) {
		if err := x.Delete(key); err != nil {
			return 0, err
		}
	}
	for _, list := range lists {
		if len(list) == 0 {
			continue
		}
		if err := w.put(inDictionary, key64(kept), dictionaryLayout.encode(list)); err != nil {
			return 0, err
		}
		kept += uint64(len(list))
	}
	return kept, nil
}

func keep(list []state.DictionaryEntry, stays func(state.DictionaryEntry) bool) (out []state.DictionaryEntry) {
	for _, x := range list {
		if stays(x) {
			out = append(out, x)
		}
	}
	return out
}

// Remove lets the state of a running daemon lose people who have left the releases: in one transaction, so that after a crash it is
// the state of before or one without them. The state must be loaded again. bbolt keeps what was replaced on free pages until it uses
// them again (Stale), so the file grows no further from the second removal on.
//
// Cost: the state is read, and what stays is held in memory until the transaction ends.
func (s *Store) Remove(r *erase.Removal) error {
	if s.readOnly {
		return errReadOnly
	}
	s.heedLimit()
	s.ready = false
	err := guarded(func() error { return s.update(func(tx *transaction) error { return (&writer{tx: tx}).remove(r) }) })
	if err = writeError(err); err != nil {
		return fmt.Errorf("state %s: remove: %w", s.path, err)
	}
	s.stale.Store(true)
	return nil
}

func (w *writer) remove(r *erase.Removal) error {
	l := &loader{tx: w.tx, v: r.Visitor()}
	if err := l.load(); err != nil {
		return err
	}
	for _, b := range []*bucket{inDictionary, inRecords, inClasses, inDeaths, inPure, inQuarantine, inIntents, inAttempts, inBorn, inStale} {
		if err := w.tx.DeleteBucket(b.name); err != nil {
			return err
		}
		if _, err := w.tx.CreateBucket(b.name); err != nil {
			return err
		}
	}
	w.ends = ends{positions: l.ends.positions, letter: l.ends.letter, waiting: l.ends.waiting, known: l.ends.known, settling: l.ends.settling}
	for _, d := range r.Deltas() {
		if err := w.write(d); err != nil {
			return err
		}
	}
	due, err := readDue(w.tx)
	return errors.Join(err, w.putDue(due.people, true))
}
