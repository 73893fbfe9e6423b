package incremental

import (
	"maps"
	"slices"
	"strings"

	"anond/incremental/plan"
	"anond/incremental/pools"
	"anond/incremental/settle"
	"anond/incremental/state"
	"anond/internal/fault"
)

// Some settings say what is taken in and of whom: which columns a record has, which sensitive values are valid, which messages can be
// read. They may change for people who come later, and for nobody else.
//
// Whoever has arrived before the change is done with at the change. Those who are enough for a pool may be published first, by a run up
// to the end of the source under the settings in force. For all others the change is the end: of the wait, as for people who have waited
// longer than policy.max_wait (lapse.go), and of the window, as for whoever leaves it with nothing to show. Whose messages brought no
// record (state.Seen) are beyond from here on (state.Earlier), also with a sound record. The operator has to say so (Options.Lapse).
//
// Claim. Every posterior of Theorem E stays, of those published before and after. Proof. The moment of the
// change is the operator's, who knows no value of those who wait. Who has arrived by then, with a record or without, follows from
// arrivals alone: a person is known by a digest from the first message on, whatever becomes of the message. So of every later
// pool all people have come after the change, all were judged by the same settings, and every value of its bag was valid for each of
// them when they came: exchanging two values of the pool leaves all that is seen as it is. Who lapses follows from arrivals and
// from earlier pools.  QED
// If whoever could not be taken in before came with the others after, everybody would know that the value of such a person is a new
// one, or that of the others an old one. In all worlds of small streams: TestNewcomers, with the twins of TestBrokenNewcomers.
//
// Cost: one plan of who waits, and a digest for each of those who lapse and of those who were seen.

// Turned is how many people waited, and how many windows were open, when settings changed for people who come later.
type Turned struct{ Waiting, Open int }

// Turned says that of settings that this machine has taken in; nil: they are no such settings.
func (m *Machine) Turned() *Turned { return m.turned }

// newcomersOnly says what refuses such a change.
func newcomersOnly(hint, format string, args ...any) error {
	return fault.Errorf(fault.Config, hint, "the settings that change are those of people who come later, and "+format, args...)
}

// newcomers notes that settings change of people who come later. free: nothing is decided, so that these are the settings of those who
// have come already, too.
func (a *adoption) newcomers(changed []string, free bool) error {
	keys := slices.DeleteFunc(slices.Clone(changed), func(k string) bool { of, later := a.Later[k]; return !later || of != state.Newcomer })
	switch {
	case len(keys) == 0 || len(a.head.Eras) == 0:
		return nil
	case free:
		return &SettingsError{Keys: keys}
	}
	before, err := a.Rebuild(a.head.Eras[len(a.head.Eras)-1].Config)
	a.before = &before
	return err
}

// newcomers ends the wait of everybody who has arrived before settings changed for those who come later: before are the earlier ones.
// Invariant: no pool is fixed, and no release is decided and not published. It is committed with the settings.
func (m *Machine) newcomers(before Options, lapse bool) error {
	if m.s.Policy.Level != state.L2 || m.s.Records.Firsts == nil {
		return newcomersOnly(elsewhere, "nobody knows who came before: that takes policy.level L2 and an attribute with role subject")
	}
	if !m.s.Head.InitialDone {
		return newcomersOnly("let the first pool be decided with the settings that the state has; or start over: anond state reset",
			"the first pool is not decided")
	}
	if waiting, open := m.s.Pending.Counts().Waiting, m.s.Open.Len(); !lapse && waiting+open > 0 {
		enough, err := m.enough(before)
		if err != nil {
			return err
		}
		return newcomersOnly("publish those who are enough for a pool, if some are, with the settings that the state has: anond run --once; "+
			"then anond config apply --lapse", "%d people who wait, %d of them enough for a pool, and %d whose windows are open would "+
			"never be published", waiting, enough, open)
	}
	m.turned = &Turned{m.s.Pending.Counts().Waiting, m.s.Open.Len()}
	m.lapseAll()
	m.closeToSeen()
	m.s.Open.Rule = m.s.Policy.Settle
	return nil
}

// lapseAll ends the wait of all who wait, and the windows that are open.
func (m *Machine) lapseAll() {
	c := &m.s.Records
	for _, r := range m.s.Pending.Lapse(c, func(waiting []state.RecordID) int { return len(waiting) }) {
		m.seen.add(state.Lapsed, m.s.Secrets.Person(c.Subject[r]))
	}
	for h := range m.s.Open.All {
		person := h.Person
		held, _ := m.s.Open.Remove(person)
		m.left(person, settle.Outcome{Left: true, Held: held})
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

// extends reports why settings do not go on from earlier ones. The attributes of these stand in the same places, so that their numbers in
// the state stay, and further ones behind them. What else of an attribute may change is the settings' to say. Histories stay histories.
func extends(before, after *Options) error {
	was, is := before.Schema.Attributes(), after.Schema.Attributes()
	for i := range was {
		if i >= len(is) || is[i].Name != was[i].Name || is[i].Role != was[i].Role && !(is[i].Role.Blind() && was[i].Role.Blind()) {
			return newcomersOnly("write further attributes behind the others; one that changes its type is another one, with a name of its own and "+
				"the same path or field", "attribute %q is gone, or has another place or role", was[i].Name)
		}
	}
	for _, i := range before.Schema.Sensitive() {
		if len(was[i].Buckets) > 0 && before.Policy.Settle.Histories() != after.Policy.Settle.Histories() {
			return newcomersOnly("restore subject.repeat", "numbers with buckets, such as %q, have histories from the beginning or never",
				was[i].Name)
		}
	}
	if before.Policy.Settle.Inserts() > after.Policy.Settle.Inserts() {
		return newcomersOnly("raise subject.max_records, or restore it", "histories may only become longer")
	}
	return nil
}

// ofRole reports the keys that say what an attribute is.
func ofRole(key string) bool {
	return strings.HasPrefix(key, "schema.") && strings.HasSuffix(key, "].role")
}

// further looks, before a state is loaded, at settings of people who come later: attributes of which records did not have any in the
// newest era may have what settings they have, and windows that are open are those of that era. And at roles: one may be another for
// later pools if the state has the values under both, which is to say that the role before was quasi or kept, too.
func (l *loader) further(meta *state.Meta) error {
	n, changed := len(meta.Eras), changedSettings(meta.Settings, l.Settings)
	newcomer := slices.ContainsFunc(changed, func(k string) bool { return l.Later[k] == state.Newcomer })
	role := slices.ContainsFunc(changed, func(k string) bool { _, later := l.Later[k]; return later && ofRole(k) })
	if n == 0 || !newcomer && !role {
		return nil
	}
	before, err := l.Rebuild(meta.Eras[n-1].Config)
	if err != nil {
		return err
	}
	l.Later = maps.Clone(l.Later)
	for _, a := range before.Schema.Attributes() {
		if !a.Role.Blind() {
			delete(l.Later, "schema.attributes["+a.Name+"].role")
		}
	}
	if !newcomer {
		return nil
	}
	if err := extends(&before, &l.Options); err != nil {
		return err
	}
	for _, a := range l.Schema.Attributes()[len(before.Schema.Attributes()):] {
		for key := range l.Settings {
			if strings.HasPrefix(key, "schema.attributes["+a.Name+"].") {
				l.Later[key] = state.Newcomer
			}
		}
	}
	l.s.Open = settle.New(before.Policy.Settle)
	return nil
}
