package boltstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"anond/incremental/state"
	"anond/internal/disk"
	"anond/internal/sealed"
)

// renewal makes the head of the state that starts over, of the head of the old state, how many people it has barred and
// how far its partitions had been read, or refuses. keeps: these people stay barred, and it stays known whose messages came.
type renewal func(old state.Meta, barred int, positions map[state.Partition]state.Position) (
	next state.Meta, keeps bool, err error)

// ResetFile replaces the state at path by an empty one, and returns what the old one
// held. Only a state without release and without quarantine can start over.
// The numbering of dead letters goes on, so that a sink can distinguish them.
//
// It holds the lock throughout; a daemon that waited for the lock notices that the
// file is another (openBolt). The old file is replaced in one step, so none of its
// records remain on free pages of the new one.
func ResetFile(path string, o Options, renew renewal) (Information, error) {
	if _, err := os.Stat(path); err != nil {
		return Information{}, err
	}
	s, err := Open(path, o)
	if err != nil {
		return Information{}, err
	}
	had, err := s.reset(o.Key, renew)
	if err != nil {
		err = fmt.Errorf("reset state %s: %w", path, err)
	}
	return had, errors.Join(err, s.Close())
}

func (s *Store) reset(key sealed.Key, renew renewal) (had Information, err error) {
	if err := guarded(func() error { return s.view(had.read) }); err != nil {
		return had, err
	}
	if had.Releases > 0 || had.Classes > 0 || had.Quarantined > 0 {
		return had, state.ErrDecided
	}
	var meta state.Meta
	var stay []state.Known
	barred := 0
	positions := map[state.Partition]state.Position{}
	v := nobody
	v.Meta = func(m state.Meta) error { meta = m; return nil }
	v.Known = func(list []state.Known) error {
		for _, k := range list {
			if why := k.Why() & (state.Barred | state.Seen); why != 0 {
				stay = append(stay, state.Know(k.Person(), why))
			}
			if k.Why()&state.Barred != 0 {
				barred++
			}
		}
		return nil
	}
	var seen *state.LedgerMark
	v.Ledger = func(mark state.LedgerMark) error { seen = &mark; return nil }
	v.Position = func(p state.Partition, x state.Position) error { positions[p] = x; return nil }
	if err := s.Load(v); err != nil {
		return had, err
	}
	keeps := false
	if meta, keeps, err = renew(meta, barred, positions); err != nil {
		return had, err
	}
	if !keeps {
		stay, seen = nil, nil
	}
	fresh := s.path + ".reset"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a run that was interrupted
		return had, err
	}
	err = appear(context.Background(), fresh, key, func(tmp string) error {
		return s.begin(tmp, key, &state.Delta{Meta: &meta, Known: stay, Ledger: seen}, had.LetterLast)
	})
	if err != nil {
		return had, err
	}
	return had, disk.Move(files, fresh, s.path)
}

// begin writes a state with nothing but what is given.
func (s *Store) begin(path string, key sealed.Key, d *state.Delta, letter uint64) error {
	to, err := Open(path, Options{Key: key})
	if err != nil {
		return err
	}
	err = guarded(func() error {
		return to.update(func(tx *transaction) error {
			w := writer{tx: tx, ends: ends{letter: letter}}
			return w.write(d)
		})
	})
	return errors.Join(err, to.Close())
}
