package boltstore

import (
	"errors"
	"fmt"

	"anond/incremental/sealed"
)

// Compact writes the state at src without its free pages to dst, which must not
// exist and appears only when complete. src must not be in use and stays as it
// is.
func Compact(src, dst string) error {
	s, err := Open(src, Options{ReadOnly: true})
	if err != nil {
		return err
	}
	err = s.compact(dst, sealed.Key{})
	if err != nil {
		err = fmt.Errorf("compact state %s: %w", src, err)
	}
	return errors.Join(err, s.Close())
}

// HoldReader begins a transaction that reads, as a backup does, and returns what ends it.
func HoldReader(s *Store) (release func()) {
	tx, err := s.db.Begin(false)
	if err != nil {
		panic(err)
	}
	return func() { _ = tx.Rollback() }
}
