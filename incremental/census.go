package incremental

import (
	"errors"
	"fmt"
	"slices"
)

// ErrUndecided: a state has a release that is decided and not published, or people to forget.
var ErrUndecided = errors.New("the state has a release that is not published yet, or people to forget: finish that first")

// Census counts the people of a state that is to be closed: who is published, who is closed, and who
// waits. A person is closed whose record is in a pool that was quarantined: that pool's bag was judged, so its
// people may be in no other one (Theorem E; an ineligible pool whose records join the next breaks it).
//
// Cost: 20 bytes a record.
type Census struct {
	meta      Meta
	subjects  []uint64
	origin    []uint16
	settled   []bool // by record: published or quarantined
	positions map[uint16]int32
	newest    *Intent
	due       int
	left      []Digest
	epoch     *Epoch
	before    []EarlierPerson
	pools     int
}

// NewCensus begins one.
func NewCensus() *Census { return &Census{positions: map[uint16]int32{}} }

// Visitor takes in a state (Store.Load).
func (c *Census) Visitor() Visitor {
	return Visitor{
		Meta:       func(m Meta) error { c.meta = m; return nil },
		Counters:   func(Counters) error { return nil },
		Dictionary: func(int, string) error { return nil },
		Records: func(b *RecordBlock) error {
			if b.Subject == nil {
				return ErrNoSubject
			}
			c.subjects, c.origin = append(c.subjects, b.Subject...), append(c.origin, b.Origin...)
			c.settled = append(c.settled, make([]bool, b.Len())...)
			return nil
		},
		Class:       func(x *Class) error { return c.settle(x.Members) },
		Intent:      func(i *Intent) error { c.newest = i; return nil },
		Position:    func(p Partition, x Position) error { c.positions[x.Number] = p.ID; return nil },
		Attempt:     func(*Attempt) error { return nil },
		Quarantined: func(r []RecordID) error { c.pools++; return c.settle(r) },
		Suppressed:  func(s Suppressed) error { c.left, c.due = s.People, s.Due; return nil },
		Epoch:       func(e *Epoch) error { c.epoch = e; return nil },
		Earlier:     func(p []EarlierPerson) error { c.before = append(c.before, p...); return nil },
		Outbox:      func(uint64, int) error { return nil },
	}
}

func (c *Census) settle(records []RecordID) error {
	for _, r := range records {
		if int(r) >= len(c.settled) {
			return fmt.Errorf("%w: a class has a record that is not there", ErrCorrupt)
		}
		c.settled[r] = true
	}
	return nil
}

// Place is where a state stood in its epoch.
type Place struct {
	Shard, Of  int
	Partitions int // of the topic, by which a person leads to one partition; 0: none does
}

// Handover is what a closed state leaves to the next epoch: its people, and those that it knew of
// earlier ones.
type Handover struct {
	Epoch
	Dataset string
	// Keys is what the partitions of people follow from: shard.key; nil without shards.
	Keys [32]byte
	// Topic is how many partitions the topic of the closed state had; 0: a person had none.
	Topic int
	// Blind: who waits follows from quasi-identifiers, arrivals and published data, as at level L2.
	Blind bool
	// Owed: people of an epoch before are to be read again who waited there for reasons that may depend on
	// their values. Whether they have come is not known: who does is in no list but that epoch's.
	Owed    bool
	Waiting uint64 // people among EarlierPerson who are to be read again
}

// Handover sums up, and lists the people in order. reread: who waits is to be read again by the
// next epoch, else is closed, which ends that they are ever published.
func (c *Census) Handover(at Place, level Level, reread bool) (*Handover, []EarlierPerson, error) {
	if c.newest != nil && !c.newest.Published || c.due > 0 {
		return nil, nil, ErrUndecided
	}
	out := &Handover{Topic: at.Partitions}
	out.Number = FirstEpoch
	if c.epoch != nil {
		_, out.Owed = c.epoch.Settings[levelKey]
		out.Number, out.Chains, out.Left = c.epoch.Number, slices.Clone(c.epoch.Chains), slices.Clone(c.epoch.Left)
	}
	home := Chain{Epoch: out.Number, Shard: at.Shard, Of: at.Of}
	if c.newest != nil {
		home.Release, home.Manifest = c.newest.Release, c.newest.Manifest
	}
	out.Number++
	out.Chains = append(out.Chains, home)
	if len(out.Chains) > maxChains {
		return nil, nil, fmt.Errorf("a state knows at most %d chains of earlier epochs", maxChains)
	}
	if len(c.left) > 0 {
		out.Left = append(out.Left, ForgottenBefore{[32]byte(suppressKey(c.meta.Seed)), c.left})
	}
	// A refused pool that was not quarantined is judged still: who waits does so because of its bag.
	out.Blind = level == L2 && !c.meta.Pools.Grown && (!c.meta.Pools.Refused || c.pools > 0)
	people := c.people(uint16(len(out.Chains)-1), reread)
	for _, p := range people {
		if p.Waiting {
			out.Waiting++
		} else {
			out.People++
		}
	}
	return out, people, nil
}

// maxChains bounds what EarlierPerson.Home can name.
const maxChains = 1 << 16

// Unsettled is how many people have a record and are neither published nor closed.
func (c *Census) Unsettled() (n int) {
	for _, p := range c.people(0, true) {
		if p.Waiting {
			n++
		}
	}
	return n
}

// people are all of them, each once, in order.
func (c *Census) people(home uint16, reread bool) []EarlierPerson {
	out := slices.Clone(c.before)
	for r, s := range c.subjects {
		if s != 0 { // not of a person who was forgotten
			out = append(out, EarlierPerson{s, home, c.positions[c.origin[r]], reread && !c.settled[r]})
		}
	}
	return Distinct(out)
}

// Distinct sorts people and leaves each of them once: as published, if there is a record that is.
func Distinct(people []EarlierPerson) []EarlierPerson {
	slices.SortFunc(people, CompareEarlier)
	return slices.CompactFunc(people, func(a, b EarlierPerson) bool { return a.Subject == b.Subject })
}

// Presence is what a state has of a person.
type Presence int

// What it may have.
const (
	Absent  Presence = iota
	Present          // records
	Gone             // it has forgotten the person
)

// Holds tells what the state has of subjects.
func (c *Census) Holds() func(subject uint64) Presence {
	have := slices.Clone(c.subjects)
	slices.Sort(have)
	gone := make(map[Digest]bool, len(c.left))
	for _, d := range c.left {
		gone[d] = true
	}
	key := suppressKey(c.meta.Seed)
	return func(subject uint64) Presence {
		if _, found := slices.BinarySearch(have, subject); found {
			return Present
		} else if len(gone) > 0 && gone[suppressedUnder(key, subject)] {
			return Gone
		}
		return Absent
	}
}

// suppressKey is the key of the digests of who was forgotten.
func suppressKey(seed [32]byte) []byte {
	s := newSecrets(seed, nil)
	return s.suppress
}
