package repartition

import (
	"anond/incremental/state"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"anond/equivclass"
	"anond/ingest"
	"anond/ingest/decode"
	"anond/internal/clock"
	"anond/internal/fault"
	"anond/internal/retry"
	"anond/shards/keying"
)

// Record is one message of the target topic.
type Record struct {
	Key, Value []byte // Value nil: a tombstone
	Link       keying.Link
}

func (r *Record) weight() int { return len(r.Key) + len(r.Value) + recordCost }

// recordCost is what a message costs besides its bytes, its header included.
const recordCost = 64

// target is the topic that is written.
type target interface {
	// Write tries once to append records to a partition, in order and all or none, and returns
	// when all replicas in sync have them. After an error they may be there or not.
	Write(ctx context.Context, partition int32, records []Record) error
}

// ErrTooLarge: the target refuses a request for its size.
var ErrTooLarge = fault.Errorf(fault.Failed, "raise max.message.bytes of the target topic, then run it again; nothing was lost",
	"the record is larger than the target topic takes")

// Work is one run of a repartition. All fields must be set unless said otherwise.
type Work struct {
	Source   ingest.Source
	Decoder  decode.Decoder
	Schema   *equivclass.Schema
	Key      func(subject []byte) []byte
	Links    *keying.LinkKey // seals the links
	Target   target
	Progress *Progress
	// Save makes the progress durable, after each SaveEvery (zero: one second) and at the end.
	Save      func(*Progress) error
	SaveEvery time.Duration
	Clock     clock.Clock
	Digest    func([]byte) state.Digest // of the last record, by which the source is known again
	Retry     retry.Policy
	Log       *slog.Logger
	// Does is told what begins, and whether it waits for others; may be nil. It is called by
	// several goroutines.
	Does func(what string, waits bool)

	request int // bytes of a request; zero: requestBytes
	writers int // zero: writersAtOnce
	row     equivclass.Row
	lately

	mu  sync.Mutex
	now Status
}

// lately is when a run last saved its progress, and last logged it.
type lately struct{ saved, logged time.Time }

// Counts are what a run has done. A record is counted once a run.
type Counts struct {
	Written    uint64                       `json:"written"`    // keyed by their subjects
	Unreadable map[equivclass.Reason]uint64 `json:"unreadable"` // passed on under keys of their own, by reason
	Missing    uint64                       `json:"missing"`    // offsets that the source gave up (on_gap, on_corrupt)
}

// unreadable is the sum over all reasons.
func (c *Counts) unreadable() (n uint64) {
	for _, x := range c.Unreadable {
		n += x
	}
	return n
}

// Run repartitions until the source is at its end or ctx is done; both are no errors.
func (w *Work) Run(ctx context.Context) (Counts, error) {
	w.begun()
	w.row = make(equivclass.Row, len(w.Schema.Attributes()))
	w.saved = w.Clock.Now()
	w.logged = w.saved
	err := w.save() // whoever goes on after a crash knows what was begun
	if err == nil {
		err = w.run(ctx)
	}
	if errors.Is(err, io.EOF) || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = nil
	}
	err = errors.Join(err, w.save())
	counts := w.Status().Counts
	w.Log.Info("repartitioning ends", "event", "repartition_ended", "written", counts.Written, "unreadable", counts.unreadable())
	return counts, err
}

func (w *Work) run(ctx context.Context) error {
	for {
		w.does("reading", true)
		c, err := w.Source.Next(ctx)
		if err != nil {
			return err
		}
		w.does("writing", false)
		if err := w.begin(c); err != nil {
			return err
		}
		if err := w.pass(ctx, c); err != nil {
			return err
		}
		now := w.Clock.Now()
		if now.Sub(w.logged) >= time.Minute {
			w.logged = now
			counts := w.Status().Counts
			w.Log.Info("repartitioning", "event", "repartition_status", "written", counts.Written, "unreadable", counts.unreadable())
		}
		if now.Sub(w.saved) < cmp.Or(w.SaveEvery, time.Second) {
			continue
		}
		w.saved = now
		if err := w.save(); err != nil {
			return err
		}
	}
}

// begin makes it durable where a source partition begins, before anything of it is written. Else
// who goes on after a crash could not say of any record that it is the first, and readers that
// have had none would stop permanently.
func (w *Work) begin(c *ingest.Chunk) error {
	if w.Progress.Sources[c.Partition.ID] != nil {
		return nil
	}
	w.Progress.at(c.Partition.ID, c.From)
	w.note(func(s *Status) { s.Next[c.Partition.ID] = c.From })
	return w.save()
}

// pass writes a chunk. The progress changes once all of it is acknowledged.
func (w *Work) pass(ctx context.Context, c *ingest.Chunk) error {
	id := c.Partition.ID
	at := w.Progress.at(id, c.From)
	if c.From > at.Next {
		return &ingest.GapError{Partition: c.Partition, Want: at.Next, Have: c.From}
	}
	w.note(func(s *Status) { s.Read += uint64(len(c.Records)) })
	sent, parts := map[int32]int64{}, map[int32][]Record{}
	last, seen := (*ingest.Record)(nil), Counts{Unreadable: map[equivclass.Reason]uint64{}}
	if below := c.Missing.Below; below > at.Next {
		seen.Missing = uint64(below - at.Next)
	}
	for i := range c.Records {
		r := &c.Records[i]
		if r.Offset < at.Next {
			continue
		}
		key := w.keyOf(id, r, &seen)
		target := keying.PartitionOf(key, w.Progress.Targets)
		link := at.link(id, target, r.Offset, sent)
		link.Cut = r.Cut
		w.Links.Seal(&link, target, key, r.Value)
		parts[target] = append(parts[target], Record{Key: key, Value: r.Value, Link: link})
		last = r
	}
	if err := w.writeAll(ctx, parts); err != nil {
		return err
	}
	if last != nil {
		d := w.Digest(last.Value)
		at.Last, at.Digest = last.Offset, hex.EncodeToString(d[:])
	}
	at.moved(c.Next, sent)
	w.note(func(s *Status) {
		s.add(&seen)
		s.Next[id] = at.Next
	})
	return nil
}

func (c *Counts) add(more *Counts) {
	c.Written, c.Missing = c.Written+more.Written, c.Missing+more.Missing
	for why, n := range more.Unreadable {
		c.Unreadable[why] += n
	}
}

// keyOf is the key of a record: the digest of its subject, or where that cannot be read one of
// the record's own.
func (w *Work) keyOf(partition int32, r *ingest.Record, seen *Counts) []byte {
	var o decode.Outcome
	if r.Cut {
		o = w.Decoder.TooLarge(r.Value, nil, w.row)
	} else {
		o = w.Decoder.Decode(r.Value, nil, w.row)
	}
	if subject := w.row[w.Schema.SubjectIndex()]; subject != nil { // of one that is refused, too: its shard bars the person
		seen.Written++
		return w.Key(subject)
	}
	seen.Unreadable[cmp.Or(o.Reason, equivclass.ReasonMissing)]++
	return fmt.Appendf(nil, "unreadable:%d:%d", partition, r.Offset)
}

// writersAtOnce bounds the target partitions that are written at the same time.
const writersAtOnce = 16

// writeAll writes the parts of a chunk side by side, one request at a time to each partition.
func (w *Work) writeAll(ctx context.Context, parts map[int32][]Record) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(cmp.Or(w.writers, writersAtOnce))
	for _, target := range slices.Sorted(maps.Keys(parts)) {
		g.Go(func() error { return w.write(ctx, target, parts[target]) })
	}
	return g.Wait()
}

// requestBytes bounds a request: brokers take batches of 1 MiB by default.
const requestBytes = 512 << 10

// write writes records to one partition: a request is sent until it is acknowledged, and only
// then the next one.
func (w *Work) write(ctx context.Context, target int32, records []Record) error {
	for most := cmp.Or(w.request, requestBytes); len(records) > 0; {
		n := fitting(records, most)
		err := w.insist(ctx, target, records[:n])
		switch {
		case errors.Is(err, ErrTooLarge) && n > 1:
			most /= 2
		case err != nil:
			return err
		default:
			records = records[n:]
		}
	}
	return nil
}

// fitting is how many records make a request, at least one.
func fitting(records []Record, most int) (n int) {
	for weight := 0; n < len(records); n++ {
		if weight += records[n].weight(); weight > most && n > 0 {
			break
		}
	}
	return n
}

// insist sends one request until it is acknowledged.
func (w *Work) insist(ctx context.Context, target int32, records []Record) error {
	attempts, silence := w.Retry.Attempts(), retry.Silence{}
	for {
		w.does("writing", false)
		err := w.Target.Write(ctx, target, records)
		switch {
		case err == nil:
			w.acknowledged(target)
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, ErrTooLarge) && len(records) == 1:
			l := records[0].Link
			return fmt.Errorf("source partition %d, offset %d: %w", l.Source, l.Offset, err)
		case errors.Is(err, ErrTooLarge):
			return err
		}
		w.refused(target, err)
		w.does("waiting for the target", true)
		if tries, told := silence.Broken(time.Now(), retry.FirstSilence); told {
			w.Log.Error("the target topic takes nothing, trying again", "event", "repartition_write_failed", "partition", target,
				"error", fault.Line(err), "tries", tries)
		}
		if err := attempts.Wait(ctx); err != nil {
			return err
		}
	}
}
