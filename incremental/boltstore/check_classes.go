package boltstore

import (
	"anond/incremental/state"
)

func (c *checker) recordBlocks() {
	unknown := map[uint16]bool{}
	columns := -1
	c.walk(inRecords, 4, func(n uint64, _, content []byte) string {
		b, err := decodeRecords(state.RecordID(n), content)
		if err != nil {
			return err.Error()
		}
		gap := n != c.records
		c.records = n + uint64(b.len())
		for _, o := range b.origin {
			if !c.partitions[o] && !unknown[o] {
				unknown[o] = true
				c.fault("records: partition number %d has no position", o)
			}
		}
		fewer := len(b.columns) < columns
		columns = len(b.columns)
		switch {
		case gap:
			return broken(nil)
		case fewer:
			return "it has fewer columns than the block before"
		}
		return ""
	})
	c.total(inRecords, c.records, c.ends.records)
}

func (c *checker) classBlocks() {
	t, err := readTurns(c.tx, c.ends)
	if err != nil {
		c.fault("%v", err)
		return
	}
	c.owner = make([]state.ClassID, c.ends.records)
	for id, release := range t.died {
		if _, ok := c.intents[release]; !ok {
			c.fault("class %d dies in release %d, which has no intent", id, release)
		}
	}
	c.walk(inClasses, 4, func(n uint64, _, content []byte) string {
		b, err := decodeClasses(state.ClassID(n), content)
		if err != nil {
			return err.Error()
		}
		gap := n != c.classes
		c.classes = n + uint64(len(b.classes))
		for _, x := range b.classes {
			if t.declared[x.ID] && x.Regime == state.Pure {
				c.fault("class %d was born pure and is declared pure (rule C)", x.ID)
			}
			t.apply(x)
			c.class(x)
		}
		if gap {
			return broken(nil)
		}
		return ""
	})
	c.total(inClasses, c.classes, c.ends.classes)
}

// class checks one class against rules A (frozen classes) and P (pure classes) as far
// as state shows them.
func (c *checker) class(x *state.Class) {
	if _, ok := c.intents[x.Born]; !ok {
		c.fault("class %d is born in release %d, which has no intent", x.ID, x.Born)
	}
	if !x.Holds() && x.Regime != state.Pure {
		c.fault("class %d is frozen and dies (rule A)", x.ID)
	}
	if x.Died != 0 && x.Died <= x.Born {
		c.fault("class %d dies in release %d, born in %d", x.ID, x.Died, x.Born)
	}
	for j, m := range x.Members {
		if uint64(m) >= c.ends.records || j > 0 && m <= x.Members[j-1] {
			c.fault("class %d: member %d is unknown or out of order", x.ID, j)
			return
		}
		if !x.Holds() {
			continue
		}
		if other := c.owner[m]; other != 0 {
			c.fault("record %d is in the living classes %d and %d", m, other-1, x.ID)
		}
		c.owner[m] = x.ID + 1
	}
}

// stale: an update or a delete is noted of people who are there, once each.
func (c *checker) stale() {
	seen := map[state.RecordID]bool{}
	checkLists(c, inStale, recordIDs, c.ends.stale, func(list []state.RecordID) {
		for _, r := range list {
			if uint64(r) >= c.ends.records || seen[r] {
				c.fault("stale: record %d is unknown, or there twice", r)
			}
			seen[r] = true
		}
	})
}

func (c *checker) quarantine() {
	checkLists(c, inQuarantine, recordIDs, c.ends.quarantine, func(list []state.RecordID) {
		for _, r := range list {
			switch {
			case uint64(r) >= c.ends.records:
				c.fault("quarantine: record %d is unknown", r)
			case c.owner != nil && c.owner[r] != 0:
				c.fault("record %d is quarantined and in class %d", r, c.owner[r]-1)
			}
		}
	})
}
