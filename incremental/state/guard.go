package state

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// ErrDelta: a delta does not continue the state that it is committed to. It is
// a fault of the machine, never of the medium; the store has kept nothing of it.
var ErrDelta = errors.New("the change does not continue the state")

// ClassKind is what a store must remember of a class to judge the next delta.
type ClassKind uint8

// The kinds of a class.
const (
	KindFrozen ClassKind = iota
	KindPure
	KindShared // frozen, in a bucket of level L2
	kindDead
)

// Guard knows how far a state has come and reports whether a delta continues it.
// Every store asks it before it writes, so that a faulty machine cannot leave a
// state that breaks the numbering or these parts of rules A (frozen classes), P (pure
// classes) and C (coexistence): records and classes are numbered without a gap,
// members exist and ascend, only a living pure class dies, only a living frozen class
// is declared pure. Of rule B (buckets): no class joins a bucket of an earlier delta, and
// only a frozen class has one. Whether a declared class is flat is the machine's duty. Cost: linear in the delta, one byte a class.
type Guard struct {
	Dictionary uint64      // entries kept
	Records    RecordID    // records kept
	Kinds      []ClassKind // by class
	Release    uint32      // newest intent
	Born       uint32      // newest release with a bag
	Expired    uint32      // what was born up to this release has left
	Bucket     BucketID    // newest bucket of level L2
	Attempt    uint32      // newest run of cuts tried at level L2
	Letter     uint64      // newest dead letter
	Partitions map[uint16]Partition
	numbers    map[Partition]uint16
}

// Check reports what keeps d from continuing the state. It changes nothing.
func (g *Guard) Check(d *Delta) error {
	records, err := g.checkRecords(d)
	if err != nil {
		return err
	}
	for i, e := range d.Dictionary {
		if e.Attribute < 0 {
			return fmt.Errorf("%w: dictionary entry %d has no attribute", ErrDelta, i)
		}
	}
	if err := g.checkLetters(d); err != nil {
		return err
	}
	if err := g.checkPositions(d.Positions); err != nil {
		return err
	}
	for i, r := range d.Quarantined {
		if r >= records || i > 0 && r <= d.Quarantined[i-1] {
			return fmt.Errorf("%w: quarantined record %d is unknown or out of order", ErrDelta, i)
		}
	}
	for i, r := range d.Stale {
		if r >= records {
			return fmt.Errorf("%w: stale record %d is unknown", ErrDelta, i)
		}
	}
	for i, x := range d.Settling {
		if i > 0 && x.Number <= d.Settling[i-1].Number {
			return fmt.Errorf("%w: open history %d is out of order", ErrDelta, x.Number)
		}
	}
	if a := d.Attempt; a != nil && (a.Number == 0 || a.Number != g.Attempt && a.Number != g.Attempt+1 || a.Cuts == 0 || a.Records > records) {
		return fmt.Errorf("%w: attempt %d after %d", ErrDelta, a.Number, g.Attempt)
	}
	if d.Due != nil && *d.Due < 0 {
		return fmt.Errorf("%w: %d people are due to be forgotten", ErrDelta, *d.Due)
	}
	for _, k := range d.Known {
		if k.Why() == 0 {
			return fmt.Errorf("%w: a person is known for no reason", ErrDelta)
		}
	}
	if i := d.Intent; i != nil && (i.Release == 0 || i.Expired >= i.Release || i.Expired < g.Expired) {
		return fmt.Errorf("%w: release %d, with all up to %d gone", ErrDelta, i.Release, i.Expired)
	}
	if b := d.Born; b != nil && (d.Intent == nil || b.Release != d.Intent.Release || b.Release <= g.Born) {
		return fmt.Errorf("%w: the bag of release %d is of no release that is decided", ErrDelta, b.Release)
	}
	if err := g.checkBirths(d.Births, records); err != nil {
		return err
	}
	return g.checkTurns(d)
}

func (g *Guard) checkRecords(d *Delta) (RecordID, error) {
	next := uint64(g.Records)
	for _, b := range d.Records {
		if uint64(b.First) != next || b.Len() == 0 {
			return 0, fmt.Errorf("%w: a block of %d records starts at %d, not %d", ErrDelta, b.Len(), b.First, next)
		}
		if err := b.check(); err != nil {
			return 0, err
		}
		next += uint64(b.Len())
	}
	if next > 1<<32-1 {
		return 0, fmt.Errorf("%w: more than 2^32-1 records", ErrDelta)
	}
	return RecordID(next), nil
}

// check reports whether all columns have the same length.
func (b *RecordBlock) check() error {
	n := b.Len()
	equal := len(b.Origin) == n && len(b.Offset) == n && (b.Subject == nil || len(b.Subject) == n) &&
		(b.Stratum == nil || len(b.Stratum) == n) && len(b.Window) == len(b.Stratum)
	for _, column := range b.Columns {
		equal = equal && len(column) == n
	}
	if !equal {
		return fmt.Errorf("%w: the columns of the block at record %d differ in length", ErrDelta, b.First)
	}
	for i, s := range b.Stratum {
		if !s.Valid() || len(b.Window[i].At) != s.Inserts() {
			return fmt.Errorf("%w: a record of the block at record %d is of no stratum, or its window has other records", ErrDelta, b.First)
		}
	}
	return nil
}

func (g *Guard) checkLetters(d *Delta) error {
	last := g.Letter
	for i := range d.DeadLetters {
		if seq := d.DeadLetters[i].Seq; seq <= last {
			return fmt.Errorf("%w: dead letter %d after %d", ErrDelta, seq, last)
		}
		last = d.DeadLetters[i].Seq
	}
	if d.Delivered > last {
		return fmt.Errorf("%w: dead letter %d is delivered, %d is the newest", ErrDelta, d.Delivered, last)
	}
	return nil
}

// checkPositions refuses to give a partition another number: the origin of every
// record refers to it, permanently.
func (g *Guard) checkPositions(positions []PartitionPosition) error {
	fresh := map[uint16]Partition{}
	for _, x := range positions {
		n := x.Position.Number
		owner, taken := g.Partitions[n]
		if !taken {
			owner, taken = fresh[n]
		}
		had, known := g.numbers[x.Partition]
		if taken && owner != x.Partition || known && had != n {
			return fmt.Errorf("%w: partition number %d changes hands", ErrDelta, n)
		}
		fresh[n] = x.Partition
	}
	return nil
}

func (g *Guard) checkBirths(births []*Class, records RecordID) error {
	for i, c := range births {
		if want := len(g.Kinds) + i; int(c.ID) != want {
			return fmt.Errorf("%w: class %d is born, not %d", ErrDelta, c.ID, want)
		}
		if c.Regime > Pure || c.Died != 0 || len(c.Members) == 0 {
			return fmt.Errorf("%w: class %d is born dead, empty or without regime", ErrDelta, c.ID)
		}
		if c.Bucket != 0 && (c.Bucket <= g.Bucket || c.Regime != Frozen) {
			return fmt.Errorf("%w: class %d joins an earlier bucket, or is not frozen in its own", ErrDelta, c.ID)
		}
		for j, m := range c.Members {
			if m >= records || j > 0 && m <= c.Members[j-1] {
				return fmt.Errorf("%w: member %d of class %d is unknown or out of order", ErrDelta, j, c.ID)
			}
		}
	}
	return nil
}

// checkTurns judges births, declarations (rule C, coexistence) and deaths, in this
// order.
func (g *Guard) checkTurns(d *Delta) error {
	if len(d.DeclaredPure) == 0 && len(d.Deaths) == 0 {
		return nil
	}
	turned := map[ClassID]ClassKind{}
	kind := func(id ClassID) (ClassKind, bool) {
		if k, ok := turned[id]; ok {
			return k, true
		}
		if int(id) < len(g.Kinds) {
			return g.Kinds[id], true
		}
		if i := int(id) - len(g.Kinds); i < len(d.Births) {
			return kindOf(d.Births[i]), true
		}
		return 0, false
	}
	for _, id := range d.DeclaredPure {
		if k, ok := kind(id); !ok || k != KindFrozen {
			return fmt.Errorf("%w: class %d is declared pure but is no living frozen class", ErrDelta, id)
		}
		turned[id] = KindPure
	}
	for _, x := range d.Deaths {
		if k, ok := kind(x.ID); !ok || k != KindPure && k != KindShared || x.Release == 0 {
			return fmt.Errorf("%w: class %d dies but is no living class that is pure or in a bucket", ErrDelta, x.ID)
		}
		turned[x.ID] = kindDead
	}
	return nil
}

func kindOf(c *Class) ClassKind {
	switch {
	case c.Died != 0:
		return kindDead
	case c.Regime == Pure:
		return KindPure
	case c.Bucket != 0:
		return KindShared
	default:
		return KindFrozen
	}
}

// Apply moves on by a delta that Check accepted and the store has kept.
func (g *Guard) Apply(d *Delta) {
	g.Dictionary += uint64(len(d.Dictionary))
	for _, b := range d.Records {
		g.Records += RecordID(b.Len())
	}
	for _, c := range d.Births {
		g.AddClass(c)
	}
	for _, id := range d.DeclaredPure {
		g.Kinds[id] = KindPure
	}
	for _, x := range d.Deaths {
		g.Kinds[x.ID] = kindDead
	}
	if d.Intent != nil {
		g.Release, g.Expired = max(g.Release, d.Intent.Release), max(g.Expired, d.Intent.Expired)
	}
	if d.Born != nil {
		g.Born = d.Born.Release
	}
	if d.Attempt != nil {
		g.Attempt = d.Attempt.Number
	}
	for _, x := range d.Positions {
		g.AddPosition(x.Partition, x.Position)
	}
	if n := len(d.DeadLetters); n > 0 {
		g.Letter = d.DeadLetters[n-1].Seq
	}
}

// AddClass takes in a class that the store holds, in order of ID.
func (g *Guard) AddClass(c *Class) {
	g.Kinds = append(g.Kinds, kindOf(c))
	g.Bucket = max(g.Bucket, c.Bucket)
}

// AddPosition takes in a position that the store holds.
func (g *Guard) AddPosition(p Partition, x Position) {
	if g.Partitions == nil {
		g.Partitions, g.numbers = map[uint16]Partition{}, map[Partition]uint16{}
	}
	g.Partitions[x.Number], g.numbers[p] = p, x.Number
}

// Clone returns an independent copy.
func (g *Guard) Clone() Guard {
	out := *g
	out.Kinds, out.Partitions, out.numbers = slices.Clone(g.Kinds), maps.Clone(g.Partitions), maps.Clone(g.numbers)
	return out
}
