package publish

import (
	"errors"
	"fmt"

	"anond/internal/fault"
	"anond/snapshot"
)

// Classes of failure of a publication, by what they mean to the operator.
var (
	// ErrRefused: the gate found that a privacy promise does not hold. Nothing
	// was published; the intent stays (exit 3).
	ErrRefused = fault.Errorf(fault.Privacy, "nothing was published and the intent stays; this is a fault of anond: report it with "+
		"the output of anond state check",
		"the gate refused the release")
	// ErrDifferent: a published release differs from what would be published
	// under its number (exit 1; rule F, forbidden).
	ErrDifferent = fault.Errorf(fault.Failed, "restore the file from a copy if it was changed; if nobody changed it, report this "+
		"with the output of anond state check",
		"a published release differs from its rendering")
	// ErrOtherHistory: a release that is published again is not the one that was (exit 3; rule F,
	// forbidden).
	ErrOtherHistory = fault.Errorf(fault.Privacy, "nothing was published: go on with the state that published what is there, and "+
		"keep this one for a report",
		"the release is not the one that was published under its number")
	// ErrBehind: releases or ledger know more than state does (exit 5).
	ErrBehind = fault.Errorf(fault.Behind, "restore the newest state; continuing with this one would break the promise of earlier releases",
		"the state is behind what was published")
	// ErrMiswritten: the disk gave back other bytes than were written, before they had
	// their name. Nothing was published, and it is tried again.
	ErrMiswritten = errors.New("the disk does not give back what was written")
)

// ReleaseError says in which release and before which durable step a failure
// arose.
type ReleaseError struct {
	Release uint32
	Step    Step
	Err     error
}

func (e *ReleaseError) Error() string {
	return fmt.Sprintf("release %s: %s: %v", snapshot.DirName(e.Release), e.Step, e.Err)
}

// Unwrap gives the cause.
func (e *ReleaseError) Unwrap() error { return e.Err }

// CountError is ErrBehind of a state that knows fewer people than the ledger counted when it sealed a release: somebody whom
// it has lost would be published a second time (rule S, subjects).
type CountError struct {
	Release        uint32
	What           string
	Counted, Known int
}

func (e *CountError) Error() string {
	return fmt.Sprintf("%v: the ledger counted %d %s when it sealed release %d, and the state knows %d: restore the newest state",
		ErrBehind, e.Counted, e.What, e.Release, e.Known)
}

// Unwrap makes errors.Is(err, ErrBehind) true.
func (e *CountError) Unwrap() error { return ErrBehind }

// BehindError is ErrBehind with what is ahead, and the way out.
type BehindError struct {
	State   uint32 // newest release state knows, 0 if none
	Witness string // what is ahead: the releases directory, the ledger
	Release uint32 // what the witness knows
	Forked  bool   // same number, other content
}

func (e *BehindError) Error() string {
	what := fmt.Sprintf("%s knows release %d, the state %d", e.Witness, e.Release, e.State)
	switch {
	case e.Forked:
		what = fmt.Sprintf("%s has another release %d than the state", e.Witness, e.Release)
	case e.State == 0:
		what = fmt.Sprintf("%s knows release %d, the state is empty", e.Witness, e.Release)
	}
	return fmt.Sprintf("%v: %s: publishing on would let the two histories be compared; "+
		"restore the state that made the newest release, or start a new dataset of other records "+
		"with a new release.dir and a new release.ledger", ErrBehind, what)
}

// Unwrap makes errors.Is(err, ErrBehind) true.
func (e *BehindError) Unwrap() error { return ErrBehind }
