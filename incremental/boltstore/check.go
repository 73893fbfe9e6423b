package boltstore

import (
	"errors"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"anond/incremental"
)

// maxFaults bounds the list of Check: a file with more faults cannot be repaired.
const maxFaults = 1000

// Check reads the whole state at path and reports every fault: of pages, checksums,
// numbering and references. A sound state has none. Faults name
// bucket, key, record, class and release numbers, never a value. The error says
// that the check could not be made, for example because the state is locked.
//
// It is slower and simpler than Load on purpose, and needs some 10 bytes a record.
func Check(path string) ([]string, error) {
	s, err := Open(path, Options{ReadOnly: true})
	if errors.Is(err, incremental.ErrCorrupt) {
		return []string{err.Error()}, nil
	}
	if err != nil {
		return nil, err
	}
	c := &checker{}
	err = guarded(func() error { return s.db.View(c.check) })
	if err != nil {
		c.fault("%v", err)
	}
	return c.faults, s.Close()
}

type checker struct {
	tx     *bolt.Tx
	ends   ends
	faults []string

	intents    map[uint32]bool // by release: published?
	partitions map[uint16]bool
	owner      []incremental.ClassID // by record: living class plus one, 0 none
	classes    uint64
	records    uint64
}

func (c *checker) fault(format string, args ...any) {
	if len(c.faults) < maxFaults {
		c.faults = append(c.faults, fmt.Sprintf(format, args...))
	}
}

// check goes on after a fault wherever it can, because its parts are independent. Only
// a broken page structure ends it.
func (c *checker) check(tx *bolt.Tx) error {
	c.tx = tx
	var err error
	if c.ends, err = readEnds(tx); err != nil {
		return err
	}
	for _, part := range []func(){c.head, c.dictionary, c.intentsAndPositions, c.recordBlocks, c.classBlocks, c.quarantine, c.outbox} {
		if err := guarded(func() error { part(); return nil }); err != nil {
			c.fault("%v", err)
			return nil
		}
	}
	// bbolt's own check of pages, order of keys and free list comes last: where the
	// walks above left the pages, it would too, and would end the process.
	for err := range tx.Check(bolt.WithKVStringer(untold{})) {
		c.fault("pages: %v", err)
	}
	return nil
}

// untold shows only the length of keys and values. A damaged length may reach beyond
// the pages, and to read there would end the process; and what a damaged key points to
// may be a person's value (rule V, no person's value is shown).
type untold struct{}

func (untold) KeyToString(key []byte) string     { return fmt.Sprintf("of %d bytes", len(key)) }
func (untold) ValueToString(value []byte) string { return fmt.Sprintf("of %d bytes", len(value)) }

// walk visits all values of a bucket, also those behind a broken one.
func (c *checker) walk(b *bucket, length int, yield func(n uint64, key, content []byte) string) {
	x := c.tx.Bucket(b.name)
	if x == nil {
		c.fault("%v", b.damaged(nil, "the bucket is missing"))
		return
	}
	cursor := x.Cursor()
	for key, value := cursor.First(); key != nil; key, value = cursor.Next() {
		content, err := b.unseal(key, value)
		var n uint64
		if err == nil {
			n, err = b.number(key, length)
		}
		if err != nil {
			c.fault("%v", err)
			continue
		}
		if why := yield(n, key, content); why != "" {
			c.fault("%v", b.damaged(key, why))
		}
	}
}

// total reports a bucket that does not hold what the ends say.
func (c *checker) total(b *bucket, seen, want uint64) {
	if err := reached(nil, b, seen, want); err != nil {
		c.fault("%v", err)
	}
}

func (c *checker) head() {
	for _, cell := range []struct {
		key    []byte
		decode func([]byte) error
	}{
		{keyMeta, func(b []byte) error { _, err := decodeMeta(b); return err }},
		{keyCounters, func(b []byte) error { _, err := decodeCounters(b); return err }},
	} {
		content, err := get(c.tx, inMeta, cell.key)
		if err != nil {
			c.fault("%v", err)
		} else if content != nil && cell.decode(content) != nil {
			c.fault("%v", inMeta.damaged(cell.key, errDecode.Error()))
		}
	}
}

func (c *checker) dictionary() {
	seen := uint64(0)
	c.walk(inDictionary, 8, func(n uint64, _, content []byte) string {
		list, err := decodeDictionary(content)
		if err != nil || n != seen {
			seen = max(seen, n) + uint64(len(list))
			return broken(err)
		}
		seen += uint64(len(list))
		return ""
	})
	c.total(inDictionary, seen, c.ends.dictionary)
}

func (c *checker) intentsAndPositions() {
	c.intents, c.partitions = map[uint32]bool{}, map[uint16]bool{}
	last := uint64(0)
	c.walk(inIntents, 4, func(n uint64, _, content []byte) string {
		i, err := decodeIntent(uint32(n), content)
		if err != nil {
			return err.Error()
		}
		before := last
		last = n
		c.intents[i.Release] = i.Published
		switch {
		case n != before+1:
			return "the release before it is missing"
		case uint64(i.Cut) > c.ends.records:
			return "its cut lies beyond the newest record"
		case i.Published && before > 0 && !c.intents[uint32(before)]:
			return "it is published but the release before it is not"
		}
		return ""
	})
	c.total(inIntents, uint64(len(c.intents)), c.ends.intents)
	named := map[incremental.Partition]bool{}
	c.walk(inPositions, 2, func(n uint64, _, content []byte) string {
		x, err := decodePosition(uint16(n), content)
		if err != nil {
			return err.Error()
		}
		c.partitions[uint16(n)] = true
		if named[x.Partition] {
			return "its partition has another number too"
		}
		named[x.Partition] = true
		if x.Position.Next < 0 || x.Position.Last < -1 || x.Position.Last >= x.Position.Next {
			return "its offsets contradict each other"
		}
		return ""
	})
	c.total(inPositions, uint64(len(c.partitions)), c.ends.positions)
}

func (c *checker) recordBlocks() {
	unknown := map[uint16]bool{}
	columns := -1
	c.walk(inRecords, 4, func(n uint64, _, content []byte) string {
		b, err := decodeRecords(incremental.RecordID(n), content)
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
		if columns < 0 {
			columns = len(b.columns)
		}
		switch {
		case gap:
			return broken(nil)
		case columns != len(b.columns):
			return "it has another number of columns than the blocks before"
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
	c.owner = make([]incremental.ClassID, c.ends.records)
	for id, release := range t.died {
		if _, ok := c.intents[release]; !ok {
			c.fault("class %d dies in release %d, which has no intent", id, release)
		}
	}
	c.walk(inClasses, 4, func(n uint64, _, content []byte) string {
		b, err := decodeClasses(incremental.ClassID(n), content)
		if err != nil {
			return err.Error()
		}
		gap := n != c.classes
		c.classes = n + uint64(len(b.classes))
		for _, x := range b.classes {
			if t.declared[x.ID] && x.Regime == incremental.Pure {
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
func (c *checker) class(x *incremental.Class) {
	if _, ok := c.intents[x.Born]; !ok {
		c.fault("class %d is born in release %d, which has no intent", x.ID, x.Born)
	}
	if x.Died != 0 && x.Regime != incremental.Pure {
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
		if x.Died != 0 {
			continue
		}
		if other := c.owner[m]; other != 0 {
			c.fault("record %d is in the living classes %d and %d", m, other-1, x.ID)
		}
		c.owner[m] = x.ID + 1
	}
}

func (c *checker) quarantine() {
	seen := uint64(0)
	c.walk(inQuarantine, 8, func(n uint64, _, content []byte) string {
		list, err := decodeIDs[incremental.RecordID](content)
		if err != nil {
			return err.Error()
		}
		gap := n != seen
		seen = n + uint64(len(list))
		for _, r := range list {
			switch {
			case uint64(r) >= c.ends.records:
				c.fault("quarantine: record %d is unknown", r)
			case c.owner != nil && c.owner[r] != 0:
				c.fault("record %d is quarantined and in class %d", r, c.owner[r]-1)
			}
		}
		if gap {
			return broken(nil)
		}
		return ""
	})
	c.total(inQuarantine, seen, c.ends.quarantine)
}

func (c *checker) outbox() {
	seen := uint64(0)
	c.walk(inOutbox, 8, func(n uint64, _, content []byte) string {
		seen++
		if _, err := decodeLetter(n, content); err != nil {
			return err.Error()
		}
		if n > c.ends.letter {
			return "it is newer than the newest dead letter"
		}
		return ""
	})
	c.total(inOutbox, seen, c.ends.waiting)
}
