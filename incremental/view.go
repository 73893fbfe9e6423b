package incremental

import (
	"crypto/sha256"
	"encoding/binary"
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
	Scale        []equivclass.Range  // by quasi-identifier: what numbers are measured by
	// References are the distributions of t-closeness, by attribute of the schema:
	// the same in every release.
	References map[int]equivclass.Bag
	Classes    []ClassView // alive in this release, in order of ID
	// Dead are the classes that had died by this release, in order of ID.
	Dead []ClassView
	// Since: Classes and Dead hold only what was born or died after this
	// release (Releases.Change); 0: everything.
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

// Releases are what was decided, and what each release shows.
type Releases struct{ *state }

// Releases returns what was decided.
func (m *Machine) Releases() Releases { return Releases{&m.state} }

// Latest returns the newest intent, nil before the first release.
func (r Releases) Latest() *Intent { return r.history.latest() }

// Intents returns all intents, oldest first. The slice must not be changed.
func (r Releases) Intents() []Intent { return r.history.intents }

// View returns what a release shows. It can be asked for any release at any
// time: a retry after a crash sees exactly what the first attempt saw.
func (r Releases) View(release uint32) (*View, error) {
	v, err := r.bare(release)
	if err != nil {
		return nil, err
	}
	v.Classes, v.Dead = r.history.at(release)
	return v, nil
}

// Change is View with the classes alone that are born or die in the release, so
// that it costs what is new.
func (r Releases) Change(release uint32) (*View, error) {
	v, err := r.bare(release)
	if err != nil {
		return nil, err
	}
	v.Since = release - 1
	v.Classes, v.Dead = r.history.change(release)
	return v, nil
}

// bare is a view without classes.
func (r Releases) bare(release uint32) (*View, error) {
	if release < 1 || release > r.history.releases() {
		return nil, fmt.Errorf("there is no release %d; the newest is %d", release, r.history.releases())
	}
	v := r.records.view(r.history.intents[release-1], &r.head)
	v.Level, v.Grown, v.FirstNeed = r.policy.Level, r.head.Pools.Grown, r.head.Pools.Need
	return v, nil
}

// All returns a view of every record in state, published or not, without
// classes: for the private export.
func (r Releases) All() *View { return r.records.view(Intent{Cut: r.records.len()}, &r.head) }

// Regroups returns how often each record had been regrouped up to a release:
// the number of classes that held it, less one. For the auditor's gate.
func (r Releases) Regroups(release uint32) []uint16 {
	return r.history.regroups(release, r.records.len())
}

// view shows the records below the cut of an intent, without classes.
func (c *columns) view(intent Intent, h *head) *View {
	n := intent.Cut
	v := &View{Intent: intent, Seeded: h.Seeded, Schema: c.schema, Scale: h.Scale, SA: c.sa().Prefix(int(n)),
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

// Decided is a digest of what a release changes: which records form a class, which classes share a bucket,
// and which classes end. Two machines that decide the same have the same digest. It depends on
// numbers of records and on no value but by the decision itself, which is to be published.
func (r Releases) Decided(release uint32) (sum [32]byte) {
	born, died := r.history.change(release)
	h := sha256.New()
	number := func(n uint64) { h.Write(binary.BigEndian.AppendUint64(nil, n)) }
	for _, classes := range [][]ClassView{born, died} {
		number(uint64(len(classes)))
		for _, c := range classes {
			number(uint64(c.Regime))
			number(uint64(c.Bucket))
			number(uint64(len(c.Members)))
			for _, r := range c.Members {
				number(uint64(r))
			}
		}
	}
	h.Sum(sum[:0])
	return sum
}
