package incremental

import (
	"bytes"
	"slices"

	"anond/incremental/erase"
	"anond/incremental/state"
)

// Delete takes in a record with which the source deletes a person: a tombstone, or a delete of
// a change feed. It counts as sent and as forgotten, as later records of the person do, which are
// blocked from here on. State has that with the position. What it has of the person goes with the
// next erasure (Forget), which is due (Forgetting.Due).
//
// Safe by the claim of package erase: the moment is a function of what the source sends, and values
// are not looked at.
//
// The list of who was forgotten grows by a digest; policy MaxRecords bounds it together with the records.
func (m *Machine) Delete(p state.Partition, offset int64, subject []byte) (Outcome, error) {
	if m.intake.failed {
		return Outcome{}, ErrBroken
	}
	if m.s.Records.Firsts == nil {
		return Outcome{}, erase.ErrNoSubject
	}
	if m.intake.offsets.applied(p, offset) {
		return Outcome{Known: true}, nil
	}
	if err := m.intake.offsets.numbered(p); err != nil {
		return Outcome{}, err
	}
	d := m.person(subject)
	known := &m.s.Known
	if known.Why(d)&state.Forgotten == 0 && m.s.Full(known.Count(state.Barred)+known.Count(state.Forgotten)) {
		return Outcome{}, ErrStateFull
	}
	m.intake.block(p, offset)
	if m.seen.add(state.Forgotten, d) {
		m.seen.due, m.seen.moved = m.seen.due+1, true
	}
	return Outcome{Forgotten: true}, nil
}

// Forgot notes that an erasure has found nothing of the people it was asked for: they are
// blocked, and those are due who are in a pool that is fixed. The machine goes on.
func (m *Machine) Forgot(e *erase.Erasure) error {
	for _, k := range e.Known() {
		m.seen.add(k.Why(), k.Person())
	}
	m.seen.due, m.seen.moved = e.Later, true
	return m.Commit()
}

// SuppressionKey authenticates the list of who was forgotten where it is kept outside of
// the state. It must not be shown (rule R, randomness).
func SuppressionKey(seed [32]byte) []byte {
	s := state.NewSecrets(seed, nil)
	return s.Key("list of suppressed subjects")
}

// forgetting tells who was forgotten.
type forgetting struct{ *Machine }

// Forgetting returns who was forgotten.
func (m *Machine) Forgetting() forgetting { return forgetting{m} }

// Due is how many people state has to forget, because their deletes were read.
func (f forgetting) Due() int { return f.seen.due }

// Staged reports whether the next commit has people whose deletes were read: the list that
// is kept elsewhere must have them before.
func (f forgetting) Staged() bool { return f.seen.forgot() }

// People returns the digests of all who were forgotten, in ascending order.
func (f forgetting) People() []state.Person { return f.After(&erase.Erasure{}) }

// After returns what People returns when an erasure is carried out.
func (f forgetting) After(e *erase.Erasure) (out []state.Person) {
	f.s.Known.All(state.Forgotten, func(d state.Person) { out = append(out, d) })
	for _, k := range e.Known() {
		out = append(out, k.Person())
	}
	slices.SortFunc(out, func(a, b state.Person) int { return bytes.Compare(a[:], b[:]) })
	return out
}

// DigestOf returns the digest that stands for a subject on the list of who was forgotten,
// and whether it is there. The subject is written as records have it.
func (f forgetting) DigestOf(subject []byte) (d state.Person, known bool) {
	d = f.person(subject)
	return d, f.s.Known.Why(d)&state.Forgotten != 0
}

// Unlinked reports whether the state does not know any more who of a class has which value,
// since somebody of its bag was forgotten.
func (f forgetting) Unlinked(class state.ClassID) bool {
	if f.unlinked == nil {
		f.Machine.unlinked = f.s.History.Unlinked()
	}
	return f.unlinked[class]
}

// Forget plans how the state forgets more people, by their digests (Forgetting.DigestOf), and those
// whom it has forgotten before, or that are due. Nothing may be staged. After an error the machine
// is what it was. Else it must not be used any more, but for Reopen: a store is written anew by the plan, and
// opened again; or Forgot, if nothing was found. Cost: all records.
func (m *Machine) Forget(people []state.Digest) (*erase.Erasure, error) {
	if m.intake.failed {
		return nil, ErrBroken
	}
	departed := 0
	for _, d := range people {
		if m.s.Known.Why(d)&state.Departed != 0 {
			departed++
		}
	}
	under, err := m.inEras()
	if err != nil {
		return nil, err
	}
	e, err := erase.Plan(&m.s, erase.Asked{People: people, Unlinked: m.Forgetting().Unlinked,
		Quasi: func(release uint32) []int { return under(release).records.Schema.Quasi() }})
	if err == nil {
		e.Departed = departed
	}
	return e, err
}

// Departing reports whether parts have left the releases of which the state still has the people: Removal takes them out.
func (m *Machine) Departing() bool {
	return m.s.History.Expired() > m.s.Head.Removed && m.s.History.Unpublished() == nil && m.s.Records.Firsts != nil
}

// Removal plans what leaves the state, of people whose parts have left the releases; nil: nothing, or not now. Everything must be
// committed. A store is rewritten by the plan, and then opened again (Reopen): this machine must not be used any more. A host does so
// before anything else is decided, so that no decision depends on when it was done.
func (m *Machine) Removal() *erase.Removal {
	if m.intake.failed || !m.Departing() {
		return nil
	}
	return erase.Remove(&m.s)
}
