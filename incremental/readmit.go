package incremental

import (
	"errors"
	"slices"

	"anond/equivclass"
)

// ErrNoReadmission: the record of a dead letter may not be taken in later, or the
// dead letter is not of this state.
var ErrNoReadmission = errors.New("the dead letter is none whose record may be taken in later")

// Readmissible reports whether the record of a dead letter may be taken in later:
// one that was refused because a quasi-identifier had no leaf in its hierarchy.
//
// A late arrival then shows something about its quasi-identifiers, which adversaries
// know already. It must show nothing about its sensitive value. So records refused
// for the sensitive value are never readmitted: a late arrival would have a new
// value. And quasi-identifiers are judged first (newColumns): of two records that
// lack the same leaf both are readmitted or neither, whatever else is wrong with
// them, and the sensitive value is judged when the record comes in again.
func (m *Machine) Readmissible(d DeadLetter) bool {
	i := slices.IndexFunc(m.schema.Attributes(), func(a equivclass.Attribute) bool { return a.Name == d.Attribute })
	return d.Reason == equivclass.ReasonHierarchy && i >= 0 && m.schema.Attributes()[i].Role == equivclass.Quasi
}

// Readmit takes in the record of a dead letter, which then counts as pending and
// no longer as a dead letter. Its arrival is the present tick. If its values still do
// not fit, the outcome says why: for the same reason nothing changes; for another
// reason the record becomes a dead letter of that one. Of a person who was forgotten nothing
// is taken in, and the record stays the dead letter that it is.
//
// The caller has checked that the row is the one that was refused (by its digest),
// and that no record of that partition and offset is in state. All of it is one transaction.
func (m *Machine) Readmit(d DeadLetter, row equivclass.Row) (Outcome, error) {
	pos, known := m.intake.offsets.known(d.Partition)
	switch {
	case m.broken:
		return Outcome{}, ErrBroken
	case !known || d.Offset >= pos.Next || !m.Readmissible(d) || m.intake.counters.Refused[d.Reason] == 0:
		return Outcome{}, ErrNoReadmission
	case m.full():
		return Outcome{}, ErrStateFull
	}
	if m.isBlocked(row) { // it stays the dead letter that it is
		return Outcome{Reason: d.Reason, Attribute: d.Attribute, Forgotten: true}, nil
	}
	why, attribute := m.records.Append(row)
	out := Outcome{Reason: why, Attribute: attribute}
	if why == d.Reason && attribute == d.Attribute {
		return out, nil
	}
	m.intake.readmitted(d.Reason)
	if why == equivclass.Accepted {
		m.accept(row, pos.Number, d.Offset)
		return out, nil
	}
	d.Reason, d.Attribute = why, attribute
	m.intake.post(d)
	return out, nil
}
