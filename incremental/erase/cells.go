package erase

import (
	"maps"
	"slices"

	"anond/equivclass"
	"anond/incremental/state"
)

// cellKeeper finds the codes that stand in the place of a forgotten person's quasi-identifiers
// in a class: those with which the class, and every class that it was in before, show
// the cells that were published (rule A, frozen classes). It takes the code of somebody
// else of the class where that is enough. Where the cell ends at the person's value, and nobody
// else has it, the value stays, as every release shows it as the end of the cell. In a
// hierarchy it is any leaf below the published label.
//
// Recodings that show quasi-identifiers exactly are not for this: their rows would change.
type cellKeeper struct {
	*erasing
	held map[state.RecordID][]*state.Class // the classes that ever held the record of a vacancy
}

func newCellKeeper(p *erasing) *cellKeeper {
	k := &cellKeeper{erasing: p, held: map[state.RecordID][]*state.Class{}}
	for _, c := range p.from.History.Classes {
		for _, r := range c.Members {
			if p.slots[r] != nil {
				k.held[r] = append(k.held[r], c)
			}
		}
	}
	return k
}

// keep replaces the codes of all slots in classes, also of those who were forgotten before:
// they may have a code that only a person has who is forgotten now.
func (k *cellKeeper) keep() {
	for _, r := range slices.Sorted(maps.Keys(k.slots)) {
		if k.slots[r].class == state.None {
			continue
		}
		stored := k.records.Schema.Blind()
		for _, attribute := range stored[:k.records.Has(stored, r)] {
			k.replace(r, attribute, k.records.StoreOf(attribute))
		}
	}
}

// replace replaces the code of a quasi-identifier, which stands in a place of the codes. What no class showed in the era of its birth goes
// as the values of those go who are in no class.
func (k *cellKeeper) replace(r state.RecordID, j, at int) {
	s, dict := k.slots[r], k.records.Dicts[j]
	own := s.codes[at]
	held := slices.DeleteFunc(slices.Clone(k.held[r]), func(c *state.Class) bool { return !slices.Contains(k.of.Quasi(c.Born), j) })
	if len(held) == 0 {
		s.codes[at] = vanished
		return
	}
	want := make([]shape, len(held))
	for i, c := range held {
		want[i] = k.shape(dict, j, c)
	}
	fits := func(code equivclass.Code) bool {
		s.codes[at] = code
		for i, c := range held {
			if !want[i].equal(k.shape(dict, j, c)) {
				return false
			}
		}
		return true
	}
	others := k.others(j, s.class)
	if slices.ContainsFunc(others, fits) {
		return
	}
	if dict.Kind() == equivclass.Tree {
		tree := dict.Attribute().Hierarchy
		lo, hi := tree.Span(want[len(want)-1].node)
		for leaf := lo; leaf <= hi; leaf++ {
			if fits(leaf) {
				return
			}
		}
	}
	s.codes[at] = own
	if s.fresh {
		k.Bounds++
	}
}

// others are the codes of the people of a class who are not forgotten, ascending.
func (k *cellKeeper) others(j int, class state.ClassID) (out []equivclass.Code) {
	for _, r := range k.from.History.Classes[class].Members {
		if k.slots[r] == nil {
			out = append(out, k.records.Columns[j].At(int(r)))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// code is the one that a record has of quasi-identifier j.
func (k *cellKeeper) code(r state.RecordID, j int) equivclass.Code {
	if s := k.slots[r]; s != nil {
		return s.codes[k.records.StoreOf(j)]
	}
	return k.records.Columns[j].At(int(r))
}

// shape is what decides the cell of a class, whatever the recoding makes of it.
type shape struct {
	lo, hi int64
	lacks  bool // some have no number
	node   int
	set    []equivclass.Code
}

func (a shape) equal(b shape) bool {
	return a.lo == b.lo && a.hi == b.hi && a.lacks == b.lacks && a.node == b.node && slices.Equal(a.set, b.set)
}

func (k *cellKeeper) shape(dict *equivclass.Dictionary, j int, c *state.Class) (out shape) {
	codes := make([]equivclass.Code, len(c.Members))
	for i, r := range c.Members {
		codes[i] = k.code(r, j)
	}
	switch dict.Kind() {
	case equivclass.Number:
		out.lo, out.hi = equivclass.MissingNumber, -equivclass.MissingNumber
		for _, code := range codes {
			if v := dict.Units(code); v == equivclass.MissingNumber {
				out.lacks = true
			} else {
				out.lo, out.hi = min(out.lo, v), max(out.hi, v)
			}
		}
	case equivclass.Tree:
		out.node = dict.Attribute().Hierarchy.LCA(slices.Min(codes), slices.Max(codes))
	default:
		slices.Sort(codes)
		out.set = slices.Compact(codes)
	}
	return out
}
