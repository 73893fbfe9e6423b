package boltstore

import (
	"cmp"
	"math"

	"anond/equivclass"
	"anond/incremental/state"
)

// ends counts what the file holds. It is written in every transaction, so that a
// missing key is noticed, and an opened store knows where to go on without reading the
// rest.
type ends struct {
	dictionary uint64 // entries
	records    uint64
	classes    uint64
	deaths     uint64
	pure       uint64 // declarations
	quarantine uint64 // records
	intents    uint64
	positions  uint64
	letter     uint64 // newest sequence number
	waiting    uint64 // dead letters not delivered
	attempts   uint64
	known      uint64 // people, by reason
	born       uint64 // releases with a bag
	stale      uint64 // people
	settling   uint64 // histories that are open
}

var endsLayout layout[ends] = func(c *coder, e *ends) {
	for _, n := range []*uint64{&e.dictionary, &e.records, &e.classes, &e.deaths, &e.pure, &e.quarantine, &e.intents, &e.positions,
		&e.letter, &e.waiting, &e.attempts, &e.known, &e.born, &e.stale, &e.settling} {
		c.u(n)
	}
	if e.records > maxRecord || e.classes > maxRecord {
		c.fail()
	}
}

const maxInt32 = 1<<31 - 1

var metaLayout layout[state.Meta] = func(c *coder, m *state.Meta) {
	keyed(c, &m.Settings, cmp.Compare, func(c *coder, key *string, digest *[32]byte) {
		words(c, key)
		c.fixed(digest[:])
	})
	listed(c, &m.Eras, era)
	if len(m.Eras) == 0 {
		m.Eras = nil
	}
	c.fixed(m.Seed[:])
	c.flags(&m.Seeded)
	keyed(c, &m.InitialEnds, comparePartitions, offset)
	c.flags(&m.InitialDone)
	c.i(&m.Tick)
	c.i(&m.CutTick)
	whole(c, &m.LastCut, maxRecord)
	c.u(&m.CutRead)
	keyed(c, &m.Ends, comparePartitions, offset)
	keyed(c, &m.References, cmp.Compare, func(c *coder, attribute *int, counts *[]equivclass.Count) {
		whole(c, attribute, maxInt32)
		listed(c, counts, func(c *coder, n *equivclass.Count) {
			whole(c, &n.Code, maxRecord)
			whole(c, &n.N, 1<<53-1)
		})
	})
	keyed(c, &m.Read, comparePartitions, offset)
	keyed(c, &m.Hierarchies, cmp.Compare, func(c *coder, attribute *int, versions *[]state.HierarchyVersion) {
		whole(c, attribute, maxInt32)
		listed(c, versions, func(c *coder, v *state.HierarchyVersion) {
			c.fixed(v.SHA256[:])
			whole(c, &v.Leaves, maxRecord)
			whole(c, &v.Records, maxRecord)
			whole(c, &v.Release, maxRecord)
		})
	})
	whole(c, &m.Removed, maxRecord)
	whole(c, &m.Epoch, maxRecord)
	scale(c, &m.Scale)
	c.u(&m.Pools.Fixed)
	whole(c, &m.Pools.Need, maxRecord)
	whole(c, &m.Pools.First, maxRecord)
	whole(c, &m.Pools.Turn, math.MaxUint8)
	c.flags(&m.Pools.Refused, &m.Pools.Grown)
	if len(c.b) > 0 {
		m.Pools.Open = &state.Pool{}
	}
	if of := m.Pools.Open; of != nil {
		whole(c, &of.SubPools, maxRecord)
		ids(c, &of.Members)
	}
}

func era(c *coder, e *state.Era) {
	whole(c, &e.Release, maxRecord)
	whole(c, &e.Attempt, maxRecord)
	whole(c, &e.Records, maxRecord)
	c.flags(&e.Grown, &e.Arrival)
	keyed(c, &e.Ends, comparePartitions, offset)
	scale(c, &e.Scale)
	text := string(e.Config)
	words(c, &text)
	e.Config = append([]byte(nil), text...) // nil: none is kept
}

func scale(c *coder, list *[]equivclass.Range) {
	listed(c, list, func(c *coder, r *equivclass.Range) {
		c.i(&r.Lo)
		c.i(&r.Hi)
	})
	if len(*list) == 0 {
		*list = nil
	}
}

func comparePartitions(a, b state.Partition) int {
	return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.ID, b.ID))
}

func partition(c *coder, p *state.Partition) {
	words(c, &p.Source)
	id := int64(p.ID)
	c.i(&id)
	if p.ID = int32(id); int64(p.ID) != id {
		c.fail()
	}
}

func offset(c *coder, p *state.Partition, offset *int64) {
	partition(c, p)
	c.i(offset)
}

var countersLayout layout[state.Counters] = func(c *coder, n *state.Counters) {
	c.u(&n.Sent)
	c.u(&n.Read)
	for _, of := range []*map[equivclass.Reason]uint64{&n.Refused, &n.Ignored, &n.Replayed} {
		keyed(c, of, cmp.Compare, func(c *coder, reason *equivclass.Reason, n *uint64) {
			words(c, reason)
			c.u(n)
		})
	}
	c.u(&n.Blocked)
	c.u(&n.Beyond)
	c.u(&n.Elsewhere)
	c.u(&n.Ahead)
}

var knownLayout layout[[]state.Known] = func(c *coder, list *[]state.Known) {
	rest(c, list, func(c *coder, k *state.Known) {
		if c.fixed(k[:]); k.Why() == 0 {
			c.fail()
		}
	})
}

var partitionsLayout layout[int] = func(c *coder, n *int) {
	if whole(c, n, maxInt32); *n == 0 {
		c.fail()
	}
}

var journalLayout layout[state.JournalMark] = func(c *coder, m *state.JournalMark) {
	c.u(&m.Seq)
	c.i(&m.Next)
	if c.fixed(m.Digest[:]); m.Seq == 0 || m.Next < 0 {
		c.fail()
	}
}

var ledgerLayout layout[state.LedgerMark] = func(c *coder, m *state.LedgerMark) {
	c.i(&m.Size)
	if c.fixed(m.Digest[:]); m.Size <= 0 {
		c.fail()
	}
}

// due says what an erasure has left to do.
type due struct {
	people int  // not forgotten yet
	stale  bool // free pages may hold what was
}

var dueLayout layout[due] = func(c *coder, d *due) {
	whole(c, &d.people, maxInt32)
	if c.flags(&d.stale); *d == (due{}) {
		c.fail()
	}
}

var dictionaryLayout layout[[]state.DictionaryEntry] = func(c *coder, entries *[]state.DictionaryEntry) {
	listed(c, entries, func(c *coder, e *state.DictionaryEntry) {
		whole(c, &e.Attribute, maxInt32)
		words(c, &e.Text)
	})
}

// positionLayout has no number: that is the key.
var positionLayout layout[state.PartitionPosition] = func(c *coder, x *state.PartitionPosition) {
	partition(c, &x.Partition)
	c.i(&x.Position.Next)
	c.i(&x.Position.Last)
	c.fixed(x.Position.Digest[:])
	c.i(&x.Position.Time)
}

// Flags of a dead letter.
const (
	hasPayload    = 1
	sealedPayload = 2
)

// letterLayout has no sequence number: that is the key.
var letterLayout layout[state.DeadLetter] = func(c *coder, d *state.DeadLetter) {
	partition(c, &d.Partition)
	c.i(&d.Offset)
	words(c, &d.Reason)
	words(c, &d.Attribute)
	c.fixed(d.Digest[:])
	flags := []byte{0}
	if d.Payload != nil {
		flags[0] |= hasPayload
	}
	if d.Sealed {
		flags[0] |= sealedPayload
	}
	c.fixed(flags)
	if !c.writing && flags[0]&hasPayload != 0 {
		d.Payload = make([]byte, len(c.b))
	}
	c.fixed(d.Payload)
	if d.Sealed = flags[0]&sealedPayload != 0; flags[0] > hasPayload|sealedPayload {
		c.fail()
	}
}

// intentLayout has no release: that is the key.
var intentLayout layout[state.Intent] = func(c *coder, i *state.Intent) {
	whole(c, &i.Cut, maxRecord)
	c.i(&i.CreatedAt)
	c.fixed(i.Policy[:])
	p := &i.Pending
	for _, n := range []*int{&i.Records, &i.Classes, &i.Newcomers, &p.Waiting, &p.Settling, &p.Quarantined, &p.Infeasible} {
		v := int64(*n)
		c.i(&v)
		*n = int(v)
	}
	whole(c, &i.Algorithm, maxRecord)
	whole(c, &i.Digests, 1<<53-1)
	whole(c, &i.Stale, maxRecord)
	whole(c, &i.Expired, maxRecord)
	c.flags(&i.Published)
	c.fixed(i.Manifest[:])
}

// bornLayout has no release: that is the key.
var bornLayout layout[state.Born] = func(c *coder, b *state.Born) {
	whole(c, &b.Stratum, math.MaxUint8)
	whole(c, &b.People, maxRecord)
	listed(c, &b.Counts, func(c *coder, counts *[]equivclass.Count) {
		before := int64(0)
		listed(c, counts, func(c *coder, n *equivclass.Count) {
			step(c, &n.Code, &before)
			whole(c, &n.N, maxRecord)
		})
	})
}

// attemptLayout has no number: that is the key.
var attemptLayout layout[state.Attempt] = func(c *coder, a *state.Attempt) {
	whole(c, &a.Records, maxRecord)
	c.i(&a.First)
	span := a.Last - a.First
	c.i(&span)
	a.Last = a.First + span
	whole(c, &a.Cuts, maxRecord)
	kinds := []byte{byte(a.Occasion), byte(a.Outcome)}
	c.fixed(kinds)
	if a.Occasion, a.Outcome = state.Occasion(kinds[0]), state.CutOutcome(kinds[1]); a.Outcome > state.Fixed || a.Occasion > state.Asked {
		c.fail()
	}
	whole(c, &a.Algorithm, maxRecord)
	whole(c, &a.Need, maxRecord)
}
