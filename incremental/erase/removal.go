package erase

import (
	"slices"

	"anond/equivclass"
	"anond/incremental/state"
)

// Removal is what a state rewrites itself by once parts have left the releases (rule W, what may leave): values, cells, classes and
// buckets of their people go. What stays of a person is a digest (state.People), and of a part the bag at birth and the intent.
//
// With them go records that no release will ever show: of people who have lapsed, later ones of a person, and those of people who
// were forgotten, as far as they had arrived by the newest release that has left, or as their person is gone. The counts stay.
// Records and classes that stay are numbered anew, in their order, and values that nobody has any more leave the dictionaries.
//
// Safe (rules S, subjects, and B, buckets): who goes follows from the watermark, from who was published when, and from arrivals; no
// value is read. Whoever goes is known by a digest, so that nobody comes back (TestWhoHasLeftHasNoSecondStart, with a machine that forgets
// them). What the
// next decisions ask of those who have gone are bags at birth, counts and public times, which stay.
//
// Cost: the state is read once, and what stays is written anew, in one transaction.
type Removal struct {
	records  *state.Records
	meta     *state.Meta
	below    []state.RecordID // by record: how many stay before it; one more for all
	classes  state.ClassID    // those before it go
	stale    []int            // by number of people who were stale: how many of them stay
	known    []state.Known
	beyond   uint64 // records that go and are in no class: of people who are known
	blocked  uint64 // likewise: of people who were forgotten
	renamed  renaming
	deltas   []*state.Delta
	whole    *state.Delta
	stays    func(state.DictionaryEntry) bool
	released map[uint32]*state.Delta
}

// Remove plans what goes. Everything must be committed, and the newest release published.
func Remove(s *state.State) *Removal {
	through := s.History.Expired()
	r := &Removal{records: &s.Records, renamed: renaming{}, meta: s.Head.Stored(s.Records.Leaves)}
	r.choose(s, through)
	r.rename(s)
	at := func(n *state.RecordID) { *n = r.below[*n] }
	r.meta.Removed = through
	at(&r.meta.LastCut)
	for a, versions := range r.meta.Hierarchies {
		r.meta.Hierarchies[a] = slices.Clone(versions)
		for i := range versions {
			at(&r.meta.Hierarchies[a][i].Records)
		}
	}
	r.meta.Eras = slices.Clone(r.meta.Eras)
	for i := range r.meta.Eras {
		at(&r.meta.Eras[i].Records)
	}
	if of := r.meta.Pools.Open; of != nil {
		r.meta.Pools.Open = &state.Pool{SubPools: of.SubPools, Members: r.renumber(of.Members)}
	}
	r.stale = make([]int, len(s.Stale.List)+1)
	for i, x := range s.Stale.List {
		r.stale[i+1] = r.stale[i]
		if r.keeps(x) {
			r.stale[i+1]++
		}
	}
	return r
}

// choose says who goes.
func (r *Removal) choose(s *state.State, through uint32) {
	c, h := &s.Records, &s.History
	for int(r.classes) < len(h.Classes) && h.Classes[r.classes].Born <= through {
		r.classes++
	}
	stays := make([]bool, c.Len())
	for list := range s.Pending.Kept() {
		for _, x := range list {
			stays[x] = true
		}
	}
	arrived := h.Intents[through-1].Cut
	for x := range c.Len() {
		switch class := c.ClassOf[x]; {
		case class != state.None:
			stays[x] = class >= r.classes
		case !stays[x]: // beyond, or vacant
			first := c.First(x)
			stays[x] = x >= arrived && (first == x || stays[first])
			if !stays[x] && c.Erased(x) {
				r.blocked += uint64(c.Length(x))
			} else if !stays[x] {
				r.beyond += uint64(c.Length(x))
			}
		}
		if !stays[x] && !c.Erased(x) && c.First(x) == x {
			r.known = append(r.known, state.Know(s.Secrets.Person(c.Subject[x]), state.Departed))
		}
	}
	r.below = make([]state.RecordID, c.Len()+1)
	for x, is := range stays {
		r.below[x+1] = r.below[x]
		if is {
			r.below[x+1]++
		}
	}
}

// rename finds which values nobody has any more: no record that stays, no bag at birth and no reference.
func (r *Removal) rename(s *state.State) {
	c := r.records
	for _, attribute := range c.Stores {
		if c.Leaves[attribute] != nil || c.Dicts[attribute].Bucketed() {
			continue // the values are not those of persons
		}
		used := make([]bool, c.Dicts[attribute].Len())
		for x := range c.Len() {
			if r.keeps(x) && !c.Lacks(attribute, x) {
				used[c.Columns[attribute].At(int(x))] = true
			}
		}
		for _, n := range s.Head.References[attribute] {
			used[n.Code] = true
		}
		if i := slices.Index(c.Schema.Sensitive(), attribute); i >= 0 {
			for code := range s.History.Shown(i) {
				used[code] = true
			}
		}
		r.renamed.number(attribute, used, r.meta.References)
	}
}

func (r *Removal) keeps(x state.RecordID) bool { return r.below[x+1] > r.below[x] }

// renumber returns those who stay, under their new numbers.
func (r *Removal) renumber(list []state.RecordID) (out []state.RecordID) {
	for _, x := range list {
		if r.keeps(x) {
			out = append(out, r.below[x])
		}
	}
	return out
}

// Departed is how many people leave the state.
func (r *Removal) Departed() int { return len(r.known) }

// Visitor reads a store. What it has read is written by the deltas, into a store that has nothing but positions, dead letters, who
// is known, who is due, and the journal: these stay as they are.
func (r *Removal) Visitor() state.Visitor {
	r.whole = &state.Delta{Meta: r.meta, Known: r.known}
	r.deltas, r.released, r.stays = []*state.Delta{r.whole}, map[uint32]*state.Delta{}, r.renamed.dictionary()
	next := func(d *state.Delta) *state.Delta {
		r.deltas = append(r.deltas, d)
		return d
	}
	return state.Visitor{
		Meta: func(state.Meta) error { return nil },
		Counters: func(c state.Counters) error {
			c.Beyond, c.Blocked = c.Beyond+r.beyond, c.Blocked+r.blocked
			r.whole.Counters = &c
			return nil
		},
		Dictionary: func(attribute int, text string) error {
			if x := (state.DictionaryEntry{Attribute: attribute, Text: text}); r.stays(x) {
				r.whole.Dictionary = append(r.whole.Dictionary, x)
			}
			return nil
		},
		Records: r.block,
		Class: func(c *state.Class) error {
			if c.ID >= r.classes {
				x := *c
				x.ID, x.Members = c.ID-r.classes, r.renumber(c.Members)
				if x.Died > 0 { // with its bucket (package withdraw)
					r.whole.Deaths = append(r.whole.Deaths, state.Death{ID: x.ID, Release: x.Died})
					x.Died = 0
				}
				r.whole.Births = append(r.whole.Births, &x)
			}
			return nil
		},
		Intent: func(i *state.Intent) error {
			x := *i
			x.Cut, x.Stale = r.below[i.Cut], r.stale[i.Stale]
			r.released[i.Release] = next(&state.Delta{Intent: &x})
			return nil
		},
		Born: func(b *state.Born) error {
			return r.withBorn(b, next)
		},
		Stale: func(list []state.RecordID) error {
			r.whole.Stale = append(r.whole.Stale, r.renumber(list)...)
			return nil
		},
		Quarantined: func(list []state.RecordID) error {
			next(&state.Delta{Quarantined: r.renumber(list)})
			return nil
		},
		Attempt: func(a *state.Attempt) error {
			x := *a
			x.Records = r.below[a.Records]
			next(&state.Delta{Attempt: &x})
			return nil
		},
		Position: func(state.Partition, state.Position) error { return nil },
		Outbox:   func(uint64, int) error { return nil },
	}
}

// withBorn writes the bag of a release with its intent.
func (r *Removal) withBorn(b *state.Born, next func(*state.Delta) *state.Delta) error {
	if err := r.renamed.born(b, r.records.Schema); err != nil {
		return err
	}
	if d := r.released[b.Release]; d != nil {
		d.Born = b
	} else {
		next(&state.Delta{Born: b})
	}
	return nil
}

// block takes from a run of records those who stay.
func (r *Removal) block(b *state.RecordBlock) error {
	out := &state.RecordBlock{First: r.below[b.First], Tick: b.Tick, Columns: make([][]equivclass.Code, len(b.Columns))}
	for i := range b.Len() {
		if !r.keeps(b.First + state.RecordID(i)) {
			continue
		}
		for k := range b.Columns {
			out.Columns[k] = append(out.Columns[k], b.Columns[k][i])
		}
		if out.Subject = append(out.Subject, b.Subject[i]); b.Stratum != nil {
			out.Stratum, out.Window = append(out.Stratum, b.Stratum[i]), append(out.Window, b.Window[i])
		}
		out.Origin, out.Offset = append(out.Origin, b.Origin[i]), append(out.Offset, b.Offset[i])
	}
	if out.Len() == 0 {
		return nil
	}
	for k, attribute := range r.records.Stores[:len(b.Columns)] {
		if err := r.renamed.apply(attribute, out.Columns[k]); err != nil {
			return err
		}
	}
	r.whole.Records = append(r.whole.Records, out)
	return nil
}

// Deltas are what is written, in order, once the store was read.
func (r *Removal) Deltas() []*state.Delta { return r.deltas }
