package boltstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	bolt "go.etcd.io/bbolt"

	"anond/incremental/state"
)

// Commit applies one delta in one transaction. The guard judges it first, so a
// faulty machine leaves nothing behind.
func (s *Store) Commit(d *state.Delta) error {
	if s.readOnly {
		return errReadOnly
	}
	if d.Empty() {
		return nil
	}
	if err := s.commit(d); err != nil {
		return fmt.Errorf("state %s: commit: %w", s.path, err)
	}
	return nil
}

func (s *Store) commit(d *state.Delta) error {
	if !s.ready {
		if err := s.Load(nobody); err != nil {
			return err
		}
	}
	if err := s.guard.Check(d); err != nil {
		return err
	}
	next := s.ends
	s.heedLimit()
	err := guarded(func() error {
		return s.update(func(tx *transaction) error {
			w := writer{tx: tx, ends: next}
			err := w.write(d)
			next = w.ends
			return err
		})
	})
	if err = writeError(err); errors.Is(err, state.ErrQuota) {
		return err // found before anything was written: the commit may be repeated
	}
	if err != nil {
		// Whether a failed fsync has reached the disk is unknown: ask the file.
		s.ready = false
		return err
	}
	s.ends = next
	s.guard.Apply(d)
	return nil
}

// A writer puts one delta into a transaction and advances the ends.
type writer struct {
	tx   *transaction
	ends ends
}

func (w *writer) bucket(b *bucket) (*bolt.Bucket, error) {
	x := w.tx.Bucket(b.name)
	if x == nil {
		return nil, b.damaged(nil, "the bucket is missing")
	}
	x.FillPercent = fillPercent
	return x, nil
}

func (w *writer) put(b *bucket, key, content []byte) error {
	x, err := w.bucket(b)
	if err != nil {
		return err
	}
	value, err := w.tx.seal(b, key, content)
	if err != nil {
		return err
	}
	return x.Put(key, value)
}

// putFormat writes the number of the format, and which of the keys in marked the file has. Who writes one of them calls it after.
func (w *writer) putFormat() error {
	x, err := w.bucket(inMeta)
	if err != nil {
		return err
	}
	return w.put(inMeta, keyFormat, append(binary.BigEndian.AppendUint32(nil, formatNumber), marksOf(x)))
}

func (w *writer) write(d *state.Delta) error {
	steps := []func(*state.Delta) error{
		w.head, w.dictionary, w.records, w.positions, w.classes, w.turns, w.quarantine, w.attempt, w.intent, w.letters,
		w.known, w.born, w.stale, w.settling}
	for _, step := range steps {
		if err := step(d); err != nil {
			return err
		}
	}
	return w.put(inMeta, keyEnds, endsLayout.encode(w.ends))
}

func (w *writer) head(d *state.Delta) error {
	if d.Journal != nil {
		if err := errors.Join(w.put(inMeta, keyJournal, journalLayout.encode(*d.Journal)), w.putFormat()); err != nil {
			return err
		}
	}
	if d.Ledger != nil {
		if err := errors.Join(w.put(inMeta, keyLedger, ledgerLayout.encode(*d.Ledger)), w.putFormat()); err != nil {
			return err
		}
	}
	if d.Meta != nil {
		if n := d.Meta.Partitions; n > 0 {
			if err := errors.Join(w.put(inMeta, keyShard, partitionsLayout.encode(n)), w.putFormat()); err != nil {
				return err
			}
		}
		if err := w.put(inMeta, keyMeta, metaLayout.encode(*d.Meta)); err != nil {
			return err
		}
	}
	if d.Counters != nil {
		if err := w.put(inMeta, keyCounters, countersLayout.encode(*d.Counters)); err != nil {
			return err
		}
	}
	if d.Due == nil {
		return nil
	}
	before, err := readDue(w.tx)
	if err != nil {
		return err
	}
	return w.putDue(*d.Due, before.stale)
}

func (w *writer) dictionary(d *state.Delta) error {
	if len(d.Dictionary) == 0 {
		return nil
	}
	key := key64(w.ends.dictionary)
	w.ends.dictionary += uint64(len(d.Dictionary))
	return w.put(inDictionary, key, dictionaryLayout.encode(d.Dictionary))
}

func (w *writer) records(d *state.Delta) error {
	if len(d.Records) == 0 {
		return nil
	}
	tail, err := w.tailRecords()
	if err != nil {
		return err
	}
	for _, b := range cutRecords(tail, d.Records) {
		if err := w.put(inRecords, key32(uint32(b.first)), b.encode()); err != nil {
			return err
		}
	}
	for _, b := range d.Records {
		w.ends.records += uint64(b.Len())
	}
	return nil
}

// tail returns the last block of a bucket if it is short enough to be merged.
func (w *writer) tail(b *bucket) (first uint32, content []byte, err error) {
	x, err := w.bucket(b)
	if err != nil {
		return 0, nil, err
	}
	key, value := x.Cursor().Last()
	if key == nil {
		return 0, nil, nil
	}
	if content, err = w.tx.unseal(b, key, value); err != nil {
		return 0, nil, err
	}
	if n, _ := binary.Uvarint(content); n >= mergeBelow {
		return 0, nil, nil
	}
	n, err := b.number(key, 4)
	return uint32(n), content, err
}

func (w *writer) tailRecords() (*recordBlock, error) {
	first, content, err := w.tail(inRecords)
	if content == nil {
		return nil, err
	}
	b, err := decodeRecords(state.RecordID(first), content)
	if err != nil {
		return nil, inRecords.damaged(key32(first), err.Error())
	}
	return b, nil
}

func (w *writer) tailClasses() (*classBlock, error) {
	first, content, err := w.tail(inClasses)
	if content == nil {
		return nil, err
	}
	b, err := decodeClasses(state.ClassID(first), content)
	if err != nil {
		return nil, inClasses.damaged(key32(first), err.Error())
	}
	return b, nil
}

func (w *writer) positions(d *state.Delta) error {
	x, err := w.bucket(inPositions)
	if err != nil {
		return err
	}
	for _, p := range d.Positions {
		key := key16(p.Position.Number)
		if x.Get(key) == nil {
			w.ends.positions++
		}
		if err := w.put(inPositions, key, positionLayout.encode(p)); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) classes(d *state.Delta) error {
	if len(d.Births) == 0 {
		return nil
	}
	tail, err := w.tailClasses()
	if err != nil {
		return err
	}
	for _, b := range cutClasses(tail, d.Births) {
		if err := w.put(inClasses, key32(uint32(b.first)), b.encode()); err != nil {
			return err
		}
	}
	w.ends.classes += uint64(len(d.Births))
	return nil
}

// turns notes declarations (rule C, coexistence) and deaths apart from the classes, as
// appends.
func (w *writer) turns(d *state.Delta) error {
	if len(d.DeclaredPure) > 0 {
		if err := w.put(inPure, key64(w.ends.pure), classIDs.encode(d.DeclaredPure)); err != nil {
			return err
		}
		w.ends.pure += uint64(len(d.DeclaredPure))
	}
	if len(d.Deaths) > 0 {
		if err := w.put(inDeaths, key64(w.ends.deaths), deathsLayout.encode(d.Deaths)); err != nil {
			return err
		}
		w.ends.deaths += uint64(len(d.Deaths))
	}
	return nil
}

// quarantine notes records that no release will publish.
func (w *writer) quarantine(d *state.Delta) error {
	if len(d.Quarantined) == 0 {
		return nil
	}
	key := key64(w.ends.quarantine)
	w.ends.quarantine += uint64(len(d.Quarantined))
	return w.put(inQuarantine, key, recordIDs.encode(d.Quarantined))
}

// known notes people of whom nothing more is taken in: behind those of the last list, so that few who come often take no more
// than many who come at once.
func (w *writer) known(d *state.Delta) error {
	if len(d.Known) == 0 {
		return nil
	}
	list, at := d.Known, w.ends.known
	x, err := w.bucket(inKnown)
	if err != nil {
		return err
	}
	if key, value := x.Cursor().Last(); key != nil && len(value) < knownLength*len(state.Known{}) {
		content, err := w.tx.unseal(inKnown, key, value)
		if err != nil {
			return err
		}
		last, err := knownLayout.decode(content)
		if err != nil {
			return inKnown.damaged(key, err.Error())
		}
		list, at = append(last, list...), at-uint64(len(last))
	}
	w.ends.known = at + uint64(len(list))
	for part := range slices.Chunk(list, knownLength) {
		if err := w.put(inKnown, key64(at), knownLayout.encode(part)); err != nil {
			return err
		}
		at += uint64(len(part))
	}
	return nil
}

// born notes the bag of a release.
func (w *writer) born(d *state.Delta) error {
	if d.Born == nil {
		return nil
	}
	w.ends.born++
	return w.put(inBorn, key32(d.Born.Release), bornLayout.encode(*d.Born))
}

// stale notes records of people of whom an update or a delete has come.
func (w *writer) stale(d *state.Delta) error {
	if len(d.Stale) == 0 {
		return nil
	}
	key := key64(w.ends.stale)
	w.ends.stale += uint64(len(d.Stale))
	return w.put(inStale, key, recordIDs.encode(d.Stale))
}

// settling keeps the histories that are open.
func (w *writer) settling(d *state.Delta) error {
	x, err := w.bucket(inSettling)
	if err != nil {
		return err
	}
	for _, h := range d.Settling {
		key := key64(h.Number)
		was, is := x.Get(key) != nil, h.Bytes != nil
		switch {
		case is:
			err = w.put(inSettling, key, h.Bytes)
		case was:
			err = x.Delete(key)
		default:
			err = fmt.Errorf("%w: history %d ends and is not open", state.ErrDelta, h.Number)
		}
		if err != nil {
			return err
		}
		if is && !was {
			w.ends.settling++
		} else if was && !is {
			w.ends.settling--
		}
	}
	return nil
}

// attempt notes cuts tried, in place of the same run with fewer.
func (w *writer) attempt(d *state.Delta) error {
	if d.Attempt == nil {
		return nil
	}
	w.ends.attempts = max(w.ends.attempts, uint64(d.Attempt.Number))
	return w.put(inAttempts, key32(d.Attempt.Number), attemptLayout.encode(*d.Attempt))
}

func (w *writer) intent(d *state.Delta) error {
	if d.Intent == nil {
		return nil
	}
	x, err := w.bucket(inIntents)
	if err != nil {
		return err
	}
	key := key32(d.Intent.Release)
	if x.Get(key) == nil {
		w.ends.intents++
	}
	return w.put(inIntents, key, intentLayout.encode(*d.Intent))
}

func (w *writer) letters(d *state.Delta) error {
	for i := range d.DeadLetters {
		l := &d.DeadLetters[i]
		if err := w.put(inOutbox, key64(l.Seq), letterLayout.encode(*l)); err != nil {
			return err
		}
		w.ends.letter = l.Seq
		w.ends.waiting++
	}
	if d.Delivered == 0 {
		return nil
	}
	return w.deliver(d.Delivered)
}

// deliver removes dead letters up to last. The keys are gathered first: deleting
// under a cursor makes it skip.
func (w *writer) deliver(last uint64) error {
	x, err := w.bucket(inOutbox)
	if err != nil {
		return err
	}
	var gone [][]byte
	c := x.Cursor()
	for key, _ := c.First(); len(key) == 8 && binary.BigEndian.Uint64(key) <= last; key, _ = c.Next() {
		gone = append(gone, append([]byte(nil), key...))
	}
	for _, key := range gone {
		if err := x.Delete(key); err != nil {
			return err
		}
	}
	if uint64(len(gone)) > w.ends.waiting {
		return inMeta.damaged(keyEnds, "it counts fewer dead letters than there are")
	}
	w.ends.waiting -= uint64(len(gone))
	return nil
}
