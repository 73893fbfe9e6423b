package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/settle"
	"anond/incremental/state"
)

// Recording is what a state says that was decided, and of which records.
type Recording struct {
	// renderer renders parts again; nil: they are not looked at.
	Renderer  renderer
	change    func(release uint32) (*incremental.View, error)
	published uint32 // the newest release that is
	options   incremental.Options
	meta      state.Meta
	rows      []equivclass.Row // by record; what state does not keep is empty
	records   int              // of a person at most, whose value is a history; 0: it is that of one record
	ticks     []int64          // by record: when it arrived
	strata    []settle.Stratum // by record: of its person
	classes   []*state.Class
	intents   []state.Intent
	// pools are the quarantined ones; attempts the cuts tried.
	pools    [][]state.RecordID
	attempts []state.Attempt
	erased   int                                                    // first record of a person who was forgotten; -1: none
	ages     []era                                                  // since obstacle was asked
	open     func(state.Store, incremental.Options) (engine, error) // a test may plant faults
}

// Read takes a recording from a store and from the machine that was opened on it with
// the options.
func Read(store state.Store, m *incremental.Machine, o incremental.Options) (*Recording, error) {
	r := &Recording{options: o, open: openMachine, change: m.Releases().Change, erased: -1}
	if err := store.Load(r.visitor()); err != nil {
		return nil, err
	}
	all := m.Releases().All()
	r.rows, r.records = rowsOf(all), all.Dictionaries[o.Schema.SensitiveIndex()].Records()
	if len(r.rows) != len(r.ticks) {
		return nil, fmt.Errorf("the state has %d records and the machine %d", len(r.ticks), len(r.rows))
	}
	for i := range r.intents {
		if r.intents[i].Published {
			r.published = r.intents[i].Release
		}
	}
	return r, nil
}

func (r *Recording) visitor() state.Visitor {
	return state.Visitor{
		Meta:       func(m state.Meta) error { r.meta = m; return nil },
		Counters:   func(state.Counters) error { return nil },
		Dictionary: func(int, string) error { return nil },
		Records: func(b *state.RecordBlock) error {
			for i := range b.Len() {
				if b.Subject != nil && b.Subject[i] == 0 && r.erased < 0 {
					r.erased = len(r.ticks)
				}
				of := settle.Plain
				if b.Stratum != nil {
					of = b.Stratum[i]
				}
				r.ticks, r.strata = append(r.ticks, b.Tick), append(r.strata, of)
			}
			return nil
		},
		Class:       func(c *state.Class) error { r.classes = append(r.classes, c); return nil },
		Intent:      func(i *state.Intent) error { r.intents = append(r.intents, *i); return nil },
		Position:    func(state.Partition, state.Position) error { return nil },
		Quarantined: func(pool []state.RecordID) error { r.pools = append(r.pools, pool); return nil },
		Attempt:     func(a *state.Attempt) error { r.attempts = append(r.attempts, *a); return nil },
		Outbox:      func(uint64, int) error { return nil },
	}
}

// rowsOf returns records as a source could have delivered them. Records share the texts
// of equal values.
func rowsOf(v *incremental.View) []equivclass.Row {
	s := v.Schema
	rows := make([]equivclass.Row, v.Len())
	for r := range rows {
		rows[r] = make(equivclass.Row, len(s.Attributes()))
	}
	column := func(attribute int, codes *equivclass.Column) {
		texts := map[equivclass.Code][]byte{}
		for r, c := range codes.Codes() {
			if v.Lacks(attribute, r) {
				continue
			}
			text, known := texts[c]
			if !known {
				text = raw(v.Dictionaries[attribute], c)
				texts[c] = text
			}
			rows[r][attribute] = text
		}
	}
	for _, attribute := range slices.Concat(s.Blind(), s.Sensitive()) {
		column(attribute, v.Column(attribute))
	}
	if i := s.SubjectIndex(); i >= 0 {
		for r := range rows {
			rows[r][i] = []byte(strconv.FormatUint(v.Subject[r], 16))
		}
	}
	if i := s.RecordIndex(); i >= 0 { // state does not keep by what a source knows a record
		for r := range rows {
			rows[r][i] = []byte(strconv.Itoa(r))
		}
	}
	return rows
}

// raw is a text that a source may have had for a value: of a bucket of numbers the
// lowest one.
func raw(d *equivclass.Dictionary, c equivclass.Code) []byte {
	if d.Records() > 0 { // the machine takes a history in as it is
		return []byte(d.Text(c))
	}
	if a := d.Attribute(); a.Bucketed() && int(c) < len(a.Buckets) {
		return a.AppendNumber(nil, a.Buckets[c])
	}
	if text := d.Text(c); text != equivclass.MissingText {
		return []byte(text)
	}
	return nil
}

// obstacle says why a state cannot be replayed; empty: it can.
func (r *Recording) obstacle() string {
	cuts := int64(0)
	for _, a := range r.attempts {
		if a.Outcome != state.Refused && a.Outcome != state.Fixed { // they leave the first load as it is
			cuts += int64(a.Cuts)
		}
	}
	switch {
	case r.meta.Removed > 0:
		return fmt.Sprintf("the people of releases 1 to %d have left the releases, and the state", r.meta.Removed)
	case r.meta.Pools.Grown:
		return "the first pool was refused and grew, so level L2 is not claimed"
	case cuts != r.meta.Tick:
		return fmt.Sprintf("the state holds %d of the %d cuts that were tried", cuts, r.meta.Tick)
	case len(r.meta.References) > 0 && r.others() != "":
		return "the reference of t-closeness was fixed by " + r.others()
	}
	var why string
	r.ages, why = r.eras()
	return why
}

// first is how many cuts there were up to the first pool's decision. What becomes of one that is refused may change before.
func (r *Recording) first() int {
	n := slices.IndexFunc(r.attempts, func(a state.Attempt) bool {
		return a.Outcome == state.Released || a.Outcome == state.Quarantined
	})
	if n < 0 {
		return len(r.attempts)
	}
	return n + 1
}

// policyOf is that of one of these cuts.
func (r *Recording) policyOf(p state.Policy, a *state.Attempt) *state.Policy {
	if a.Need == 0 {
		return &p
	}
	p.InitialMin, p.InitialMax, p.OnRefusal = a.Need, 0, state.StopRefused
	if a.Outcome == state.Quarantined {
		p.OnRefusal = state.QuarantineRefused
	}
	return &p
}

// births returns the classes that a release published first, in order.
func (r *Recording) births(release uint32) []*state.Class {
	first, _ := slices.BinarySearchFunc(r.classes, release, func(c *state.Class, n uint32) int { return cmp.Compare(c.Born, n) })
	last := first
	for last < len(r.classes) && r.classes[last].Born == release {
		last++
	}
	return r.classes[first:last]
}
