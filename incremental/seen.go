package incremental

import (
	"slices"

	"anond/incremental/state"
)

// seen knows those of whom nothing more is taken in, and why; the digests are in the state (state.People), and never expire.
//
// Forgotten: a second record in another bucket would tell a value that stays the same (package erase).
//
// Barred: a record was refused for something that its sensitive value can have caused: a value that is no leaf yet, a text that is
// too long, a message that cannot be read. What the person sends later counts as beyond, whatever it says.
//
// Rule S (subjects). Without it, whoever sends the same record again after the hierarchy has grown is published, and
// everybody knows that the value is a new one: posterior 1.
//
// Claim. Everybody's value is judged once, by what was valid then. Proof. A person whose record was accepted is the
// subject's first record or a repeat, which is never published; one whose record was refused for what its value can
// have caused is barred; one whose record was refused for what adversaries know (Readmissible) was not judged, since
// quasi-identifiers and subject are judged first. So which people may be in a pool of one version of the hierarchy follows
// from arrivals and from who was found valid under that version; every value of the pool's bag was
// valid for each of them, at the only moment at which it was looked at, and exchanging two values of the pool leaves
// all that is seen as it is (Theorem E).  QED
//
// The digest stays when the dead letter is delivered, when the person is forgotten and in every copy of the state. A
// reset drops who is barred: then everything is read again, and nobody was judged.
//
// Cost: 16 bytes a person on disk, 17 to 18 in memory; one more digest a record once somebody is known. policy
// MaxRecords bounds them together with the records.
type seen struct {
	s     *state.State
	fresh []state.Known // since the last commit, each with the reasons that are new
	// due is how many of those who were forgotten are not yet: their deletes were read, or they are in a fixed pool.
	due     int
	moved   bool // due changed since the last commit
	written int  // people barred who are in the store
	loading []state.Known
}

// Why is why nothing more is taken in of a person.
func (k *seen) Why(subject uint64) state.Why { return k.s.Why(subject) }

// add takes in reasons of people, and reports whether one of them is new.
func (k *seen) add(why state.Why, people ...state.Person) (fresh bool) {
	for _, d := range people {
		if why &^= k.s.Known.Why(d); why != 0 && k.s.Known.Add(state.Know(d, why)) {
			k.fresh, fresh = append(k.fresh, state.Know(d, why)), true
		}
	}
	return fresh
}

// load takes in some of whom the store has, and loaded is called after all.
func (k *seen) load(people []state.Known) error {
	k.loading = append(k.loading, people...)
	return nil
}

func (k *seen) loaded() {
	k.s.Known = state.NewPeople(k.loading)
	k.loading, k.written = nil, k.s.Known.Count(state.Barred)
}

// into enters what changed since the last commit into a delta.
func (k *seen) into(d *state.Delta) {
	d.Known = k.fresh
	if k.moved {
		due := k.due
		d.Due = &due
	}
}

// committed forgets what changed: the store has it.
func (k *seen) committed() {
	k.fresh, k.moved, k.written = nil, false, k.s.Known.Count(state.Barred)
}

// forgot reports whether somebody was forgotten since the last commit, or that people are due.
func (k *seen) forgot() bool {
	return k.moved || slices.ContainsFunc(k.fresh, func(x state.Known) bool { return x.Why()&state.Forgotten != 0 })
}

// Bar notes that a record of a person is refused for something that its sensitive value can have caused; the host then
// calls Refuse or Ignore. An empty subject is nobody's, as is every one where no attribute has role subject.
func (m *Machine) Bar(subject []byte) error {
	if m.intake.failed {
		return ErrBroken
	}
	if m.s.Records.Firsts == nil || len(subject) == 0 {
		return nil
	}
	d := m.person(subject)
	if m.s.Known.Why(d)&state.Barred == 0 && m.full() {
		return ErrStateFull
	}
	m.seen.add(state.Barred, d)
	return nil
}

// See notes that a record of a person is refused or left out, or another message of the person came that brings no record. While settings
// stay, whoever was refused for what adversaries know may come again with a sound record; once they have changed for those who come
// later, not (newcomers.go). The person is given by SubjectOf; 0 is nobody. Like Bar it comes before Refuse or Ignore.
//
// Cost: a digest for everybody who is in no record and was not barred. policy MaxRecords bounds them together with the records.
func (m *Machine) See(person uint64) error {
	if m.intake.failed {
		return ErrBroken
	}
	if m.s.Policy.Level != state.L2 || m.s.Records.Firsts == nil || person == 0 {
		return nil
	}
	d := m.s.Secrets.Person(person)
	if m.s.Known.Why(d) != 0 || m.s.Open.Has(person) || m.s.Records.Firsts.Has(&m.s.Records, person) {
		return nil
	}
	if m.full() {
		return ErrStateFull
	}
	m.seen.add(state.Seen, d)
	return nil
}

// person is the digest by which a subject is known for ever.
func (m *Machine) person(subject []byte) state.Person {
	return m.s.Secrets.Person(m.s.Secrets.SubjectOf(subject))
}
