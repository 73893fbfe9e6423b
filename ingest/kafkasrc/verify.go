package kafkasrc

import (
	"context"
	"fmt"
	"log/slog"

	"anond/ingest"
	"anond/internal/kafkaclient"
	"anond/internal/kafkaclient/fetch"
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
	epoch       int32 // of the newest batch read, or of the one with which the log was compared since; fetch.NoEpoch: not known
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
		at.known, at.fetch, at.from, at.last, at.epoch = true, e.First, e.First, -1, fetch.NoEpoch
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
	var r fetch.Held
	var same bool
	if at.last >= e.First {
		var err error
		if r, same, err = s.heldAt(ctx, id, at.last, at.digest); err != nil {
			return err
		}
	}
	switch {
	case r.Found == fetch.OtherThing:
		return s.replaced(id, fmt.Sprintf("offset %d held a record and now holds none that was committed", at.last))
	case r.Found == fetch.SameKind && !same:
		return s.replaced(id, fmt.Sprintf("offset %d holds another record than the one that was read", at.last))
	case r.Found == fetch.LostRecord:
		s.log.Warn("the last record read is no longer in the log, so that the log could not be compared", event("source_unverified"),
			partitionAttr(id), slog.Int64("offset", at.last))
	case at.epoch == fetch.NoEpoch:
		at.epoch = r.Epoch
	}
	return nil
}

// heldAt says what an offset holds, and whether that has the digest.
func (s *source) heldAt(ctx context.Context, id int32, offset int64, d digest) (r fetch.Held, same bool, err error) {
	t, err := s.turn(ctx, nil)
	if err != nil {
		return r, false, err
	}
	defer t.end()
	res, err := t.fetch(id, offset, 0)
	if err = res.OrErr(err); err != nil {
		return r, false, err
	}
	if r, err = res.RecordAt(offset, s.sizes(), t.beLarge); err != nil {
		return r, false, err
	}
	same = s.resume.Digest(r.Value) == d || len(r.Value) > fetch.CutTo && s.resume.Digest(r.Value[:fetch.CutTo]) == d
	return r, same, nil
}
