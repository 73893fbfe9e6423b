package incremental

import (
	"errors"
	"slices"

	"anond/equivclass"
	"anond/incremental/state"
)

// ErrNoReadmission: the record of a dead letter may not be taken in later, or the
// dead letter is not of this state.
var ErrNoReadmission = errors.New("the dead letter is none whose record may be taken in later")

// readmission takes in records of dead letters.
type readmission struct{ *Machine }

// Readmission is how records of dead letters are taken in later.
func (m *Machine) Readmission() readmission { return readmission{m} }

// Possible reports whether the record of a dead letter may be taken in later, as far
// as its attribute decides that: one that was refused because of a quasi-identifier or
// the subject. For which reasons it may is the host's to say (decode.RuleOf).
//
// A late arrival then shows something about these, which adversaries know already. It
// must show nothing about the sensitive value (promise SA; at level L2 rule B, buckets:
// when somebody is published follows from quasi-identifiers and arrival). So records
// refused for the sensitive value are never readmitted: a late arrival would have a new
// value. Nor are those refused as a whole message, since the value is part of the
// message. And quasi-identifiers are judged first (newColumns): of two records that lack
// the same leaf both are readmitted or neither, and the sensitive value is judged when
// the record comes in again, like that of any record that comes then.
func (m readmission) Possible(d state.DeadLetter) bool {
	i := slices.IndexFunc(m.s.Schema.Attributes(), func(a equivclass.Attribute) bool { return a.Name == d.Attribute })
	if i < 0 {
		return false
	}
	role := m.s.Schema.Attributes()[i].Role
	return role.Blind() || role == equivclass.Subject || role == equivclass.RecordKey
}

// Take takes in the record of a dead letter, which then counts as pending and
// no longer as a dead letter. Its arrival is the present tick. If its values still do
// not fit, the outcome says why, as Rejudged has it. Of a person who was forgotten or is barred nothing
// is taken in, and the record stays the dead letter that it is.
//
// The caller has checked that the row is the one that was refused (by its digest),
// and that no record of that partition and offset is in state. All of it is one transaction.
func (m readmission) Take(d state.DeadLetter, row equivclass.Row) (Outcome, error) {
	if err := m.allowed(d); err != nil {
		return Outcome{}, err
	}
	if m.full() {
		return Outcome{}, ErrStateFull
	}
	if m.seen.Why(m.s.Subject(row)) != 0 { // it stays the dead letter that it is
		return Outcome{Reason: d.Reason, Attribute: d.Attribute, Forgotten: true}, nil
	}
	if m.s.Policy.Settle.On() {
		return m.replayed(d, row, m.s.Subject(row))
	}
	why, attribute := m.s.Records.Append(row)
	if why != equivclass.Accepted {
		return Outcome{Reason: why, Attribute: attribute}, m.Rejudged(d, why, attribute)
	}
	pos, _ := m.intake.offsets.known(d.Partition)
	m.intake.readmitted(d.Reason)
	m.accept(m.s.Subject(row), pos.Number, d.Offset)
	return Outcome{}, nil
}

// Looks reports whether the record of a dead letter is looked at when it comes again: where people settle, only if nobody knows yet what is
// to be published of the person. Otherwise the dead letter stays what it is, whether its value is valid or not.
func (m readmission) Looks(row equivclass.Row) bool {
	subject := m.s.Subject(row)
	if !m.s.Policy.Settle.On() || subject == 0 {
		return true
	}
	h := m.s.Open.Of(subject)
	return m.seen.Why(subject) == 0 && !m.s.Records.Firsts.Has(&m.s.Records, subject) && (h == nil || len(h.Records) == 0)
}

// Rejudged notes that the record of a dead letter was judged again and refused. For the
// same reason nothing changes. For another one it becomes a dead letter of that reason:
// if it stayed what it was, and were accepted at a later replay, the delay between the
// two would follow from what was wrong at the first, which may be its sensitive value.
func (m readmission) Rejudged(d state.DeadLetter, why equivclass.Reason, attribute string) error {
	if err := m.allowed(d); err != nil || why == d.Reason && attribute == d.Attribute {
		return err
	}
	m.intake.readmitted(d.Reason)
	d.Reason, d.Attribute = why, attribute
	m.intake.post(d)
	return nil
}

func (m readmission) allowed(d state.DeadLetter) error {
	pos, known := m.intake.offsets.known(d.Partition)
	switch {
	case m.intake.failed:
		return ErrBroken
	case !known || d.Offset >= pos.Next || !m.Possible(d) || m.intake.counters.Refused[d.Reason] == 0:
		return ErrNoReadmission
	}
	return nil
}
