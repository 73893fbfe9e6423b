package incremental

import (
	"errors"
	"slices"

	"anond/equivclass"
)

// ErrNoReadmission: a dead letter is none whose record may be taken in later, or
// none of this state.
var ErrNoReadmission = errors.New("the dead letter is none whose record may be taken in later")

// Readmissible reports whether the record of a dead letter may be taken in later:
// one that was refused since a quasi-identifier had no leaf in its hierarchy.
//
// That it comes late then tells what its quasi-identifiers are, which the
// adversary knows. It must not tell about its sensitive value. So records refused
// for that one are never readmitted: who came late would have a new value. And
// quasi-identifiers are judged first (newColumns): of two records that lack
// the same leaf both are readmitted or neither, whatever else is wrong with
// them, and the sensitive value is judged when the record comes in again.
func (m *Machine) Readmissible(d DeadLetter) bool {
	i := slices.IndexFunc(m.schema.Attributes(), func(a equivclass.Attribute) bool { return a.Name == d.Attribute })
	return d.Reason == equivclass.ReasonHierarchy && i >= 0 && m.schema.Attributes()[i].Role == equivclass.Quasi
}

// Readmit takes in the record of a dead letter, which then counts as pending and
// no longer as a dead letter. It arrives now. If its values do not fit still, the
// outcome tells why: for the same reason nothing changes; for another one the
// record becomes a dead letter of that reason.
//
// The caller has seen that the row is the one that was refused (by its digest),
// and that no record of that place is in state. All of it is one transaction.
func (m *Machine) Readmit(d DeadLetter, row equivclass.Row) (Outcome, error) {
	pos, known := m.intake.offsets.at[d.Partition]
	switch {
	case m.broken:
		return Outcome{}, ErrBroken
	case !known || d.Offset >= pos.Next || !m.Readmissible(d) || m.intake.counters.Refused[d.Reason] == 0:
		return Outcome{}, ErrNoReadmission
	case m.full():
		return Outcome{}, ErrStateFull
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
