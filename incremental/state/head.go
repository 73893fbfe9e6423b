package state

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"anond/equivclass"
)

// Head is what a state says about itself, and whether the store has it so.
type Head struct {
	Meta
	Changed bool // since the last commit
}

// Stored returns the head as the store keeps it: references in the numbering of
// leaves that state has.
func (h *Head) Stored(tables map[int]*Leaves) *Meta {
	meta := h.Meta
	meta.References = Renumber(h.References, tables, func(l *Leaves, c equivclass.Code) equivclass.Code { return l.Stored[c] })
	return &meta
}

// FixReferences adds the references that a release fixes to those that are there.
func (h *Head) FixReferences(fixed map[int][]equivclass.Count) {
	if len(fixed) == 0 {
		return
	}
	all := maps.Clone(h.References)
	if all == nil {
		all = map[int][]equivclass.Count{}
	}
	maps.Copy(all, fixed)
	h.References, h.Changed = all, true
}

// ReopenFirst makes the first load one that takes in what comes: where it ends is
// forgotten, so that the next start asks the source again.
func (h *Head) ReopenFirst(records RecordID, read uint64) {
	h.InitialDone, h.InitialEnds, h.LastCut, h.CutRead = false, nil, records, read
	h.Changed = true
}

// CountCut notes that a cut was tried, which ends the first load.
func (h *Head) CountCut(now int64, records RecordID, read uint64) {
	h.Tick++
	h.CutTick, h.LastCut, h.CutRead, h.InitialDone = now, records, read, true
	h.Changed = true
}

// Renumber returns reference distributions in another numbering of leaves.
func Renumber(references map[int][]equivclass.Count, tables map[int]*Leaves,
	number func(*Leaves, equivclass.Code) equivclass.Code) map[int][]equivclass.Count {
	if references == nil {
		return nil
	}
	out := make(map[int][]equivclass.Count, len(references))
	for a, counts := range references {
		out[a] = slices.Clone(counts)
		if l := tables[a]; l != nil && !l.same {
			for i, c := range counts {
				out[a][i].Code = number(l, c.Code)
			}
			slices.SortFunc(out[a], func(x, y equivclass.Count) int { return cmp.Compare(x.Code, y.Code) })
		}
	}
	return out
}

// ClosePool closes the pool that was fixed, with the next commit.
func (h *Head) ClosePool() { h.Pools.Open, h.Changed = nil, true }

// Check judges what a store says of a pool.
func (p *Pool) Check(c *Records) error {
	if p != nil && slices.ContainsFunc(p.Members, func(r RecordID) bool { return r >= c.Len() }) {
		return fmt.Errorf("%w: the pool that is fixed names records that are not there", ErrCorrupt)
	}
	return nil
}

// People are the members of a pool, ascending.
func (p *Pool) People() []RecordID { return slices.Sorted(slices.Values(p.Members)) }
