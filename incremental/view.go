package incremental

import (
	"fmt"

	"anond/equivclass"
)

// View is what one release shows: the classes that its intent names and the
// records in them. It is a read-only snapshot that stays valid, and may be read
// by another goroutine, while the machine goes on.
type View struct {
	Intent Intent
	Level  Level
	// FirstNeed is how many people the pool of release 1 had to have, at level L2, when it was fixed.
	FirstNeed int
	Grown     bool // the first pool grew after it was refused, so that level L2 is not promised
	Seeded    bool
	Schema    *equivclass.Schema
	// Dictionaries by schema attribute, frozen; nil where nothing is stored.
	Dictionaries []*equivclass.Dictionary
	QI           []equivclass.Column // by quasi-identifier, then record
	SA           equivclass.Column   // by record
	Subject      []uint64            // by record; nil without subject
	// References are the distributions of t-closeness, by attribute of the schema:
	// the same in every release.
	References map[int]equivclass.Bag
	Classes    []ClassView // alive in this release, in order of ID
	// Dead are the classes that had died by this release, in order of ID.
	Dead []ClassView
	// Since: Classes and Dead hold only what was born or died after this
	// release (Machine.Change); 0: everything.
	Since uint32
}

// ClassView is one class of a view.
type ClassView struct {
	Regime  Regime
	Bucket  BucketID // at level L2: classes of one bucket are born in one release
	Born    uint32
	Died    uint32 // the first release without it; 0 in a release in which it lives
	Members []RecordID
}

// View returns what a release shows. It can be asked for any release at any
// time: a retry after a crash sees exactly what the first attempt saw.
func (m *Machine) View(release uint32) (*View, error) {
	v, err := m.bare(release)
	if err != nil {
		return nil, err
	}
	v.Classes, v.Dead = m.history.at(release)
	return v, nil
}

// Change is View with the classes alone that are born or die in the release, so
// that it costs what is new.
func (m *Machine) Change(release uint32) (*View, error) {
	v, err := m.bare(release)
	if err != nil {
		return nil, err
	}
	v.Since = release - 1
	v.Classes, v.Dead = m.history.change(release)
	return v, nil
}

// bare is a view without classes.
func (m *Machine) bare(release uint32) (*View, error) {
	if release < 1 || release > m.history.releases() {
		return nil, fmt.Errorf("there is no release %d; the newest is %d", release, m.history.releases())
	}
	v := m.records.view(m.history.intents[release-1], &m.head)
	v.Level, v.Grown, v.FirstNeed = m.policy.Level, m.head.Pools.Grown, m.head.Pools.Need
	return v, nil
}

// All returns a view of every record in state, published or not, without
// classes: for the private export.
func (m *Machine) All() *View { return m.records.view(Intent{Cut: m.records.len()}, &m.head) }

// Regroups returns how often each record had been regrouped up to a release:
// the number of classes that held it, less one. For the auditor's gate.
func (m *Machine) Regroups(release uint32) []uint16 {
	return m.history.regroups(release, m.records.len())
}

// view shows the records below the cut of an intent, without classes.
func (c *columns) view(intent Intent, h *head) *View {
	n := intent.Cut
	v := &View{Intent: intent, Seeded: h.Seeded, Schema: c.schema, SA: c.sa().Prefix(int(n)),
		Dictionaries: c.Frozen()}
	if len(h.References) > 0 {
		v.References = make(map[int]equivclass.Bag, len(h.References))
		for a, counts := range h.References {
			v.References[a] = equivclass.NewBag(counts)
		}
	}
	for j := range c.schema.Quasi() {
		v.QI = append(v.QI, c.qi(j).Prefix(int(n)))
	}
	if c.firsts != nil {
		v.Subject = c.subject[:n:n]
	}
	return v
}
