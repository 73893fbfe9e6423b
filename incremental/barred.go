package incremental

// barred knows the people of whom a record was refused for something that its sensitive value can have caused: a
// value that is no leaf yet, a text that is too long, a message that cannot be read. What they send later is not
// taken in and counts as beyond, whatever it says.
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
// reset drops it: then everything is read again, and nobody was judged.
//
// Cost: 8 bytes a person, and some 20 to find them; one more digest a record once somebody is barred. policy
// MaxRecords bounds them together with the records.
type barred struct {
	list  []uint64 // digests of subjects, in the order in which they came
	known map[uint64]bool
	from  int // of list: since the last commit
}

// add takes in the digests that are new.
func (b *barred) add(subjects ...uint64) {
	if b.known == nil {
		b.known = map[uint64]bool{}
	}
	for _, s := range subjects {
		if !b.known[s] {
			b.known[s] = true
			b.list = append(b.list, s)
		}
	}
}

// load takes in what the store has.
func (b *barred) load(subjects []uint64) error {
	b.add(subjects...)
	b.from = len(b.list)
	return nil
}

// Bar notes that a record of a person is refused for something that its sensitive value can have caused; the host then
// calls Refuse or Ignore. An empty subject is nobody's, as is every one where no attribute has role subject.
func (m *Machine) Bar(subject []byte) error {
	switch {
	case m.intake.failed:
		return ErrBroken
	case m.s.Records.Firsts == nil || len(subject) == 0:
		return nil
	case m.barred.known[m.s.Secrets.SubjectOf(subject)]:
		return nil
	case m.s.Full(len(m.barred.list)):
		return ErrStateFull
	}
	m.barred.add(m.s.Secrets.SubjectOf(subject))
	return nil
}

// bars reports whether a person is barred.
func (b *barred) bars(subject uint64) bool { return len(b.list) > 0 && b.known[subject] }
