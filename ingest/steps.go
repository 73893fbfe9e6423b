package ingest

import (
	"anond/incremental/state"
	"context"
	"errors"
	"fmt"

	"anond/incremental"
)

// Steps is told what a host does before it does it (shards/journal), so that another host can do the same again (Repeat).
//
// Order: in which order records came is told before the transaction that holds them; a cut before it is decided; what it has
// decided before anything of it is rendered; that it is public before the state has that; an erasure or a
// removal before the state forgets.
// So what was told is never behind a state.
type Steps interface {
	// Moves is told that a partition is about to move on. Full reports that a commit is due: no more can be told at once.
	Moves(m *incremental.Machine, p state.Partition)
	Full() bool
	// Idles is told that the log time of a partition is about to move on, since it is idle.
	Idles(m *incremental.Machine, p state.Partition, at int64)
	// BeforeReading is told where the first load ends.
	BeforeReading(m *incremental.Machine, ends map[state.Partition]int64) Telling
	BeforeCommit(m *incremental.Machine) Telling
	// BeforeCut is told what a cut is given, and AfterCut that it is decided, which the next commit has.
	BeforeCut(m *incremental.Machine, by state.Occasion, createdAt int64) Telling
	AfterCut(m *incremental.Machine)
	BeforePublish(m *incremental.Machine, i *state.Intent) Telling
	BeforePublished(m *incremental.Machine, release uint32, manifest [32]byte) Telling
	// BeforeErasure is told that the state is about to forget those who are due, and a subject; nil: nobody else.
	BeforeErasure(m *incremental.Machine, subject []byte) Telling
	// BeforeRemoval is told that the state is about to lose people whose parts have left the releases.
	BeforeRemoval(m *incremental.Machine) Telling
}

// Telling makes it durable that a step comes; nil: there is nothing to tell.
type Telling func(ctx context.Context) error

// tell waits until a step is told. After an error nobody knows whether it is: the machine is not used any more, and the next
// start finds out.
func (l *transaction) tell(ctx context.Context, tell Telling) error {
	if tell == nil {
		return nil
	}
	if l.stopping || ctx.Err() != nil { // what is staged may still be kept
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), l.DrainFor)
		defer cancel()
	}
	if err := l.Hook("before journal"); err != nil {
		return err
	}
	if err := l.reporting.work(ctx, DoingJournal, true, func() error { return tell(ctx) }); err != nil {
		l.reporting.working = true
		if ctx.Err() != nil {
			err = fmt.Errorf("%w: %w", errLeft, err)
		}
		return err
	}
	return l.Hook("after journal")
}

// unfinished reports an error after which nothing more may be committed, while the run itself ends in order.
func unfinished(err error) bool {
	return errors.Is(err, state.ErrQuota) || errors.Is(err, errLeft)
}

// untold is Steps for a host whose steps nobody is told.
type untold struct{}

func (untold) Moves(*incremental.Machine, state.Partition)        {}
func (untold) Full() bool                                         { return false }
func (untold) Idles(*incremental.Machine, state.Partition, int64) {}
func (untold) BeforeReading(*incremental.Machine, map[state.Partition]int64) Telling {
	return nil
}
func (untold) BeforeCommit(*incremental.Machine) Telling                      { return nil }
func (untold) BeforeCut(*incremental.Machine, state.Occasion, int64) Telling  { return nil }
func (untold) AfterCut(*incremental.Machine)                                  {}
func (untold) BeforePublish(*incremental.Machine, *state.Intent) Telling      { return nil }
func (untold) BeforePublished(*incremental.Machine, uint32, [32]byte) Telling { return nil }
func (untold) BeforeErasure(*incremental.Machine, []byte) Telling             { return nil }
func (untold) BeforeRemoval(*incremental.Machine) Telling                     { return nil }
