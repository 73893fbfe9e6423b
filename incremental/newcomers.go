package incremental

import (
	"anond/equivclass"
	"anond/incremental/plan"
	"anond/incremental/pools"
	"anond/incremental/state"
	"anond/internal/fault"
)

// Some settings say what is taken in and of whom: which columns a record has, which sensitive values are valid, which messages can be
// read. They may change for people who come later, and for nobody else.
//
// Whoever has arrived before the change is done with at the change. Those who are enough for a pool are published first: until then the
// change is refused, and a run up to the end of the source publishes them under the settings in force. The wait of the others ends
// there, as that of people who waited longer than policy.max_wait (lapse.go): nobody joins them any more, so they never were enough.
// So were all whose messages brought no record (state.Seen): they are beyond from here on (state.Earlier), also with a sound record.
//
// Claim. Every posterior of Theorem E stays, of those published before and after (theory: rules by part). Proof. The moment of the
// change is the operator's, who knows no value of those who wait. Who has arrived by then, with a record or without, follows from
// arrivals alone: a person is known by a digest from the first message on, whatever becomes of the message. So of every later
// pool all people have come after the change, all were judged by the same settings, and every value of its bag was valid for each of
// them when they came: exchanging two values of the pool leaves all that is seen as it is. Whether the change is refused follows from
// counts and from published values (package pools), and who lapses from arrivals and from earlier pools.  QED
// If whoever could not be taken in before came with the others after, everybody would know that the value of such a person is a new
// one, or that of the others an old one. In all worlds of small streams: TestNewcomers, with the twins of TestBrokenNewcomers.
//
// Cost: one plan of who waits, and a digest for each of those who lapse and of those who were seen.

// newcomersOnly says what refuses such a change.
func newcomersOnly(hint, format string, args ...any) error {
	return fault.Errorf(fault.Config, hint, "the settings that change are those of people who come later, and "+format, args...)
}

// newcomers ends the wait of everybody who has arrived before settings changed for those who come later: before are the earlier ones.
// Invariant: no pool is fixed, and no release is decided and not published. It is committed with the settings.
func (m *Machine) newcomers(before Options) error {
	c := &m.s.Records
	switch {
	case m.s.Policy.Level != state.L2 || c.Firsts == nil:
		return newcomersOnly(elsewhere, "nobody knows who came before: that takes policy.level L2 and an attribute with role subject")
	case !m.s.Head.InitialDone:
		return newcomersOnly("let the first pool be decided with the settings that the state has; or start over: anond state reset",
			"the first pool is not decided")
	case m.s.Open.Len() > 0:
		return newcomersOnly("restore the settings of the state", "the windows of %d people are open, who keep the earlier ones", m.s.Open.Len())
	}
	enough, err := m.enough(before)
	if err != nil {
		return err
	}
	if enough > 0 {
		return newcomersOnly("run once with the settings that the state has: anond run --once",
			"%d people wait who would be published under the earlier ones", enough)
	}
	m.lapseAll()
	m.closeToSeen()
	return nil
}

// lapseAll ends the wait of all who wait.
func (m *Machine) lapseAll() {
	c := &m.s.Records
	for _, r := range m.s.Pending.Lapse(c, func(waiting []state.RecordID) int { return len(waiting) }) {
		m.seen.add(state.Lapsed, m.s.Secrets.Person(c.Subject[r]))
	}
}

// closeToSeen lets nobody come again whose messages brought no record.
func (m *Machine) closeToSeen() {
	var earlier []state.Person
	m.s.Known.All(state.Seen, func(d state.Person) { earlier = append(earlier, d) })
	m.seen.add(state.Earlier, earlier...)
}

// enough is how many of those who wait would be published under earlier settings at the end of the source; 0: nobody.
func (m *Machine) enough(before Options) (int, error) {
	was := m.s
	was.Schema, was.Policy = before.Schema, before.Policy
	was.Records.Schema = before.Schema
	was.Policy.Requirement = plan.WithReference(was.Policy.Requirement, was.Schema, was.Head.References)
	planner := *m.planner.(*pools.Planner)
	was.Policy.InitialMin = planner.FirstNeed(&was.Policy)
	planner.Published(&was)
	of := planner.Fix(cutOf(&was, &m.place, state.AtEnd))
	if err := m.s.Interrupt.Err(); err != nil || of == nil {
		return 0, err
	}
	return len(of.Members), nil
}

// extends reports why a schema does not extend an earlier one: its attributes stand in the same places, so that their numbers in the
// state stay, and further ones behind them. What else of an attribute may change is the settings' to say.
func extends(before, after *equivclass.Schema) error {
	was, is := before.Attributes(), after.Attributes()
	for i := range was {
		if i >= len(is) || is[i].Name != was[i].Name || is[i].Role != was[i].Role {
			return newcomersOnly("write further attributes behind the others; one that changes its type is another one, with a name of its own and "+
				"the same path or field", "attribute %q is gone, or has another place or role", was[i].Name)
		}
	}
	return nil
}
