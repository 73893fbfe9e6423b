package incremental

import (
	"anond/incremental/erase"
	"anond/incremental/plan"
	"anond/incremental/state"
)

// What hosts name of a state (package state).
type (
	RecordID         = state.RecordID
	ClassID          = state.ClassID
	BucketID         = state.BucketID
	Partition        = state.Partition
	Position         = state.Position
	Digest           = state.Digest
	DeadLetter       = state.DeadLetter
	Intent           = state.Intent
	Pending          = state.Pending
	Meta             = state.Meta
	Pools            = state.Pools
	HierarchyVersion = state.HierarchyVersion
	Counters         = state.Counters
	Attempt          = state.Attempt
	JournalMark      = state.JournalMark
	Suppressed       = state.Suppressed
	Class            = state.Class
	ClassView        = state.ClassView
	Store            = state.Store
	Visitor          = state.Visitor
	Delta            = state.Delta
	RecordBlock      = state.RecordBlock
	Policy           = state.Policy
	Level            = state.Level
	Republication    = state.Republication
	OnRefusal        = state.OnRefusal
	CutOutcome       = state.CutOutcome
	InfeasibleError  = plan.InfeasibleError
	Updates          = plan.Updates
	PoolNeed         = plan.PoolNeed
	Erasure          = erase.Erasure
	Forgotten        = erase.Forgotten
)

// The constants of these.
const (
	L1, L2                                      = state.L1, state.L2
	Append, Regroup                             = state.Append, state.Regroup
	Frozen, Pure                                = state.Frozen, state.Pure
	StopRefused, QuarantineRefused, GrowRefused = state.StopRefused, state.QuarantineRefused, state.GrowRefused
	Skipped, Released, Quarantined              = state.Skipped, state.Released, state.Quarantined
	Refused, Fixed                              = state.Refused, state.Fixed
)

// Errors of a state.
var (
	ErrLocked      = state.ErrLocked
	ErrCorrupt     = state.ErrCorrupt
	ErrDecided     = state.ErrDecided
	ErrNoSpace     = state.ErrNoSpace
	ErrQuota       = state.ErrQuota
	ErrInterrupted = state.ErrInterrupted
	ErrUnpublished = state.ErrUnpublished
	ErrNoSubject   = erase.ErrNoSubject
	ErrNobodyElse  = erase.ErrNobodyElse
	ErrNotErasable = erase.ErrNotErasable
)
