package boltstore

import (
	"bytes"
	"fmt"
	"os"

	bolt "go.etcd.io/bbolt"

	"anond/incremental/settle"
	"anond/incremental/state"
)

// nobody is a visitor for a store that only reads its own ends.
var nobody = state.Visitor{
	Meta:        func(state.Meta) error { return nil },
	Counters:    func(state.Counters) error { return nil },
	Dictionary:  func(int, string) error { return nil },
	Records:     func(*state.RecordBlock) error { return nil },
	Class:       func(*state.Class) error { return nil },
	Intent:      func(*state.Intent) error { return nil },
	Position:    func(state.Partition, state.Position) error { return nil },
	Outbox:      func(uint64, int) error { return nil },
	Quarantined: func([]state.RecordID) error { return nil },
	Attempt:     func(*state.Attempt) error { return nil },
}

// Load passes everything to the visitor in the order of the port. What is passed is
// copied and outlives the transaction. A block of records carries one tick, but
// its borders need not be those of the commit.
//
// Every checksum is verified, and every bucket must reach exactly to its end,
// so that a lost page is not mistaken for a shorter state.
func (s *Store) Load(v state.Visitor) error {
	s.warm()
	l := &loader{v: v, progress: s.progress}
	err := guardedBut(&l.callback, func() error {
		return s.view(func(tx *transaction) error {
			l.tx = tx
			return l.load()
		})
	})
	if err != nil {
		return fmt.Errorf("state %s: load: %w", s.path, err)
	}
	s.ends, s.guard, s.ready = l.ends, l.guard, true
	return nil
}

// warm reads the file once in order. bbolt maps it for random access, which
// turns read-ahead off, so a cold file would come in page by page.
func (s *Store) warm() {
	f, err := os.Open(s.path)
	if err != nil {
		return // the mapping still serves
	}
	defer f.Close()
	var left int64 // behind it is room that was never written
	_ = s.db.View(func(tx *bolt.Tx) error { left = tx.Size(); return nil })
	buffer := make([]byte, min(left, 1<<20))
	for left > 0 {
		n, err := f.Read(buffer[:min(left, int64(len(buffer)))])
		if n == 0 || err != nil {
			return
		}
		left -= int64(n)
	}
}

// A loader carries one Load.
type loader struct {
	tx       *transaction
	v        state.Visitor
	callback bool // a function of the visitor is running
	ends     ends // as the file says
	seen     ends // as found
	guard    state.Guard
	progress func(done, all uint64) // may be nil
}

func (l *loader) load() error {
	var err error
	if l.ends, err = readEnds(l.tx); err != nil {
		return err
	}
	for _, part := range []func() error{l.head, l.due, l.journal, l.ledger, l.dictionary, l.records, l.classes, l.intents, l.positions,
		l.quarantine, l.known, l.born, l.stale, l.settling, l.attempts, l.outbox} {
		if err := part(); err != nil {
			return err
		}
	}
	l.guard.Dictionary, l.guard.Records = l.ends.dictionary, state.RecordID(l.ends.records)
	l.guard.Letter = l.ends.letter
	return nil
}

// hand runs a function of the visitor.
func (l *loader) hand(f func() error) error {
	l.callback = true
	err := f()
	l.callback = false
	return err
}

func (l *loader) head() error {
	m, err := cell(l.tx, keyMeta, metaLayout)
	if err != nil {
		return err
	}
	if m != nil {
		of, err := cell(l.tx, keyShard, partitionsLayout)
		if err != nil {
			return err
		}
		if of != nil {
			m.Partitions = *of
		}
		if err := l.hand(func() error { return l.v.Meta(*m) }); err != nil {
			return err
		}
	}
	c, err := cell(l.tx, keyCounters, countersLayout)
	if c == nil || err != nil {
		return err
	}
	return l.hand(func() error { return l.v.Counters(*c) })
}

// journal hands out how far the state follows its journal, if it follows one.
func (l *loader) journal() error {
	mark, err := cell(l.tx, keyJournal, journalLayout)
	if mark == nil || err != nil || l.v.Journal == nil {
		return err
	}
	return l.hand(func() error { return l.v.Journal(*mark) })
}

// ledger hands out how far the state has seen the ledger of subjects, if its dataset has joined one.
func (l *loader) ledger() error {
	mark, err := cell(l.tx, keyLedger, ledgerLayout)
	if mark == nil || err != nil || l.v.Ledger == nil {
		return err
	}
	return l.hand(func() error { return l.v.Ledger(*mark) })
}

// due hands out how many of those who were forgotten have records.
func (l *loader) due() error {
	due, err := readDue(l.tx)
	if err != nil || due.people == 0 || l.v.Due == nil {
		return err
	}
	return l.hand(func() error { return l.v.Due(due.people) })
}

// lists visits the lists of a bucket, whose keys are what was there before them, as far as end.
func lists[T any](tx *transaction, b *bucket, of layout[[]T], end uint64, yield func(key []byte, list []T) error) error {
	seen := uint64(0)
	err := scan(tx, b, 8, func(n uint64, key, content []byte) error {
		list, err := of.decode(content)
		if err != nil || n != seen {
			return b.damaged(key, broken(err))
		}
		seen += uint64(len(list))
		return yield(key, list)
	})
	return reached(err, b, seen, end)
}

func (l *loader) dictionary() error {
	return lists(l.tx, inDictionary, dictionaryLayout, l.ends.dictionary, func(_ []byte, list []state.DictionaryEntry) error {
		return l.hand(func() error {
			for _, e := range list {
				if err := l.v.Dictionary(e.Attribute, e.Text); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func (l *loader) records() error {
	if l.v.Room != nil { // each takes a byte at least
		most := uint64(l.tx.Size())
		l.v.Room(int(min(most, l.ends.records)), int(min(most, l.ends.classes)))
	}
	err := scan(l.tx, inRecords, 4, func(n uint64, key, content []byte) error {
		b, err := decodeRecords(state.RecordID(n), content)
		if err != nil || n != l.seen.records {
			return inRecords.damaged(key, broken(err))
		}
		l.seen.records += uint64(b.len())
		if l.progress != nil {
			l.progress(l.seen.records, l.ends.records)
		}
		return l.hand(func() error { return b.split(l.v.Records) })
	})
	return reached(err, inRecords, l.seen.records, l.ends.records)
}

func (l *loader) classes() error {
	t, err := readTurns(l.tx, l.ends)
	if err != nil {
		return err
	}
	l.guard.Kinds = make([]state.ClassKind, 0, l.ends.classes)
	err = scan(l.tx, inClasses, 4, func(n uint64, key, content []byte) error {
		b, err := decodeClasses(state.ClassID(n), content)
		if err != nil || n != l.seen.classes {
			return inClasses.damaged(key, broken(err))
		}
		if l.seen.classes += uint64(len(b.classes)); l.seen.classes > l.ends.classes {
			return inClasses.damaged(key, "it goes beyond the end")
		}
		for _, c := range b.classes {
			t.apply(c)
			l.guard.AddClass(c)
		}
		return l.hand(func() error {
			for _, c := range b.classes {
				if err := l.v.Class(c); err != nil {
					return err
				}
			}
			return nil
		})
	})
	return reached(err, inClasses, l.seen.classes, l.ends.classes)
}

func (l *loader) intents() error {
	err := scan(l.tx, inIntents, 4, func(n uint64, key, content []byte) error {
		i, err := intentLayout.decode(content)
		if err != nil {
			return inIntents.damaged(key, err.Error())
		}
		l.seen.intents++
		i.Release = uint32(n)
		l.guard.Release, l.guard.Expired = i.Release, i.Expired
		return l.hand(func() error { return l.v.Intent(&i) })
	})
	return reached(err, inIntents, l.seen.intents, l.ends.intents)
}

func (l *loader) positions() error {
	err := scan(l.tx, inPositions, 2, func(n uint64, key, content []byte) error {
		x, err := positionLayout.decode(content)
		if err != nil {
			return inPositions.damaged(key, err.Error())
		}
		l.seen.positions++
		x.Position.Number = uint16(n)
		l.guard.AddPosition(x.Partition, x.Position)
		return l.hand(func() error { return l.v.Position(x.Partition, x.Position) })
	})
	return reached(err, inPositions, l.seen.positions, l.ends.positions)
}

func (l *loader) quarantine() error {
	return lists(l.tx, inQuarantine, recordIDs, l.ends.quarantine, func(_ []byte, list []state.RecordID) error {
		return l.hand(func() error { return l.v.Quarantined(list) })
	})
}

func (l *loader) known() error {
	return lists(l.tx, inKnown, knownLayout, l.ends.known, func(_ []byte, list []state.Known) error {
		if l.v.Known == nil {
			return nil
		}
		return l.hand(func() error { return l.v.Known(list) })
	})
}

func (l *loader) born() error {
	err := scan(l.tx, inBorn, 4, func(n uint64, key, content []byte) error {
		b, err := bornLayout.decode(content)
		if err != nil {
			return inBorn.damaged(key, err.Error())
		}
		l.seen.born++
		b.Release, l.guard.Born = uint32(n), uint32(n)
		if l.v.Born == nil {
			return nil
		}
		return l.hand(func() error { return l.v.Born(&b) })
	})
	return reached(err, inBorn, l.seen.born, l.ends.born)
}

func (l *loader) stale() error {
	return lists(l.tx, inStale, recordIDs, l.ends.stale, func(_ []byte, list []state.RecordID) error {
		if l.v.Stale == nil {
			return nil
		}
		return l.hand(func() error { return l.v.Stale(list) })
	})
}

func (l *loader) settling() error {
	err := scan(l.tx, inSettling, 8, func(n uint64, key, content []byte) error {
		l.seen.settling++
		x := settle.Change{Number: n, Bytes: bytes.Clone(content)}
		if _, err := settle.Decode(x); err != nil {
			return inSettling.damaged(key, err.Error())
		}
		if l.v.Settling == nil {
			return nil
		}
		return l.hand(func() error { return l.v.Settling(x) })
	})
	return reached(err, inSettling, l.seen.settling, l.ends.settling)
}

func (l *loader) attempts() error {
	err := scan(l.tx, inAttempts, 4, func(n uint64, key, content []byte) error {
		a, err := attemptLayout.decode(content)
		if l.seen.attempts++; err != nil || n != l.seen.attempts {
			return inAttempts.damaged(key, broken(err))
		}
		a.Number = uint32(n)
		l.guard.Attempt = a.Number
		return l.hand(func() error { return l.v.Attempt(&a) })
	})
	return reached(err, inAttempts, l.seen.attempts, l.ends.attempts)
}

// outbox counts the dead letters; their content is read when they are delivered.
func (l *loader) outbox() error {
	err := scan(l.tx, inOutbox, 8, func(n uint64, key, _ []byte) error {
		if n > l.ends.letter {
			return inOutbox.damaged(key, "it is newer than the newest dead letter")
		}
		l.seen.waiting++
		return nil
	})
	if err := reached(err, inOutbox, l.seen.waiting, l.ends.waiting); err != nil || l.ends.letter == 0 {
		return err
	}
	return l.hand(func() error { return l.v.Outbox(l.ends.letter, int(l.ends.waiting)) })
}

// Outbox reads dead letters in order of their sequence.
func (s *Store) Outbox(after uint64, limit, maxBytes int) ([]state.DeadLetter, error) {
	var out []state.DeadLetter
	err := guarded(func() error {
		return s.view(func(tx *transaction) error {
			var err error
			out, err = readLetters(tx, after, limit, maxBytes)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("state %s: outbox: %w", s.path, err)
	}
	return out, nil
}

func readLetters(tx *transaction, after uint64, limit, maxBytes int) ([]state.DeadLetter, error) {
	x := tx.Bucket(inOutbox.name)
	if x == nil {
		return nil, inOutbox.damaged(nil, "the bucket is missing")
	}
	var out []state.DeadLetter
	c := x.Cursor()
	for key, value := c.Seek(key64(after)); key != nil && len(out) < limit; key, value = c.Next() {
		content, err := tx.unseal(inOutbox, key, value)
		if err != nil {
			return nil, err
		}
		seq, err := inOutbox.number(key, 8)
		if err != nil {
			return nil, err
		}
		if seq <= after {
			continue
		}
		letter, err := letterLayout.decode(content)
		if err != nil {
			return nil, inOutbox.damaged(key, err.Error())
		}
		letter.Seq = seq
		if maxBytes -= letter.Bytes(); maxBytes < 0 && len(out) > 0 {
			break
		}
		out = append(out, letter)
	}
	return out, nil
}
