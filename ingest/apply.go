package ingest

import (
	"bytes"
	"context"
	"errors"
	"io"

	"anond/equivclass"
	"anond/incremental"
)

// take applies a batch, or notes why the source ended.
func (l *loop) take(ctx context.Context, b *batch, ok bool) error {
	if ok {
		l.limit.took(len(b.chunk.Records))
		return l.applyAll(ctx, b)
	}
	if !errors.Is(l.stage.err, io.EOF) {
		return l.stage.err
	}
	l.ended = true
	if err := l.endInitial(ctx, true); err != nil {
		return err
	}
	if !l.Machine.InitialDone() {
		return nil // the first load waits, as endInitial said
	}
	return l.cut(ctx, cutting{flush: true})
}

// applyAll applies a batch, or holds it when the state is full or too many are refused.
func (l *loop) applyAll(ctx context.Context, b *batch) error {
	room, err := l.apply(ctx, b)
	switch {
	case err == nil && l.refusals.tripped:
		return l.heedRefusals(b)
	case err == nil && !room:
		return l.hold(b)
	}
	l.stage.put(b)
	if err != nil {
		return err
	}
	return l.endRound(ctx)
}

// apply gives the records of a batch to the machine, cutting exactly where a
// release is due: where chunks begin and end never matters. It ends early where there is
// no room for a record, and behind one with which too many are refused.
func (l *loop) apply(ctx context.Context, b *batch) (room bool, err error) {
	c := b.chunk
	if next, known := l.Machine.Next(c.Partition); known && c.From > next {
		return false, &GapError{Partition: c.Partition, Want: next, Have: c.From}
	}
	l.tick()
	if c.Missing.Below > c.From {
		l.runs(c.Partition)
		if err := l.Machine.Miss(c.Partition, c.From, c.Missing.Below, c.Missing.Reason); err != nil {
			return false, err
		}
	}
	for i := range c.Records {
		if b.fault != nil && i == b.faultAt {
			return false, l.shardStops(c, &c.Records[i], b.fault)
		}
		if room, err := l.roomFor(ctx, &c.Records[i]); err != nil || !room {
			return room, err
		}
		if err := l.applyOne(c, &c.Records[i], b.outcomes[i], b.rowAt(i)); err != nil {
			return false, err
		}
		if err := l.cutIfDue(ctx, c.Partition, max(c.Records[i].Offset+1, c.Records[i].End)); err != nil {
			return false, err
		}
		if err := l.commitFull(ctx); err != nil || l.refusals.tripped {
			return err == nil, err
		}
	}
	l.witness() // the chunk is not needed any more
	l.runs(c.Partition)
	l.Machine.Pass(c.Partition, c.Next)
	l.noteStaged(0)
	l.staged.move(c.Partition)
	return true, l.cutIfDue(ctx, c.Partition, c.Next)
}

func (l *loop) applyOne(c *Chunk, r *Record, o Outcome, row equivclass.Row) error {
	if next, known := l.Machine.Next(c.Partition); known && r.Offset < next {
		return nil // applied before, and read again
	}
	again, err := l.follow(c, r)
	if err != nil {
		return l.shardStops(c, r, err)
	}
	l.runs(c.Partition)
	l.noteStaged(1)
	l.staged.bytes += r.Weight()
	l.staged.move(c.Partition)
	if again {
		l.staged.last = r
		return l.Machine.Ignore(c.Partition, r.Offset, ReasonRewritten)
	}
	if r.Passed != "" {
		err = l.Machine.PassLine(c.Partition, r.Offset, r.End, r.Passed)
	} else {
		l.staged.last = r
		if err = l.place(c, r, o, row); err == nil {
			err = l.followed(c, r)
		}
	}
	if err != nil || r.More == 0 {
		return err
	}
	return l.Machine.CountLines(ReasonContinued, r.More)
}

// place gives a record to the machine, which takes it in, refuses or ignores it, or deletes its person.
func (l *loop) place(c *Chunk, r *Record, o Outcome, row equivclass.Row) error {
	if o.Delete {
		_, err := l.Machine.Delete(c.Partition, r.Offset, row[l.Schema.SubjectIndex()])
		return err
	}
	if o.Accepted() {
		out, err := l.Machine.Apply(c.Partition, r.Offset, row)
		if err != nil || out.Reason == equivclass.Accepted {
			l.refusals.saw(false)
			return err
		}
		o = Outcome{Reason: out.Reason, Attribute: out.Attribute}
	}
	if o.Ignored {
		return l.Machine.Ignore(c.Partition, r.Offset, o.Reason)
	}
	l.refusals.saw(true)
	letter := incremental.DeadLetter{Partition: c.Partition, Offset: r.Offset, Reason: o.Reason, Attribute: o.Attribute,
		Digest: l.Machine.Digest(r.Value)}
	if l.Payload {
		letter.Payload = bytes.Clone(r.Value) // the rest of the chunk must not stay with it
	}
	return l.Machine.Refuse(letter)
}
