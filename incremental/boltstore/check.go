package boltstore

import (
	"errors"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"anond/incremental/settle"
	"anond/incremental/state"
)

// maxFaults bounds the list of Check: a file with more faults cannot be repaired.
const maxFaults = 1000

// Check reads the whole state at path and reports every fault: of pages, checksums,
// numbering and references. A sound state has none. Faults name
// bucket, key, record, class and release numbers, never a value. The error says
// that the check could not be made, for example because the state is locked.
//
// It is slower and simpler than Load on purpose, and needs some 10 bytes a record.
func Check(path string, o Options) ([]string, error) {
	o.ReadOnly = true
	s, err := Open(path, o)
	if errors.Is(err, state.ErrCorrupt) {
		return []string{err.Error()}, nil
	}
	if err != nil {
		return nil, err
	}
	c := &checker{}
	err = guarded(func() error { return s.view(c.check) })
	if err != nil {
		c.fault("%v", err)
	}
	return c.faults, s.Close()
}

type checker struct {
	tx     *transaction
	ends   ends
	faults []string

	intents    map[uint32]bool // by release: published?
	partitions map[uint16]bool
	owner      []state.ClassID // by record: living class plus one, 0 none
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
func (c *checker) check(tx *transaction) error {
	c.tx = tx
	var err error
	if c.ends, err = readEnds(tx); err != nil {
		return err
	}
	for _, part := range []func(){c.head, c.dictionary, c.intentsAndPositions, c.recordBlocks, c.classBlocks, c.quarantine, c.known, c.born,
		c.stale, c.settling, c.attempts, c.outbox} {
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
		content, err := c.tx.unseal(b, key, value)
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
	for _, err := range []error{damage(c.tx, keyMeta, metaLayout), damage(c.tx, keyCounters, countersLayout),
		damage(c.tx, keyShard, partitionsLayout), damage(c.tx, keyJournal, journalLayout),
		damage(c.tx, keyLedger, ledgerLayout),
		damage(c.tx, keyDue, dueLayout)} {
		if err != nil {
			c.fault("%v", err)
		}
	}
}

func damage[T any](tx *transaction, key []byte, of layout[T]) error {
	_, err := cell(tx, key, of)
	return err
}

// checkLists checks the lists of a bucket, and what each says of its elements.
func checkLists[T any](c *checker, b *bucket, of layout[[]T], end uint64, look func(list []T)) {
	seen := uint64(0)
	c.walk(b, 8, func(n uint64, _, content []byte) string {
		list, err := of.decode(content)
		gap := n != seen
		if seen = max(seen, n) + uint64(len(list)); err != nil {
			return err.Error()
		}
		if look(list); gap {
			return broken(nil)
		}
		return ""
	})
	c.total(b, seen, end)
}

func (c *checker) dictionary() {
	checkLists(c, inDictionary, dictionaryLayout, c.ends.dictionary, func([]state.DictionaryEntry) {})
}

func (c *checker) intentsAndPositions() {
	c.intents, c.partitions = map[uint32]bool{}, map[uint16]bool{}
	last := uint64(0)
	c.walk(inIntents, 4, func(n uint64, _, content []byte) string {
		i, err := intentLayout.decode(content)
		if err != nil {
			return err.Error()
		}
		before := last
		last = n
		c.intents[uint32(n)] = i.Published
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
	named := map[state.Partition]bool{}
	c.walk(inPositions, 2, func(n uint64, _, content []byte) string {
		x, err := positionLayout.decode(content)
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

func (c *checker) known() { checkLists(c, inKnown, knownLayout, c.ends.known, func([]state.Known) {}) }

func (c *checker) born() {
	seen := uint64(0)
	c.walk(inBorn, 4, func(n uint64, _, content []byte) string {
		seen++
		if _, err := bornLayout.decode(content); err != nil {
			return err.Error()
		}
		if _, ok := c.intents[uint32(n)]; !ok {
			return "its release has no intent"
		}
		return ""
	})
	c.total(inBorn, seen, c.ends.born)
}

// settling checks the histories that are open: each reads, no person has two, and its partitions are known.
func (c *checker) settling() {
	seen, people := uint64(0), map[uint64]bool{}
	c.walk(inSettling, 8, func(n uint64, _, content []byte) string {
		seen++
		h, err := settle.Decode(settle.Change{Number: n, Bytes: content})
		if err != nil {
			return err.Error()
		}
		if people[h.Person] {
			return "its person has another one"
		}
		people[h.Person] = true
		for i := range h.Records {
			if !c.partitions[h.Records[i].Origin] {
				return "a record came from a partition that is unknown"
			}
		}
		return ""
	})
	c.total(inSettling, seen, c.ends.settling)
}

func (c *checker) attempts() {
	seen, records := uint64(0), state.RecordID(0)
	c.walk(inAttempts, 4, func(n uint64, _, content []byte) string {
		a, err := attemptLayout.decode(content)
		seen++
		switch {
		case err != nil:
			return err.Error()
		case n != seen:
			seen = n
			return "the attempt before it is missing"
		case a.Records < records || uint64(a.Records) > c.ends.records:
			return "its records contradict those of the attempt before it, or the newest record"
		}
		records = a.Records
		return ""
	})
	c.total(inAttempts, seen, c.ends.attempts)
}

func (c *checker) outbox() {
	seen := uint64(0)
	c.walk(inOutbox, 8, func(n uint64, _, content []byte) string {
		seen++
		if _, err := letterLayout.decode(content); err != nil {
			return err.Error()
		}
		if n > c.ends.letter {
			return "it is newer than the newest dead letter"
		}
		return ""
	})
	c.total(inOutbox, seen, c.ends.waiting)
}
