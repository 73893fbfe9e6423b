package kafkasrc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"anond/ingest"
	"anond/internal/kafkaclient"
)

// place is where reading of a partition stands: position as in state, kept up to
// date while reading.
type place struct {
	known bool // state has a position
	// fetch is the offset to ask for next; from is the first offset not yet
	// handed out. They differ behind a gap that the operator accepted.
	fetch, from int64
	last        int64 // last record read, -1 if none
	digest      digest
	epoch       int32 // of the newest batch read, or of the one with which the log was compared since; noEpoch: not known
}

// locate compares a place with the log and returns where to read on.
//
// Guarantee: *ingest.GapError if records above the place were deleted (stop),
// ingest.ErrReplaced if the log is not the one that was read. Deletion below the
// place, compaction, and records added are no faults.
//
// Method: an offset never changes its meaning. It holds the record it held, or
// nothing any more. So the place must not lie past the high watermark, and the
// last record read must be what it was. Where compaction or retention took that
// record away nothing can be compared; this is logged (source_unverified) and
// taken for the same log.
func (s *source) locate(ctx context.Context, id int32, at place) (place, kafkaclient.Extent, error) {
	e, err := s.client.Extent(ctx, id)
	if err != nil {
		return at, e, err
	}
	if !at.known {
		at.known, at.fetch, at.from, at.last, at.epoch = true, e.First, e.First, -1, noEpoch
		return at, e, nil
	}
	if at.fetch > e.High {
		return at, e, &shorterError{s.replaced(id, fmt.Sprintf("state has read up to offset %d, and the log ends at %d", at.fetch, e.High))}
	}
	if at.fetch >= e.First {
		return at, e, s.compareLast(ctx, id, &at, e)
	}
	gap := &ingest.GapError{Partition: s.cfg.partition(id), Want: at.fetch, Have: e.First}
	s.log.Error("records were deleted before they were read", event("source_gap"), partitionAttr(id),
		slog.Int64("want", gap.Want), slog.Int64("have", gap.Have), slog.String("on_gap", string(s.cfg.OnGap)))
	if s.cfg.OnGap == gapStop {
		return at, e, gap
	}
	at.fetch = e.First
	return at, e, nil
}

// shorterError: the log ends below the place.
type shorterError struct{ error }

func (e *shorterError) Unwrap() error { return e.error }

func (s *source) replaced(id int32, why string) error {
	return fmt.Errorf("%w: %s partition %d: %s", ingest.ErrReplaced, s.cfg.Source, id, why)
}

// compareLast re-reads the last record and compares its digest. If the epoch of
// what was read is not known, it becomes that of this record.
func (s *source) compareLast(ctx context.Context, id int32, at *place, e kafkaclient.Extent) error {
	if at.last < 0 || s.resume.Digest == nil {
		return nil
	}
	var r held
	var same bool
	if at.last >= e.First {
		var err error
		if r, same, err = s.heldAt(ctx, id, at.last, at.digest); err != nil {
			return err
		}
	}
	switch {
	case r.found == otherThing:
		return s.replaced(id, fmt.Sprintf("offset %d held a record and now holds none that was committed", at.last))
	case r.found == sameKind && !same:
		return s.replaced(id, fmt.Sprintf("offset %d holds another record than the one that was read", at.last))
	case r.found == lostRecord:
		s.log.Warn("the last record read is no longer in the log, so that the log could not be compared", event("source_unverified"),
			partitionAttr(id), slog.Int64("offset", at.last))
	case at.epoch == noEpoch:
		at.epoch = r.epoch
	}
	return nil
}

// held is what an offset holds that held a record. The value is whole, also
// where it was handed out in its beginning only: which of the two was digested
// depends on the settings of that time.
type held struct {
	found finding
	key   []byte
	value []byte
	epoch int32
}

type finding int

const (
	lostRecord finding = iota // nothing: deleted or compacted away
	sameKind                  // a committed record
	otherThing                // a control record or a record of an aborted transaction
)

// heldAt says what an offset holds, and whether that has the digest.
func (s *source) heldAt(ctx context.Context, id int32, offset int64, d digest) (r held, same bool, err error) {
	t, err := s.turn(ctx, nil)
	if err != nil {
		return r, false, err
	}
	defer t.end()
	res, err := t.fetch(id, offset, 0)
	if err = res.orErr(err); err != nil {
		return r, false, err
	}
	if r, err = s.recordAt(t, res, offset); err != nil {
		return r, false, err
	}
	same = s.resume.Digest(r.value) == d || len(r.value) > cutTo && s.resume.Digest(r.value[:cutTo]) == d
	return r, same, nil
}

// recordAt finds the record at an offset in an answer.
func (s *source) recordAt(t *turn, res *fetchResponse, offset int64) (held, error) {
	tx := newTransactions(res.aborted)
	for data := res.recordData; len(data) > 0; {
		b, rest, err := nextBatch(data)
		if err != nil || b == nil {
			return held{}, err
		}
		data = rest
		hidden, err := tx.hides(b)
		if err != nil {
			return held{}, err
		}
		if b.last < offset {
			continue
		}
		key, value, found, err := s.valueAt(t, b, offset)
		switch {
		case err != nil || !found:
			return held{}, err
		case hidden:
			return held{found: otherThing}, nil
		}
		return held{sameKind, key, value, b.epoch}, nil
	}
	return held{}, nil
}

func (s *source) valueAt(t *turn, b *batch, offset int64) (key, value []byte, found bool, err error) {
	sizes := s.sizes()
	sizes.record = sizes.batch
	c, err := b.walk(sizes)
	if errors.Is(err, errLarge) {
		if err := t.beLarge(); err != nil {
			return nil, nil, false, err
		}
		c, err = b.walkLarge(sizes)
	}
	if err != nil {
		return nil, nil, false, err
	}
	defer c.close()
	for {
		r, ok, err := c.cut(func(o int64) bool { return o == offset })
		if err != nil || !ok {
			return key, value, found, err
		}
		if r.offset == offset {
			key, value, found = r.key, r.value, true
		}
	}
}
