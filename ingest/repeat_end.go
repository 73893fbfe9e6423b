package ingest

import (
	"context"
	"errors"
	"fmt"

	"anond/incremental"
	"anond/ingest/journal"
)

// The end of a journal: the epoch of its state is closed. The entry is the last one, since whoever reads it writes
// nothing more; who has not read it is told by its next entry (journal.ErrFenced). So the log decides which of two
// processes was first, the one that closes or the one that goes on, as it does for every entry.
//
// Safe by rule F (no second publisher): no copy of the state decides anything behind the entry, wherever it is and
// whatever has become of the files that say the same.

// ErrNotFollowed: the state does not hold all that its journal tells of, so that it cannot be the last one.
var ErrNotFollowed = errors.New("the journal has entries that the state does not hold")

// JournalEnded reports whether the next entry of the journal is its end, and that of this state. There must be no other one.
func JournalEnded(ctx context.Context, m *incremental.Machine, j Journal) (bool, error) {
	if m.Journal().Seq == 0 {
		return false, fmt.Errorf("%w: it has not begun to follow it", ErrNotFollowed)
	}
	e, mark, err := j.Read(ctx)
	switch {
	case e == nil || err != nil:
		return false, err
	case e.Close == nil:
		return false, fmt.Errorf("%w, from number %d on: another process went on, or this is an older copy", ErrNotFollowed, mark.Seq)
	}
	return true, sameEnd(m, e.Close)
}

// EndJournal writes the end, or finds that it is there. The state must follow the journal up to here.
func EndJournal(ctx context.Context, m *incremental.Machine, j Journal) error {
	for {
		_, err := j.Append(ctx, &journal.Entry{Close: closeEntry(m)})
		if !errors.Is(err, journal.ErrFenced) {
			return err
		}
		if ended, err := JournalEnded(ctx, m, j); ended || err != nil {
			return err
		}
	}
}

func closeEntry(m *incremental.Machine) *journal.Close {
	x := &journal.Close{Records: m.Arrived(), Sent: m.Sent()}
	if i := m.Latest(); i != nil {
		x.Release, x.Manifest = i.Release, i.Manifest
	}
	return x
}

// sameEnd demands that the state that was closed is this one.
func sameEnd(m *incremental.Machine, x *journal.Close) error {
	if *x != *closeEntry(m) {
		return fmt.Errorf("%w: it was closed behind release %d of %d records, which this state is not", journal.ErrForked, x.Release, x.Records)
	}
	return nil
}

// endsHere keeps what was repeated before the end. The list of who was forgotten is left alone: it may have people who were
// forgotten since, of whom the journal knows nothing.
func (r *repeating) endsHere(x *journal.Close) error {
	if err := r.keep(); err != nil {
		return err
	}
	if err := sameEnd(r.Machine, x); err != nil {
		return err
	}
	return incremental.ErrClosed
}
