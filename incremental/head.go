package incremental

import (
	"cmp"
	"maps"
	"slices"

	"anond/equivclass"
)

// head is what a state says about itself, and whether the store has it so.
type head struct {
	Meta
	changed bool // since the last commit
}

// stored returns the head as the store keeps it: references in the numbering of
// leaves that state has.
func (h *head) stored(tables map[int]*leaves) *Meta {
	meta := h.Meta
	meta.References = renumber(h.References, tables, func(l *leaves, c equivclass.Code) equivclass.Code { return l.stored[c] })
	return &meta
}

// fixReferences adds the references that a release fixes to those that are there.
func (h *head) fixReferences(fixed map[int][]equivclass.Count) {
	if len(fixed) == 0 {
		return
	}
	all := maps.Clone(h.References)
	if all == nil {
		all = map[int][]equivclass.Count{}
	}
	maps.Copy(all, fixed)
	h.References, h.changed = all, true
}

// reopenFirst makes the first load one that takes in what comes: where it ends is
// forgotten, so that the next start asks the source again.
func (h *head) reopenFirst(records RecordID, read uint64) {
	h.InitialDone, h.InitialEnds, h.LastCut, h.CutRead = false, nil, records, read
	h.changed = true
}

// countCut notes that a cut was tried, which ends the first load.
func (h *head) countCut(now int64, records RecordID, read uint64) {
	h.Tick++
	h.CutTick, h.LastCut, h.CutRead, h.InitialDone = now, records, read, true
	h.changed = true
}

// renumber returns reference distributions in another numbering of leaves.
func renumber(references map[int][]equivclass.Count, tables map[int]*leaves,
	number func(*leaves, equivclass.Code) equivclass.Code) map[int][]equivclass.Count {
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
