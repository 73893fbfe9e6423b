package journal

import (
	"anond/incremental/state"
	"context"
	"errors"
	"fmt"

	"anond/incremental"
	"anond/ingest"
)

// Follower brings the state of a host to where its journal ends: it does again what the journal has and the state does not,
// since a process before was killed, or the state is an older copy. It takes the records in the same order and at the same
// times, cuts where that process cut, and publishes what that one has decided: the same bytes, under the same numbers, or
// nothing (ErrForked). Then it makes this process the one that goes on.
//
// Safe by rule F (forbidden): nobody gets a second history, since every decision is the one that was made; and by Theorem E: to
// decide the same again depends on nothing that the first time did not.
type Follower struct {
	Host    *ingest.Host // see ingest.Host.Repeat; its machine is another one afterwards if people were forgotten
	Entries Entries
	Open    ingest.OpenPartition
	// Republish publishes a release that a process before has published, or may have, and demands that its manifest is the one
	// that it had.
	Republish func(ctx context.Context, v *incremental.View, manifest [32]byte) (ingest.Release, error)
	// Beginning copies the state that is about to begin a journal to where others find it, since the journal does not have its
	// seed; undo removes the copy, as another process was first. Both may be nil.
	Beginning func(ctx context.Context) (undo func(), err error)
}

// repetition counts what Repeat did.
type repetition struct {
	Entries  int
	Records  int // that were accepted
	Releases int // that were published, or found to be
}

// Root makes sure that state and journal belong together, before anything is repeated. first is the first entry of
// the journal, nil if there is none: then the state begins one. Its seed is durable and copied before that, since the journal
// does not have it (rule R, randomness): a journal whose seed died with the disk of a host would end the shard.
func (f *Follower) Root(ctx context.Context, first *Genesis) error {
	m := f.Host.Machine
	old := m.Arrived() > 0 || len(m.Intake().Positions()) > 0
	switch {
	case first != nil && m.SeedCheck() != [32]byte(first.State):
		return fmt.Errorf("%w: it is the journal of another state, whose draws had another seed", ErrForked)
	case m.Journal().Seq > 0:
		return nil
	case first != nil && (old || first.Records > 0):
		return fmt.Errorf("%w: the state is older than the journal, which began with %d records", ErrHole, first.Records)
	case first != nil:
		_, mark, err := f.Entries.Read(ctx)
		if err != nil {
			return err
		}
		m.Follow(mark)
		return m.Commit()
	}
	if err := m.Commit(); err != nil {
		return err
	}
	undo := func() {}
	if f.Beginning != nil {
		made, err := f.Beginning(ctx)
		if err != nil {
			return err
		}
		undo = made
	}
	err := f.append(ctx, &Entry{Genesis: &Genesis{State: m.SeedCheck(), Records: m.Arrived()}})
	if errors.Is(err, ErrFenced) {
		undo()
	}
	return err
}

// append writes an entry that the state follows at once.
func (f *Follower) append(ctx context.Context, e *Entry) error {
	mark, err := f.Entries.Append(ctx, e)
	if err != nil {
		return err
	}
	f.Host.Machine.Follow(mark)
	return f.Host.Machine.Commit()
}

// Repeat does all that the journal has.
func (f *Follower) Repeat(ctx context.Context) (done repetition, err error) {
	again, err := f.Host.Repeat(f.Open)
	if err != nil {
		return done, err
	}
	defer again.Close()
	r := &repeating{Follower: f, again: again}
	for {
		if err := r.toEnd(ctx); err != nil {
			return r.done, err
		}
		if h := f.Host; h.Forgetting != nil && len(h.Machine.Forgetting().People()) > 0 {
			if err := h.Forgetting.List(h.Machine); err != nil {
				return r.done, err
			}
		}
		err := f.append(ctx, &Entry{Begin: &Begin{Settings: f.Host.Policy}})
		if !errors.Is(err, ErrFenced) { // else an entry of the process before came meanwhile
			return r.done, err
		}
	}
}

// repeating is one run of Repeat. The mark of what is staged is that of the newest entry that is done as a whole.
type repeating struct {
	*Follower
	again *ingest.Repeat
	done  repetition
}

func (r *repeating) machine() *incremental.Machine { return r.again.Machine() }

// toEnd repeats all entries that are there now.
func (r *repeating) toEnd(ctx context.Context) error {
	for {
		e, mark, err := r.Entries.Read(ctx)
		if err != nil {
			return err
		}
		if e == nil {
			return r.again.Commit()
		}
		if err := r.entry(ctx, e, mark); err != nil {
			return err
		}
		r.done.Entries++
	}
}

func (r *repeating) entry(ctx context.Context, e *Entry, mark state.JournalMark) error {
	var err error
	switch {
	case e.Genesis != nil:
		err = fmt.Errorf("%w: it begins a second time", ErrForked)
	case e.Begin != nil:
		err = r.under(e.Begin.Settings, mark)
	case e.Ends != nil:
		r.machine().InitialLoad().SetEnds(endsOf(e.Ends))
	case e.Runs != nil:
		err = r.take(ctx, e.Runs, mark)
	case e.Cut != nil:
		return r.cut(ctx, e.Cut, mark)
	case e.Intent != nil:
		err = r.sameIntent(e.Intent)
	case e.Published != nil:
		return r.publish(ctx, e.Published, mark)
	case e.Erase != nil:
		return r.replaced(mark, func() error { return r.again.Forget(ctx, e.Erase.People) })
	case e.Remove != nil:
		return r.replaced(mark, func() error { return r.again.Remove(ctx) })
	}
	if err != nil {
		return err
	}
	r.machine().Follow(mark)
	return r.again.CommitFull()
}

// under demands the settings of the process that wrote an entry: others decide otherwise.
func (r *repeating) under(settings [32]byte, mark state.JournalMark) error {
	if settings != r.Host.Policy {
		return fmt.Errorf("%w, up to entry %d", ErrUnderOther, mark.Seq)
	}
	return nil
}

func endsOf(x *Ends) map[state.Partition]int64 {
	out := make(map[state.Partition]int64, len(x.Ends))
	for _, e := range x.Ends {
		out[state.Partition{Source: x.Source, ID: int32(e[0])}] = e[1]
	}
	return out
}

// take takes records in as they were.
func (r *repeating) take(ctx context.Context, x *Runs, mark state.JournalMark) error {
	before := r.machine().Arrived()
	for _, run := range x.Runs {
		p := state.Partition{Source: x.Source, ID: run.Partition}
		if run.Idle > 0 {
			if err := r.again.Idle(p, run.Tick, run.Idle); err != nil {
				return err
			}
		}
		err := r.again.Take(ctx, p, run.Tick, run.Next)
		if errors.Is(err, ingest.ErrEndsBefore) {
			return fmt.Errorf("%w: %w", ErrHole, err)
		}
		if err != nil {
			return err
		}
	}
	r.done.Records += r.machine().Arrived() - before
	if n, sent := r.machine().Arrived(), r.machine().Intake().Sent(); n != x.Records || sent != x.Sent {
		return fmt.Errorf("%w: at entry %d it had %d records of %d messages, and %d of %d are found now: messages are gone, or what "+
			"is refused or ignored was configured otherwise", ErrHole, mark.Seq, x.Records, x.Sent, n, sent)
	}
	return nil
}

// cut makes a cut, of the state and at the time of the first time. What came before is kept under the mark
// before, so that a crash repeats the cut.
func (r *repeating) cut(ctx context.Context, x *Cut, mark state.JournalMark) error {
	if err := r.again.Commit(); err != nil {
		return err
	}
	if err := r.under(x.Settings, mark); err != nil {
		return err
	}
	if n := r.machine().Arrived(); n != x.Records {
		return fmt.Errorf("%w: at entry %d a release was cut of %d records, and %d are here", ErrForked, mark.Seq, x.Records, n)
	}
	err := r.again.Cut(ctx, x.Now, x.CreatedAt, x.Occasion, func() { r.machine().Follow(mark) })
	if errors.Is(err, state.ErrUnpublished) {
		return fmt.Errorf("%w: at entry %d a release was cut, and the one before was not published", ErrForked, mark.Seq)
	}
	return err
}

// sameIntent demands that the newest release is the one that was decided.
func (r *repeating) sameIntent(x *Intent) error {
	i := r.machine().Releases().Latest()
	if i == nil || *intentEntry(r.machine(), i) != *x {
		return fmt.Errorf("%w: release %d is not the one that was decided", ErrForked, x.Release)
	}
	return nil
}

// publish makes sure that a release is public, and that it is the one that was.
func (r *repeating) publish(ctx context.Context, x *Published, mark state.JournalMark) error {
	m := r.machine()
	i := m.Releases().Latest()
	switch {
	case i == nil || i.Release != x.Release:
		return fmt.Errorf("%w: release %d was published, and is not the newest that was decided", ErrForked, x.Release)
	case i.Published && i.Manifest != x.Manifest:
		return fmt.Errorf("%w: release %d has another manifest", ErrForked, x.Release)
	case i.Published:
		m.Follow(mark)
		return nil
	}
	view, err := m.Releases().Change(x.Release)
	if err != nil {
		return err
	}
	release, err := r.Republish(ctx, view, x.Manifest)
	if err != nil {
		return err
	}
	if release.Manifest != x.Manifest {
		return fmt.Errorf("%w: release %d has another manifest", ErrForked, x.Release)
	}
	r.done.Releases++
	m.Follow(mark)
	return m.Published(x.Release, release.Manifest)
}

// replaced lets the state forget those whom it had forgotten, or lose those whom it had lost. The machine is another one afterwards.
func (r *repeating) replaced(mark state.JournalMark, by func() error) error {
	if err := r.again.Commit(); err != nil {
		return err
	}
	if err := by(); err != nil {
		return err
	}
	r.Host.Machine = r.machine()
	r.machine().Follow(mark)
	return nil
}
