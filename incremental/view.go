package incremental

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

	"anond/equivclass"
	"anond/incremental/settle"
	"anond/incremental/state"
)

// View is what one release shows: the classes that its intent names and the
// records in them. It is a read-only snapshot that stays valid, and may be read
// by another goroutine, while the machine goes on.
type View struct {
	Intent state.Intent
	// Intents are those up to this one.
	Intents []state.Intent
	Level   state.Level
	// Former are the eras before the newest one of which releases show something, oldest first, whatever release this is.
	Former []Former
	// FirstNeed is how many people the pool of release 1 had to have, at level L2, when it was fixed.
	FirstNeed int
	Grown     bool // the first pool grew after it was refused, so that level L2 is not promised
	Seeded    bool
	Schema    *equivclass.Schema
	// Dictionaries by schema attribute, frozen; nil where nothing is stored.
	Dictionaries []*equivclass.Dictionary
	QI           []equivclass.Column // by quasi-identifier, then record
	SA           []equivclass.Column // by sensitive attribute, then record
	Kept         []equivclass.Column // by attribute that is kept, then record: no release shows them
	// Begins are the first records that have an attribute, of those that later settings have added.
	Begins map[int]state.RecordID
	// Arrivals are the first records of those who came under the same settings (state.Head, Arrivals).
	Arrivals []state.RecordID
	Subject  []uint64           // by record; nil without subject
	Stratum  []settle.Stratum   // by record; nil where nobody settles, or did
	Turns    []state.RecordID   // state.Records has them
	Scale    []equivclass.Range // by quasi-identifier: what numbers are measured by
	// References are the distributions of t-closeness, by attribute of the schema:
	// the same in every release.
	References map[int]equivclass.Bag
	Classes    []state.ClassView // alive in this release, in order of ID
	// Stale is how many people of a bucket were stale when the release was decided.
	Stale map[state.BucketID]int
	// Dead are the classes that had died by this release, in order of ID.
	Dead []state.ClassView
	// Since: Classes and Dead hold only what was born or died after this
	// release (Releases.Change); 0: everything.
	Since uint32
}

// Former is such an era: what was born in it, up to Until, is shown in its columns, as its settings read them.
type Former struct {
	Until        uint32
	Schema       *equivclass.Schema
	Dictionaries []*equivclass.Dictionary
	QI, SA       []equivclass.Column
	Scale        []equivclass.Range
	References   map[int]equivclass.Bag
}

// Former is what the state keeps of the settings of those eras (Options.Rebuild), oldest first.
func (m *Machine) Former() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for _, f := range m.s.Former() {
			if !yield(m.s.Head.Eras[f.Last].Config) {
				return
			}
		}
	}
}

// former are those eras. Cost: a column with a hierarchy whose leaves stand in another order is written anew.
func (r releasesView) former() (out []Former, err error) {
	for _, f := range r.s.Former() {
		c, e := &r.s.Records, &r.s.Head.Eras[f.Last]
		o, err := r.m.under(f.Last)
		if err != nil {
			return nil, err
		}
		records := int(r.s.Head.Eras[f.Last+1].Records)
		x := Former{Until: f.Until, Schema: o.Schema, Scale: e.Scale, References: bags(r.s.Head.References),
			Dictionaries: make([]*equivclass.Dictionary, len(o.Schema.Attributes()))}
		column := func(attribute, most int) equivclass.Column {
			dict, codes := c.Dicts[attribute].Under(o.Schema.Attributes()[attribute], most)
			x.Dictionaries[attribute] = dict
			of := c.Columns[attribute].Prefix(records)
			if codes == nil {
				return of
			}
			var anew equivclass.Column
			for _, code := range of.Codes() {
				anew.Append(codes[code])
			}
			return anew
		}
		for _, attribute := range o.Schema.Quasi() {
			x.QI = append(x.QI, column(attribute, 0))
		}
		most := 0
		if o.Policy.Settle.Histories() {
			most = o.Policy.Settle.Max
		}
		for _, attribute := range o.Schema.Sensitive() {
			x.SA = append(x.SA, column(attribute, most))
		}
		out = append(out, x)
	}
	return out, nil
}

func bags(references map[int][]equivclass.Count) map[int]equivclass.Bag {
	if len(references) == 0 {
		return nil
	}
	out := make(map[int]equivclass.Bag, len(references))
	for a, counts := range references {
		out[a] = equivclass.NewBag(counts)
	}
	return out
}

// Len is the number of records.
func (v *View) Len() int { return int(v.Intent.Cut) }

// Lacks reports whether a record arrived before records had an attribute: its code stands for nothing.
func (v *View) Lacks(attribute, r int) bool { return r < int(v.Begins[attribute]) }

// StratumOf is the stratum of the person of a record, empty if the person did not settle.
func (v *View) StratumOf(r state.RecordID) string {
	if !state.Settled(v.Turns, r) {
		return ""
	}
	return v.Stratum[r].String()
}

// Column returns the codes of an attribute that is stored, by record.
func (v *View) Column(attribute int) *equivclass.Column {
	if i := slices.Index(v.Schema.Sensitive(), attribute); i >= 0 {
		return &v.SA[i]
	}
	if i := slices.Index(v.Schema.Kept(), attribute); i >= 0 {
		return &v.Kept[i]
	}
	return &v.QI[slices.Index(v.Schema.Quasi(), attribute)]
}

// releasesView are what was decided, and what each release shows.
type releasesView struct {
	s *state.State
	m *Machine
}

// releasesView returns what was decided.
func (m *Machine) Releases() releasesView { return releasesView{&m.s, m} }

// Latest returns the newest intent, nil before the first release.
func (r releasesView) Latest() *state.Intent { return r.s.History.Latest() }

// Intents returns all intents, oldest first. The slice must not be changed.
func (r releasesView) Intents() []state.Intent { return r.s.History.Intents }

// View returns what a release shows. It can be asked for any release at any
// time: a retry after a crash sees exactly what the first attempt saw.
func (r releasesView) View(release uint32) (*View, error) {
	v, err := r.bare(release)
	if err != nil {
		return nil, err
	}
	v.Classes, v.Dead = r.s.History.At(release, v.Intent.Expired)
	return v, nil
}

// Whole is View with what has left, too: who is in which class of any release up to this one (anond state members).
func (r releasesView) Whole(release uint32) (*View, error) {
	v, err := r.bare(release)
	if err != nil {
		return nil, err
	}
	v.Classes, v.Dead = r.s.History.At(release, 0)
	return v, nil
}

// Change is View with the classes alone that are born or die in the release, so
// that it costs what is new.
func (r releasesView) Change(release uint32) (*View, error) {
	v, err := r.bare(release)
	if err != nil {
		return nil, err
	}
	v.Since = release - 1
	v.Classes, v.Dead = r.s.History.Change(release)
	return v, nil
}

// bare is a view without classes.
func (r releasesView) bare(release uint32) (*View, error) {
	if release < 1 || release > r.s.History.Releases() {
		return nil, fmt.Errorf("there is no release %d; the newest is %d", release, r.s.History.Releases())
	}
	v := newView(&r.s.Records, r.s.History.Intents[release-1], &r.s.Head)
	var err error
	if v.Former, err = r.former(); err != nil {
		return nil, err
	}
	v.Stale = r.s.StaleBuckets(&v.Intent)
	v.Intents = r.s.History.Intents[:release:release]
	v.Level, v.Grown, v.FirstNeed = r.s.Policy.Level, r.s.Head.Pools.Grown, r.s.Head.Pools.Need
	return v, nil
}

// All returns a view of every record in state, published or not, without
// classes: for the private export.
func (r releasesView) All() *View {
	return newView(&r.s.Records, state.Intent{Cut: r.s.Records.Len()}, &r.s.Head)
}

// Regroups returns how often each record had been regrouped up to a release:
// the number of classes that held it, less one. For the auditor's gate.
func (r releasesView) Regroups(release uint32) []uint16 {
	return r.s.History.Regroups(release, r.s.Records.Len())
}

// newView shows the records below the cut of an intent, without classes.
func newView(c *state.Records, intent state.Intent, h *state.Head) *View {
	n := intent.Cut
	v := &View{Intent: intent, Seeded: h.Seeded, Schema: c.Schema, Scale: h.Scale, Dictionaries: c.Frozen(), References: bags(h.References),
		Begins: c.Begins, Turns: c.Turns, Arrivals: h.Arrivals()}
	for j := range c.Schema.Quasi() {
		v.QI = append(v.QI, c.Qi(j).Prefix(int(n)))
	}
	for _, attribute := range c.Schema.Kept() {
		v.Kept = append(v.Kept, c.Columns[attribute].Prefix(int(n)))
	}
	for _, attribute := range c.Schema.Sensitive() {
		v.SA = append(v.SA, c.Columns[attribute].Prefix(int(n)))
	}
	if c.Firsts != nil {
		v.Subject = c.Subject[:n:n]
	}
	if c.Stratum != nil {
		v.Stratum = c.Stratum[:n:n]
	}
	return v
}

// Decided is a digest of what a release changes: which records form a class, which classes share a bucket,
// and which classes end. Two machines that decide the same have the same digest. It depends on
// numbers of records and on no value but by the decision itself, which is to be published.
func (r releasesView) Decided(release uint32) (sum [32]byte) {
	born, died := r.s.History.Change(release)
	h := sha256.New()
	number := func(n uint64) { h.Write(binary.BigEndian.AppendUint64(nil, n)) }
	for _, classes := range [][]state.ClassView{born, died} {
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
