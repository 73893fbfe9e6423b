package boltstore

import (
	"errors"
	"fmt"

	"anond/incremental/erase"
)

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
	w.ends = ends{positions: l.ends.positions, letter: l.ends.letter, waiting: l.ends.waiting, known: l.ends.known}
	for _, d := range r.Deltas() {
		if err := w.write(d); err != nil {
			return err
		}
	}
	due, err := readDue(w.tx)
	return errors.Join(err, w.putDue(due.people, true))
}
