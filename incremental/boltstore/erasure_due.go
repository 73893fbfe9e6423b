package boltstore

import (
	"errors"

	bolt "go.etcd.io/bbolt"

	"anond/incremental/state"
)

// readDue reads what is due; without the key nothing is.
func readDue(tx *transaction) (due, error) {
	d, err := cell(tx, keyDue, dueLayout)
	if d == nil {
		return due{}, err
	}
	return *d, err
}

// putDue writes what is due, or nothing, if nothing is.
func (w *writer) putDue(people int, stale bool) error {
	if people > 0 || stale {
		return w.put(inMeta, keyDue, dueLayout.encode(due{people, stale}))
	}
	x, err := w.bucket(inMeta)
	if err != nil {
		return err
	}
	return x.Delete(keyDue)
}

// suppressed replaces the list of who was forgotten.
func (w *writer) suppressed(s state.Suppressed) error {
	before, err := readDue(w.tx)
	if err != nil {
		return err
	}
	if err := w.put(inMeta, keyForgotten, forgottenLayout.encode(s.People)); err != nil {
		return err
	}
	return errors.Join(w.putDue(s.Due, before.stale), w.putFormat())
}

// lookDue finds out whether the file is Stale. One that cannot say so may be; Load tells the damage.
func (s *Store) lookDue() error {
	return s.view(func(tx *transaction) error {
		d, err := readDue(tx)
		s.stale.Store(d.stale || err != nil)
		return nil
	})
}

// cleaned takes the mark of stale pages from a file that was copied without them. What is still
// due stays there.
func (s *Store) cleaned(to *bolt.DB) error {
	return to.Update(func(tx *bolt.Tx) error {
		w := writer{tx: &transaction{Tx: tx, crypt: s.crypt}}
		if tx.Bucket(inMeta.name) == nil {
			return nil // of another program: it does not open
		}
		d, err := readDue(w.tx)
		if err != nil || !d.stale {
			return err
		}
		return w.putDue(d.people, false)
	})
}
