package incremental

import (
	"slices"

	"anond/incremental/erase"
	"anond/incremental/state"
)

// suppression knows who was forgotten, by a keyed digest each, so that no later record of
// these people is taken in: a second record of theirs in another bucket would tell a value
// that stays the same.
//
// The digest is one of the subject's digest in the state, under a key of its own. So a list
// that is kept elsewhere finds the records of an older copy of the state, and without the
// state's seed it shows nothing of anybody.
//
// Cost: one more digest a record, once somebody was forgotten; 16 bytes a person in memory,
// and some 40 more to find them.
type suppression struct {
	list  []state.Digest // in the order in which they came
	known map[state.Digest]bool
	// due is how many of them state has not forgotten yet: their deletes were read, or they are in a fixed pool.
	due     int
	changed bool // since the last commit
}

// add takes in the digests that are new.
func (s *suppression) add(list []state.Digest) {
	if s.known == nil {
		s.known = map[state.Digest]bool{}
	}
	for _, d := range list {
		if !s.known[d] {
			s.known[d] = true
			s.list = append(s.list, d)
		}
	}
}

// back takes out all but the first n again.
func (s *suppression) back(n int) {
	for _, d := range s.list[n:] {
		delete(s.known, d)
	}
	s.list = s.list[:n]
}

// mark takes in somebody whose delete was read. What state has of the person is to be
// forgotten; who is known is not marked again.
func (s *suppression) mark(d state.Digest) {
	n := len(s.list)
	if s.add([]state.Digest{d}); len(s.list) > n {
		s.due, s.changed = s.due+1, true
	}
}

// into enters what changed since the last commit into a delta.
func (s *suppression) into(d *state.Delta) {
	if s.changed {
		d.Suppressed = &state.Suppressed{People: slices.Clip(s.list), Due: s.due}
	}
}

// forgotten is what the machine knows of people who were forgotten.
type forgotten struct {
	suppression
	// unlinked are the classes of which state does not know who has which value; nil: not
	// looked for yet (package erase).
	unlinked map[state.ClassID]bool
}

// blocks reports whether a person was forgotten.
func (f *forgotten) blocks(s *state.State, subject uint64) bool {
	return len(f.list) > 0 && subject != 0 && f.known[s.Secrets.Suppressed(subject)]
}

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
	d := m.s.Secrets.Suppressed(m.s.Secrets.SubjectOf(subject))
	if !m.forgotten.known[d] && m.s.Full(len(m.barred.list)+len(m.forgotten.list)) {
		return Outcome{}, ErrStateFull
	}
	m.intake.block(p, offset)
	m.forgotten.mark(d)
	return Outcome{Forgotten: true}, nil
}

// Forgot notes that an erasure has found nothing of the people it was asked for: they are
// blocked, and those are due who are in a pool that is fixed. The machine goes on.
func (m *Machine) Forgot(e *erase.Erasure) error {
	m.forgotten.add(e.Suppressed())
	m.forgotten.due, m.forgotten.changed = e.Later, true
	return m.Commit()
}

// SuppressionKey authenticates the list of who was forgotten where it is kept outside of
// the state. It must not be shown (rule R, randomness).
func SuppressionKey(seed [32]byte) []byte {
	s := state.NewSecrets(seed, nil)
	return s.Key("list of suppressed subjects")
}

// forgetting tells who was forgotten.
type forgetting struct {
	s *state.State
	*forgotten
}

// forgetting returns who was forgotten.
func (m *Machine) Forgetting() forgetting { return forgetting{&m.s, &m.forgotten} }

// Due is how many people state has to forget, because their deletes were read.
func (f forgetting) Due() int { return f.due }

// Staged reports whether the next commit has people whose deletes were read: the list that
// is kept elsewhere must have them before.
func (f forgetting) Staged() bool { return f.changed }

// Unplan throws an erasure away: the machine is what it was.
func (f forgetting) Unplan(e *erase.Erasure) { f.back(e.Before) }

// People returns the digests of all who were forgotten, in the order in which they were.
func (f forgetting) People() []state.Digest { return slices.Clone(f.list) }

// DigestOf returns the digest that stands for a subject on the list of who was forgotten,
// and whether it is there. The subject is written as records have it.
func (f forgetting) DigestOf(subject []byte) (d state.Digest, known bool) {
	d = f.s.Secrets.Suppressed(f.s.Secrets.SubjectOf(subject))
	return d, f.known[d]
}

// Unlinked reports whether the state does not know any more who of a class has which value,
// since somebody of its bag was forgotten.
func (f forgetting) Unlinked(class state.ClassID) bool {
	if f.unlinked == nil {
		f.forgotten.unlinked = f.s.History.Unlinked()
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
	before := len(m.forgotten.list)
	m.forgotten.add(people)
	e, err := erase.Plan(&m.s, erase.Asked{List: m.forgotten.list, Known: m.forgotten.known, Unlinked: m.Forgetting().Unlinked})
	if err != nil {
		m.forgotten.back(before)
		return nil, err
	}
	e.Before = before
	return e, nil
}
