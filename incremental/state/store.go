package state

import (
	"errors"
	"fmt"

	"anond/incremental/settle"
	"anond/internal/fault"
)

// Errors of a store, grouped by the moment at which they arise.
var (
	// ErrLocked: another process holds the state (exit 4).
	ErrLocked = fault.Errorf(fault.Locked, "stop the other process, or use another state (state.path)",
		"the state is held by another process")
	// ErrCorrupt: the state breaks one of its own invariants.
	ErrCorrupt = errors.New("the state is damaged")
	// ErrDecided: a release is decided, so the state may not start over.
	ErrDecided = fault.Errorf(fault.Privacy, "nothing was removed; start a new dataset of other records with its own state, releases "+
		"and ledger",
		"a release is decided: its people stay published, and the state that knows them stays")
	// ErrNoSpace: the state cannot grow (disk full or state.max_bytes reached).
	ErrNoSpace = fault.Errorf(fault.Failed, "make room on the disk or raise state.max_bytes, then start again; nothing was lost",
		"no space left for the state")
	// ErrQuota is the ErrNoSpace of state.max_bytes. The same commit may be repeated.
	ErrQuota = fmt.Errorf("%w: state.max_bytes is reached", ErrNoSpace)
)

// FormatError: another version of anond wrote the state.
type FormatError struct{ Have, Known uint32 }

func (e *FormatError) Error() string {
	return fmt.Sprintf("the state has format %d, and this anond reads format %d alone: go on with the version that wrote it, or begin with "+
		"an empty state and an empty release.dir", e.Have, e.Known)
}

// Store keeps the machine's state. One Delta is one transaction: all of it or
// nothing survives a crash (docs/ARCHITECTURE.md, Durable steps: what changes
// together is in it, source positions included).
//
// A failed Commit leaves the store as it was before; the machine that issued it
// must be thrown away and loaded again, unless the store repeats the commit itself. A Store is used by one goroutine, except
// that Outbox may run concurrently.
type Store interface {
	// Load passes everything the store holds to the visitor: meta and counters first, then
	// dictionary entries in order, records in order, classes in order of ID,
	// intents in order of release, positions. Slices passed belong to the visitor. A
	// fresh store passes nothing.
	Load(v Visitor) error
	// Commit applies one delta durably.
	Commit(d *Delta) error
	// Outbox returns dead letters with Seq > after, in order: up to max of them,
	// and no more than come to maxBytes (DeadLetter.Bytes), but at least one.
	Outbox(after uint64, max, maxBytes int) ([]DeadLetter, error)
	Close() error
}

// Visitor receives the content of a store. Every field must be set.
type Visitor struct {
	Meta       func(Meta) error
	Counters   func(Counters) error
	Dictionary func(attribute int, text string) error // attribute: index in the schema
	// Room is told, before the first, how many records and classes come, or more; may be nil.
	Room     func(records, classes int)
	Records  func(*RecordBlock) error
	Class    func(*Class) error
	Intent   func(*Intent) error
	Position func(Partition, Position) error
	// Attempt receives the cuts tried at level L2, in order of their numbers.
	Attempt func(*Attempt) error
	// Quarantined records, ascending within a call, a pool a call.
	Quarantined func([]RecordID) error
	// Known receives those of whom nothing more is taken in, some in a call, somebody possibly several times; may be nil.
	Known func([]Known) error
	// Due receives how many of those who were forgotten have records still there; not called if nobody has; may be nil.
	Due func(int) error
	// Born receives the bags of releases at level L2, in their order, after the records; may be nil.
	Born func(*Born) error
	// Stale receives the records of people who are stale, in order, some in a call; may be nil.
	Stale func([]RecordID) error
	// Settling receives the histories that are open, in order of their numbers; may be nil.
	Settling func(settle.Change) error
	// Journal receives how far the state follows its journal, at most once; may be nil.
	Journal func(JournalMark) error
	// Ledger receives how far the state has seen the ledger of subjects, at most once; may be nil.
	Ledger func(LedgerMark) error
	Outbox func(last uint64, waiting int) error // newest Seq ever given, letters not delivered
}

// DictionaryEntry is a value that a dictionary has taken in.
type DictionaryEntry struct {
	Attribute int
	Text      string
}

// Death says that a pure class was regrouped into others.
type Death struct {
	ID      ClassID
	Release uint32
}

// PartitionPosition is a position with its partition.
type PartitionPosition struct {
	Partition Partition
	Position  Position
}

// Delta is everything that one step changes. Nil and empty fields change nothing.
type Delta struct {
	Meta         *Meta
	Counters     *Counters
	Dictionary   []DictionaryEntry
	Records      []*RecordBlock
	Positions    []PartitionPosition
	DeadLetters  []DeadLetter
	Delivered    uint64   // dead letters with Seq <= Delivered leave the outbox
	Intent       *Intent  // new, or the same release marked published
	Births       []*Class // classes that the intent names for the first time
	Deaths       []Death
	DeclaredPure []ClassID    // frozen classes with a flat bag, declared pure (rule C, coexistence)
	Quarantined  []RecordID   // records of a pool that was ineligible as a whole
	Attempt      *Attempt     // new, or the newest one with more cuts
	Journal      *JournalMark // in place of the one before
	Ledger       *LedgerMark  // in place of the one before
	Known        []Known      // people of whom nothing more is taken in, each with the reasons that are new
	// Due is how many of those who were forgotten have records still there: the erasure follows (package erase). nil: as before.
	Due   *int
	Born  *Born      // of the release that the intent decides
	Stale []RecordID // records of people who are stale from now on
	// Settling are the histories that changed, in order of their numbers.
	Settling []settle.Change
}

// Empty reports whether the delta changes nothing.
func (d *Delta) Empty() bool {
	return d.Meta == nil && d.Counters == nil && len(d.Dictionary) == 0 && len(d.Records) == 0 && len(d.Positions) == 0 &&
		len(d.DeadLetters) == 0 && d.Delivered == 0 && d.Intent == nil && len(d.Births) == 0 && len(d.Deaths) == 0 &&
		len(d.DeclaredPure) == 0 && len(d.Quarantined) == 0 && d.Attempt == nil && d.Due == nil &&
		d.Journal == nil && d.Ledger == nil && len(d.Known) == 0 && d.Born == nil && len(d.Stale) == 0 && len(d.Settling) == 0
}
