package boltstore

import (
	"errors"
	"fmt"
	"io"
	"os"

	"anond/internal/sealed"
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

// FormatNumber is the version of the file's format.
const FormatNumber = formatNumber

// HoldReader begins a transaction that reads, as a backup does, and returns what ends it.
func HoldReader(s *Store) (release func()) {
	tx, err := s.db.Begin(false)
	if err != nil {
		panic(err)
	}
	return func() { _ = tx.Rollback() }
}

// Walk follows all pages as Open does, and says how many the file has and how many reads
// that took.
func (s *Store) Walk() (pages, reads int, err error) {
	f, err := os.Open(s.path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	c := counting{f, 0}
	err = s.walk(&c)
	return int(info.Size()) / s.db.Info().PageSize, c.n, err
}

type counting struct {
	io.ReaderAt
	n int
}

func (c *counting) ReadAt(p []byte, at int64) (int, error) {
	c.n++
	return c.ReaderAt.ReadAt(p, at)
}
