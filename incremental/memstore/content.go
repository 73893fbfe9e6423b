package memstore

import (
	"maps"
	"slices"

	"anond/incremental/erase"
	"anond/incremental/settle"
	"anond/incremental/state"
)

type content struct {
	guard      state.Guard
	meta       *state.Meta
	counters   *state.Counters
	dictionary []state.DictionaryEntry
	records    []*state.RecordBlock
	classes    []*state.Class
	intents    []state.Intent
	positions  []state.PartitionPosition
	quarantine [][]state.RecordID // a list a commit
	attempts   []state.Attempt
	letters    []state.DeadLetter
	journal    *state.JournalMark
	ledger     *state.LedgerMark
	known      []state.Known
	due        int
	born       []*state.Born
	stale      []state.RecordID
	settling   map[uint64][]byte // histories that are open, by number
}

// forget is how a store forgets people. After an error it must not be used any more.
func (c *content) forget(e *erase.Erasure) error {
	c.meta, c.known, c.due = cloneMeta(e.Head()), append(c.known, e.Known()...), e.Later
	stays := e.Dictionary()
	c.dictionary = slices.DeleteFunc(c.dictionary, func(x state.DictionaryEntry) bool { return !stays(x) })
	c.guard.Dictionary = uint64(len(c.dictionary))
	maps.DeleteFunc(c.settling, func(n uint64, _ []byte) bool { return e.Closes(n) })
	if c.counters != nil {
		e.Count(c.counters)
	}
	for _, b := range c.records {
		if err := e.Rewrite(b); err != nil {
			return err
		}
	}
	for _, b := range c.born {
		if err := e.RewriteBorn(b); err != nil {
			return err
		}
	}
	return nil
}

// remove is how a store loses people who have left the releases.
func (c *content) remove(r *erase.Removal) error {
	v := r.Visitor()
	before := c.clone()
	for _, part := range []func(state.Visitor) error{before.loadHead, before.loadRecords, before.loadClasses, before.loadTail} {
		if err := part(v); err != nil {
			return err
		}
	}
	guard := c.guard
	*c = content{guard: state.Guard{Letter: guard.Letter}, positions: c.positions, letters: c.letters, journal: c.journal, ledger: c.ledger,
		known: c.known, due: c.due, settling: c.settling}
	for _, p := range c.positions {
		c.guard.AddPosition(p.Partition, p.Position)
	}
	for _, d := range r.Deltas() {
		c.apply(d)
	}
	return nil
}

func (c *content) apply(d *state.Delta) {
	c.guard.Apply(d)
	if d.Meta != nil {
		c.meta = cloneMeta(d.Meta)
	}
	if d.Counters != nil {
		c.counters = cloneCounters(d.Counters)
	}
	c.dictionary = append(c.dictionary, d.Dictionary...)
	c.known = append(c.known, d.Known...)
	c.stale = append(c.stale, d.Stale...)
	for _, x := range d.Settling {
		if c.settling == nil {
			c.settling = map[uint64][]byte{}
		}
		if c.settling[x.Number] = slices.Clone(x.Bytes); x.Bytes == nil {
			delete(c.settling, x.Number)
		}
	}
	for _, b := range d.Records {
		c.records = append(c.records, cloneBlock(b))
	}
	for _, p := range d.Positions {
		c.setPosition(p)
	}
	for _, b := range d.Births {
		c.classes = append(c.classes, cloneClass(b))
	}
	for _, id := range d.DeclaredPure {
		c.classes[id].Regime = state.Pure
	}
	for _, x := range d.Deaths {
		c.classes[x.ID].Died = x.Release
	}
	if d.Intent != nil {
		c.setIntent(*d.Intent)
	}
	if d.Born != nil {
		c.born = append(c.born, cloneBorn(d.Born))
	}
	if d.Due != nil {
		c.due = *d.Due
	}
	if d.Journal != nil {
		mark := *d.Journal
		c.journal = &mark
	}
	if d.Ledger != nil {
		mark := *d.Ledger
		c.ledger = &mark
	}
	if len(d.Quarantined) > 0 {
		c.quarantine = append(c.quarantine, slices.Clone(d.Quarantined))
	}
	if a := d.Attempt; a != nil {
		c.attempts = append(c.attempts[:a.Number-1], *a)
	}
	for i := range d.DeadLetters {
		c.letters = append(c.letters, cloneLetter(d.DeadLetters[i]))
	}
	c.letters = slices.DeleteFunc(c.letters, func(l state.DeadLetter) bool { return l.Seq <= d.Delivered })
}

func (c *content) setPosition(p state.PartitionPosition) {
	for i := range c.positions {
		if c.positions[i].Partition == p.Partition {
			c.positions[i] = p
			return
		}
	}
	c.positions = append(c.positions, p)
	slices.SortFunc(c.positions, func(a, b state.PartitionPosition) int {
		return int(a.Position.Number) - int(b.Position.Number)
	})
}

func (c *content) setIntent(x state.Intent) {
	i, found := slices.BinarySearchFunc(c.intents, x, func(a, b state.Intent) int { return int(int64(a.Release) - int64(b.Release)) })
	if found {
		c.intents[i] = x
		return
	}
	c.intents = slices.Insert(c.intents, i, x)
}

func (c *content) loadHead(v state.Visitor) error {
	if c.meta != nil {
		if err := v.Meta(*c.meta); err != nil {
			return err
		}
	}
	if c.counters != nil {
		if err := v.Counters(*c.counters); err != nil {
			return err
		}
	}
	if len(c.known) > 0 && v.Known != nil {
		if err := v.Known(slices.Clone(c.known)); err != nil {
			return err
		}
	}
	if c.due > 0 && v.Due != nil {
		if err := v.Due(c.due); err != nil {
			return err
		}
	}
	if c.journal != nil && v.Journal != nil {
		if err := v.Journal(*c.journal); err != nil {
			return err
		}
	}
	if c.ledger != nil && v.Ledger != nil {
		if err := v.Ledger(*c.ledger); err != nil {
			return err
		}
	}
	for _, e := range c.dictionary {
		if err := v.Dictionary(e.Attribute, e.Text); err != nil {
			return err
		}
	}
	return nil
}

func (c *content) loadRecords(v state.Visitor) error {
	for _, b := range c.records {
		if err := v.Records(b); err != nil {
			return err
		}
	}
	return nil
}

func (c *content) loadClasses(v state.Visitor) error {
	for _, x := range c.classes {
		if err := v.Class(x); err != nil {
			return err
		}
	}
	return nil
}

func (c *content) loadTail(v state.Visitor) error {
	for i := range c.intents {
		if err := v.Intent(&c.intents[i]); err != nil {
			return err
		}
	}
	for _, p := range c.positions {
		if err := v.Position(p.Partition, p.Position); err != nil {
			return err
		}
	}
	if len(c.stale) > 0 && v.Stale != nil {
		if err := v.Stale(slices.Clone(c.stale)); err != nil {
			return err
		}
	}
	for _, n := range slices.Sorted(maps.Keys(c.settling)) {
		if v.Settling == nil {
			break
		}
		if err := v.Settling(settle.Change{Number: n, Bytes: slices.Clone(c.settling[n])}); err != nil {
			return err
		}
	}
	for _, list := range c.quarantine {
		if err := v.Quarantined(list); err != nil {
			return err
		}
	}
	for _, b := range c.born {
		if v.Born == nil {
			break
		}
		if err := v.Born(cloneBorn(b)); err != nil {
			return err
		}
	}
	for _, a := range c.attempts {
		if err := v.Attempt(&a); err != nil {
			return err
		}
	}
	if c.guard.Letter == 0 {
		return nil
	}
	return v.Outbox(c.guard.Letter, len(c.letters))
}
