package incremental

import (
	"encoding/binary"
	"fmt"
	"iter"

	"anond/equivclass"
	"anond/incremental/settle"
	"anond/incremental/state"
)

// Where people settle (Policy.Settle, package settle), a person is in no record of the state before the window has ended: the rest of
// the machine sees a person once, as one record that arrives then, of a stratum. So records are only ever added, and whoever plans
// knows nothing of messages.
//
// What was wrong with a record is judged when it comes, by what is valid then, as everywhere. Its row waits as text: no dictionary has
// a value of it before the window ends, so what is taken out leaves nothing behind.

// Observe is told a message of the source about a person that brings no record: an update or a delete, or one that the host refuses for
// a fault. The row has the person and the key of the record, as far as the message says them. The outcome says whether it is Beyond;
// otherwise the host goes on with it as where nobody settles.
func (m *Machine) Observe(p state.Partition, offset int64, kind settle.Kind, fault settle.Fault, row equivclass.Row,
	subject uint64) (Outcome, error) {
	if !m.s.Policy.Settle.On() || subject == 0 {
		return Outcome{}, nil
	}
	if m.intake.failed {
		return Outcome{}, ErrBroken
	}
	if m.intake.offsets.applied(p, offset) {
		return Outcome{Known: true}, nil
	}
	if err := m.intake.offsets.numbered(p); err != nil {
		return Outcome{}, err
	}
	if m.seen.Why(subject) != 0 && m.s.Open.Late(kind).What != settle.Beyond {
		return Outcome{}, nil
	}
	if out := m.out(p, offset, subject); out != (Outcome{}) {
		return out, nil
	}
	if !m.s.Open.Has(subject) && m.full() {
		return Outcome{}, ErrStateFull
	}
	x := settle.Message{Person: subject, Kind: kind, Record: settle.Record{Key: m.keyOf(row)}}
	out := m.take(x, p, func() settle.Fault { return fault })
	if out.What != settle.Beyond {
		return Outcome{}, nil
	}
	m.intake.beyond(p, offset)
	return Outcome{Beyond: true}, nil
}

// settle takes in a record of a person who may still be published.
func (m *Machine) settle(p state.Partition, offset int64, row equivclass.Row, kind settle.Kind, subject uint64) (Outcome, error) {
	c := &m.s.Records
	var refused Outcome
	if subject == 0 { // nobody's: the subject is missing
		refused.Reason, refused.Attribute = c.Check(row)
		return refused, nil
	}
	record := settle.Record{Key: m.keyOf(row), Offset: offset, Row: textOf(c.Stores, row)}
	out := m.take(settle.Message{Person: subject, Kind: kind, Record: record}, p, func() (fault settle.Fault) {
		refused.Reason, refused.Attribute = c.Check(row)
		return m.faultOf(refused)
	})
	switch out.What {
	case settle.Refused:
		return refused, nil
	case settle.Replaces:
		m.intake.counters.Beyond++ // the record that is shown no more
	case settle.Beyond:
		m.intake.beyond(p, offset)
		return Outcome{Beyond: true}, nil
	}
	m.intake.accept(p, offset)
	return Outcome{}, nil
}

// keyOf stands for the record that a message is about; 0: it does not say.
func (m *Machine) keyOf(row equivclass.Row) uint64 {
	if i := m.s.Schema.RecordIndex(); i >= 0 && row[i] != nil {
		return m.s.Secrets.RecordOf(row[i])
	}
	return 0
}

// take gives a message to the open histories, or judges it as late if the state has a record of the person.
func (m *Machine) take(x settle.Message, p state.Partition, judge func() settle.Fault) settle.Outcome {
	if m.s.Records.Firsts.Has(&m.s.Records, x.Person) {
		return m.s.Open.Late(x.Kind)
	}
	x.Origin = m.intake.offsets.position(p).Number
	x.Lane, x.At, x.Epoch = x.Origin, m.intake.at, m.s.Head.Epoch
	if !m.s.Policy.Settle.Timed() {
		x.Lane, x.At = 0, int64(m.intake.counters.Read)
	}
	out := m.s.Open.Take(x, judge)
	m.left(x.Person, out)
	return out
}

// left keeps who has left a window with nothing to show: nobody has a second start.
func (m *Machine) left(person uint64, out settle.Outcome) {
	if !out.Left {
		return
	}
	m.seen.add(state.Closed, m.s.Secrets.Person(person))
	if out.Held > 0 {
		m.intake.counters.Beyond, m.intake.counted = m.intake.counters.Beyond+uint64(out.Held), true
	}
}

// faultOf says of what kind the fault of a row is.
func (m *Machine) faultOf(o Outcome) settle.Fault {
	switch {
	case o.Reason == equivclass.Accepted:
		return settle.Sound
	case readmission{m}.Possible(state.DeadLetter{Attribute: o.Attribute}):
		return settle.Public
	}
	return settle.Sensitive
}

// settled accepts the records of those whose windows have ended. It is asked between two messages, before each: so who is accepted,
// and in which order, follows from what was read and not from how often somebody looked.
// Only those can have ended whose clock has gone on: that of the partition, or the count of messages.
func (m *Machine) settled(p state.Partition) error {
	o, lane := &m.s.Open, uint16(0)
	if o.Len() == 0 {
		return nil
	}
	if m.s.Policy.Settle.Timed() {
		lane = m.intake.offsets.position(p).Number
	}
	if !o.Due(lane, m.clock(lane)) {
		return nil
	}
	return m.takeIn(o.Ended(m.clock, m.s.Head.Epoch))
}

// Finish is told that the source is at its end, where windows end with it. What comes later is late, and of other people another window
// begins: these are observed for as long as the source goes on then.
func (m *Machine) Finish() error {
	if m.intake.failed {
		return ErrBroken
	}
	return m.takeIn(m.s.Open.Finish(m.s.Head.Epoch))
}

// takeIn makes a record of each of those whose windows have ended.
func (m *Machine) takeIn(ended iter.Seq[settle.Settled]) error {
	for x := range ended {
		if x.Records == nil {
			m.left(x.Person, settle.Outcome{Left: true, Held: x.Held})
			continue
		}
		row, err := m.wholeOf(x.Records, x.Person)
		if err != nil {
			return err
		}
		why, attribute := row.why, row.attribute
		if why == equivclass.Accepted {
			why, attribute = m.s.Records.Append(row.Row)
		}
		if why != equivclass.Accepted {
			if m.faultOf(Outcome{Reason: why, Attribute: attribute}) != settle.Public {
				return fmt.Errorf("%w: attribute %q of a record in an open history is refused: %s", state.ErrCorrupt, attribute, why)
			}
			m.left(x.Person, settle.Outcome{Left: true, Held: len(x.Records)}) // under settings that have changed since
			continue
		}
		newest := &x.Records[len(x.Records)-1]
		m.s.Records.Settle(x.Stratum)
		m.accept(x.Person, newest.Origin, newest.Offset)
	}
	return nil
}

// whole is what a record of the state is made of, or why there is none.
type whole struct {
	equivclass.Row
	why       equivclass.Reason
	attribute string
}

// wholeOf makes one row of the records of a history: the quasi-identifiers of the newest one, and of each sensitive attribute the sequence
// of all values, in the order in which the records were inserted.
//
// Rule U (units): whoever is published is so once, with all that is shown of them (Theorem DS): the rest of the machine has one code of a
// person for each sensitive attribute, and Merge, pools and releases are of whole histories.
func (m *Machine) wholeOf(records []settle.Record, person uint64) (out whole, err error) {
	c := &m.s.Records
	raws := make([][][]byte, len(c.Schema.Sensitive()))
	for i := range records {
		if out.Row, err = m.rowOf(&records[i], person); err != nil {
			return out, err
		}
		for k, attribute := range c.Schema.Sensitive() {
			raws[k] = append(raws[k], out.Row[attribute])
		}
	}
	if !m.s.Policy.Settle.Histories() {
		return out, nil
	}
	for k, attribute := range c.Schema.Sensitive() {
		text, why := c.SequenceOf(attribute, raws[k])
		if why != equivclass.Accepted {
			out.why, out.attribute = why, c.Schema.Attributes()[attribute].Name
			return out, nil
		}
		out.Row[attribute] = []byte(text)
	}
	return out, nil
}

// Accept takes in a record as that of a person whose window ends now, of a stratum; where people have histories, with a sequence in the
// place of each sensitive value. It is for a replay, which has the records of a state
// in the order in which their windows have ended, and nothing else of what came. Where nobody settles it is Apply.
func (m *Machine) Accept(p state.Partition, offset int64, row equivclass.Row, of settle.Stratum) (Outcome, error) {
	if !m.s.Policy.Settle.On() {
		return m.Apply(p, offset, row)
	}
	if m.intake.failed {
		return Outcome{}, ErrBroken
	}
	if err := m.intake.offsets.numbered(p); err != nil {
		return Outcome{}, err
	}
	if why, attribute := m.s.Records.Append(row); why != equivclass.Accepted {
		return Outcome{Reason: why, Attribute: attribute}, nil
	}
	m.s.Records.Settle(of)
	m.accept(m.SubjectOf(row), m.intake.accept(p, offset), offset)
	m.intake.counters.Sent += uint64(of.Inserts() - 1)
	return Outcome{}, nil
}

// replayed takes in the record of a dead letter as one that comes now. Of one that changes nothing the dead letter stays.
func (m *Machine) replayed(d state.DeadLetter, row equivclass.Row, subject uint64) (Outcome, error) {
	var o Outcome
	pos, _ := m.intake.offsets.known(d.Partition)
	m.intake.at = pos.Time
	record := settle.Record{Key: m.keyOf(row), Offset: d.Offset, Row: textOf(m.s.Records.Stores, row)}
	out := m.take(settle.Message{Person: subject, Record: record}, d.Partition, func() settle.Fault {
		o.Reason, o.Attribute = m.s.Records.Check(row)
		return m.faultOf(o)
	})
	switch out.What {
	case settle.Refused:
		return o, readmission{m}.Rejudged(d, o.Reason, o.Attribute)
	case settle.Beyond:
		return Outcome{Reason: d.Reason, Attribute: d.Attribute, Beyond: true}, nil
	case settle.Replaces:
		m.intake.counters.Beyond++
	}
	m.intake.readmitted(d.Reason)
	return Outcome{}, nil
}

// admits reports a record in an open history that the present settings do not take for what its sensitive value is. Such settings are
// refused: who waits could have that value, and who settles could not.
func (m *Machine) admits(changed []string) error {
	if len(changed) == 0 {
		return nil
	}
	for h := range m.s.Open.All {
		for i := range h.Records {
			row, err := m.rowOf(&h.Records[i], h.Person)
			if err != nil {
				return err
			}
			why, attribute := m.s.Records.Check(row)
			if m.faultOf(Outcome{Reason: why, Attribute: attribute}) == settle.Sensitive {
				return &SettingsError{Keys: changed, Released: !m.s.BeforeRelease()}
			}
		}
	}
	return nil
}

// clock is the time of a lane.
func (m *Machine) clock(lane uint16) int64 {
	if m.s.Policy.Settle.Timed() {
		return m.intake.offsets.timeOf(lane)
	}
	return int64(m.intake.counters.Read)
}

// textOf writes the values of a row that a record has. The same row gives the same bytes.
func textOf(stores []int, row equivclass.Row) (out []byte) {
	for _, i := range stores {
		out = settle.AppendText(out, row[i])
	}
	return out
}

// rowOf reads a row that textOf wrote. In the places of the subject and of the record's key, of which no record has more than a digest,
// is the digest of the person.
func (m *Machine) rowOf(r *settle.Record, person uint64) (equivclass.Row, error) {
	c, rest := &m.s.Records, r.Row
	row := make(equivclass.Row, len(c.Schema.Attributes()))
	digest := binary.BigEndian.AppendUint64(nil, person)
	row[c.Schema.SubjectIndex()] = digest
	if i := c.Schema.RecordIndex(); i >= 0 {
		row[i] = digest
	}
	whole := true
	for _, i := range c.Stores {
		var ok bool
		row[i], rest, ok = settle.CutText(rest)
		whole = whole && ok
	}
	if !whole || len(rest) > 0 {
		return nil, fmt.Errorf("%w: a record in an open history does not decode", state.ErrCorrupt)
	}
	return row, nil
}

// full reports whether nothing more can be taken in.
func (m *Machine) full() bool {
	return m.s.Full(m.s.Known.Count(state.Barred) + m.s.Known.Count(state.Closed))
}
