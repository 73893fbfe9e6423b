package ingest

import (
	"anond/incremental/settle"
	"anond/incremental/state"
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"anond/equivclass"
	"anond/incremental"
	"anond/ingest/decode"
)

// intake gives what was read to the machine.
type intake struct {
	*loop
	stage    *stage   // what is fetched and decoded ahead
	limit    limiter  // how much is read
	room     fullness // what the state may still take in
	refusals breaker  // how many records are refused
	ended    bool     // the source is at its end
	foreign  bool     // somebody came who belongs to another dataset
}

// take applies a batch, or notes why the source ended.
func (l *intake) take(ctx context.Context, b *batch, ok bool) error {
	if ok {
		l.limit.took(len(b.chunk.Records))
		return l.applyAll(ctx, b)
	}
	if !errors.Is(l.stage.err, io.EOF) {
		return l.stage.err
	}
	l.ended = true
	if l.refusals.tooMany() {
		return nil // nothing more is published, as finish says
	}
	if err := l.Machine.Finish(); err != nil {
		return err
	}
	if err := l.cuts.endInitial(ctx, true); err != nil {
		return err
	}
	if !l.Machine.InitialLoad().Done() {
		return nil // the first load waits, as endInitial said
	}
	return l.cuts.cutAll(ctx, cutting{by: state.AtEnd})
}

// applyAll applies a batch, or holds it when the state is full or too many are refused.
func (l *intake) applyAll(ctx context.Context, b *batch) error {
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
	return l.cuts.endRound(ctx)
}

// apply gives the records of a batch to the machine, cutting exactly where a
// release is due: where chunks begin and end never matters. It ends early where there is
// no room for a record, and behind one with which too many are refused.
func (l *intake) apply(ctx context.Context, b *batch) (room bool, err error) {
	c := b.chunk
	if next, known := l.Machine.Intake().Next(c.Partition); known && c.From > next {
		return false, &GapError{Partition: c.Partition, Want: next, Have: c.From}
	}
	l.tick()
	if c.Missing.Below > c.From {
		l.Steps.Moves(l.Machine, c.Partition)
		if err := l.Machine.Intake().Miss(c.Partition, c.From, c.Missing.Below, c.Missing.Reason); err != nil {
			return false, err
		}
	}
	if err := l.claim(ctx, b); err != nil {
		return false, err
	}
	for i := range c.Records {
		if b.fault != nil && i == b.faultAt {
			return false, l.stopsBefore(c, &c.Records[i], b.fault)
		}
		if room, err := l.roomFor(ctx, &c.Records[i]); err != nil || !room {
			return room, err
		}
		if err := l.applyOne(b, i); err != nil {
			return false, err
		}
		if l.refusals.tripped { // a cut that is due comes with the record when the batch is taken again
			return true, nil
		}
		if err := l.cuts.cutIfDue(ctx, c.Partition, max(c.Records[i].Offset+1, c.Records[i].End)); err != nil {
			return false, err
		}
		if err := l.transaction.commitFull(ctx); err != nil {
			return false, err
		}
	}
	l.transaction.witness() // the chunk is not needed any more
	l.Steps.Moves(l.Machine, c.Partition)
	l.Machine.Intake().Pass(c.Partition, c.Next)
	l.transaction.noteStaged(0)
	l.transaction.staged.move(c.Partition)
	return true, l.cuts.cutIfDue(ctx, c.Partition, c.Next)
}

// idleFor is for how long a partition must have had nothing more before log time moves on in it: longer than clocks of brokers and hosts
// lie apart, and than messages are on their way.
const idleFor = time.Minute

// idle moves log time on in partitions that are read to their end, where somebody's window ends with that.
func (l *intake) idle() error {
	if !l.Machine.Observes() {
		return nil
	}
	for _, s := range l.Source.Status().Partitions {
		next, known := l.Machine.Intake().Next(s.Partition)
		if at := s.Heard.Add(-idleFor).UnixMilli(); known && s.End >= 0 && next >= s.End && l.Machine.IdleDue(s.Partition, at) {
			l.Steps.Idles(l.Machine, s.Partition, at)
			l.transaction.noteStaged(1)
			if err := l.Machine.Idle(s.Partition, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// applyOne gives record i of a batch to the machine.
func (l *intake) applyOne(b *batch, i int) error {
	c, r := b.chunk, &b.chunk.Records[i]
	if next, known := l.Machine.Intake().Next(c.Partition); known && r.Offset < next {
		return nil // applied before, and read again
	}
	again, err := false, error(nil)
	if l.Placement != nil {
		again, err = l.Placement.Before(l.Machine, c.Partition, r)
	}
	if err != nil {
		return l.stopsBefore(c, r, err)
	}
	l.Steps.Moves(l.Machine, c.Partition)
	if err := l.stamp(c.Partition, r); err != nil {
		return err
	}
	l.transaction.noteStaged(1)
	l.transaction.staged.bytes += r.Weight()
	l.transaction.staged.move(c.Partition)
	if again {
		l.transaction.staged.last, l.transaction.staged.of = r, c
		return l.Machine.Intake().Ignore(c.Partition, r.Offset, decode.ReasonRewritten)
	}
	if r.Passed != "" {
		err = l.Machine.Intake().PassLine(c.Partition, r.Offset, r.End, r.Passed)
	} else {
		l.transaction.staged.last, l.transaction.staged.of = r, c
		if err = l.place(b, i); err == nil && l.Placement != nil {
			err = l.Placement.After(l.Machine, c.Partition, r)
		}
	}
	if err != nil || r.More == 0 {
		return err
	}
	return l.Machine.Intake().CountLines(decode.ReasonContinued, r.More)
}

// stamp gives the time stamp of a record to the machine. Of those that count as none the first is logged, the second, the fourth and so on.
func (l *intake) stamp(p state.Partition, r *Record) error {
	before := l.Machine.Ahead()
	err := l.Machine.Stamp(p, r.Time)
	if n := l.Machine.Ahead(); n > before && n&(n-1) == 0 {
		l.Log.Warn("the time stamp of a record lies more than a day ahead of the clock of this machine, and counts as none",
			"event", "stamp_ahead", "partition", p.ID, "offset", r.Offset, "records", n)
	}
	return err
}

// stopsBefore says of which record a shard stops.
func (l *intake) stopsBefore(c *Chunk, r *Record, err error) error {
	l.Log.Error("the shard stops before a record: its people would not be in one shard each, or some would be missing",
		"event", "shard_stopped", "partition", c.Partition.ID, "offset", r.Offset, "error", err.Error())
	return err
}

// place gives a record to the machine, and counts what becomes of it.
func (l *intake) place(b *batch, i int) error {
	if b.elsewhere != nil && b.elsewhere[i] {
		return l.elsewhere(b, i)
	}
	o, err := Place(l.Machine, l.Schema, b.chunk.Partition, &b.chunk.Records[i], b.outcomes[i], b.rowAt(i), b.subjects[i], l.Payload)
	if err == nil && !o.Ignored { // a delete is taken in
		l.refusals.saw(o.Reason)
	}
	return err
}

// Place gives a decoded record to the machine with the digest of its person (Machine.SubjectOf), which takes it in, refuses or
// ignores it, or deletes its person. payload:
// the dead letter of one that is refused keeps its bytes. It returns what became of the record.
func Place(m *incremental.Machine, s *equivclass.Schema, p state.Partition, r *Record, o decode.Outcome, row equivclass.Row,
	subject uint64, payload bool) (decode.Outcome, error) {
	if i := s.SubjectIndex(); i >= 0 && (o.Changes() || o.Kind == decode.Updates) {
		m.Outdate(row[i])
	}
	if o.Delete {
		_, err := m.Delete(p, r.Offset, row[s.SubjectIndex()])
		return o, err
	}
	take := m.ApplyOf
	if o.Kind == decode.Updates {
		take = m.Update
	}
	if o.Accepted() {
		out, err := take(p, r.Offset, row, subject)
		if err != nil || out.Reason == equivclass.Accepted {
			return o, err
		}
		o = decode.Outcome{Reason: out.Reason, Attribute: out.Attribute}
	} else if out, err := m.Observe(p, r.Offset, kindOf(o), faultOf(s, o), row, subject); err != nil || out != (incremental.Outcome{}) {
		return decode.Outcome{}, err
	}
	if err := Bar(m, s, o, row); err != nil {
		return o, err
	}
	if o.Ignored {
		return o, m.Intake().Ignore(p, r.Offset, o.Reason)
	}
	letter := state.DeadLetter{Partition: p, Offset: r.Offset, Reason: o.Reason, Attribute: o.Attribute, Digest: m.Digest(r.Value)}
	if payload {
		letter.Payload = bytes.Clone(r.Value) // the rest of the chunk must not stay with it
	}
	return o, m.Refuse(letter)
}

// kindOf is what a message does that brings no record.
func kindOf(o decode.Outcome) settle.Kind {
	switch {
	case o.Kind == decode.Updates:
		return settle.Update
	case o.Kind == decode.Unclear:
		return settle.Unclear
	case o.Changes():
		return settle.Delete
	}
	return settle.Insert
}

// faultOf says what a message is refused for.
func faultOf(s *equivclass.Schema, o decode.Outcome) settle.Fault {
	switch decode.RuleOf(s, o.Reason, o.Attribute).Replay {
	case decode.ReplayValue:
		return settle.Sensitive
	case decode.ReplayNone:
		return settle.Sound
	}
	return settle.Public
}

// Bar bars the person of a record that is refused for something that its sensitive value can have caused (rule S,
// subjects), as far as the row says who that is.
func Bar(m *incremental.Machine, s *equivclass.Schema, o decode.Outcome, row equivclass.Row) error {
	i := s.SubjectIndex()
	if i < 0 || decode.RuleOf(s, o.Reason, o.Attribute).Replay != decode.ReplayValue {
		return nil
	}
	return m.Bar(row[i])
}
