package lgb

import (
	"cmp"
	"math/bits"
	"slices"

	"anond/equivclass"
	"anond/equivclass/flagged"
)

// qiSubset is a subset of the QI partition (definition 7): the records that
// have QI values on the same attributes.
type qiSubset struct {
	flags uint64
	rows  []int32 // ascending
}

// subsets returns the QI partition of the records that are not held into subsets
// of at least K records, ordered by their flags, and the records that are in none.
func (m LGB) subsets(t *flagged.Table, held []bool) (subsets []qiSubset, rest []int32) {
	subsets, rest = qiPartition(t.Flags, held)
	if m.Fold {
		subsets = foldSmall(subsets, max(m.K, 1), m.foldable())
	}
	kept := subsets[:0]
	for _, s := range subsets {
		if len(s.rows) < m.K {
			rest = append(rest, s.rows...)
			continue
		}
		kept = append(kept, s)
	}
	slices.Sort(rest)
	return kept, rest
}

// foldable marks the attributes over which records may be folded.
func (m LGB) foldable() (mask uint64) {
	for j, p := range m.Promises {
		if p.L == 0 && p.Principle != nil {
			mask |= 1 << j
		}
	}
	return mask
}

// qiPartition costs n, and n log n if nearly all records differ in their flags.
func qiPartition(flags []uint64, held []bool) (subsets []qiSubset, rest []int32) {
	at := map[uint64]int{}
	for r, f := range flags {
		if held[r] {
			rest = append(rest, int32(r))
			continue
		}
		i, ok := at[f]
		if !ok {
			i = len(subsets)
			at[f] = i
			subsets = append(subsets, qiSubset{flags: f})
		}
		subsets[i].rows = append(subsets[i].rows, int32(r))
	}
	slices.SortFunc(subsets, func(a, b qiSubset) int { return cmp.Compare(a.flags, b.flags) })
	return subsets, rest
}

// foldSmall lets subsets of fewer than k records join another subset: one that
// protects all that they protect and the fewest attributes more, all of them
// foldable; among equals the one with the lowest flags. The least protecting
// subsets go first, so that small ones may come together. A record then has
// more of its values bucketed than its person asked for, never fewer. A subset
// for which there is none stays small. Attributes that no record flags stay
// unflagged, because only flags that occur are taken over.
//
// Cost: the square of the number of different flag words.
func foldSmall(subsets []qiSubset, k int, foldable uint64) []qiSubset {
	slices.SortStableFunc(subsets, func(a, b qiSubset) int {
		return cmp.Compare(bits.OnesCount64(a.flags), bits.OnesCount64(b.flags))
	})
	for i := range subsets {
		if n := len(subsets[i].rows); n == 0 || n >= k {
			continue
		}
		for q := i + 1; q < len(subsets); q++ { // ascending number of flags, then flags
			more := subsets[q].flags &^ subsets[i].flags
			if subsets[q].flags&subsets[i].flags == subsets[i].flags && more&^foldable == 0 && len(subsets[q].rows) > 0 {
				subsets[q].rows = append(subsets[q].rows, subsets[i].rows...)
				subsets[i].rows = nil
				break
			}
		}
	}
	subsets = slices.DeleteFunc(subsets, func(s qiSubset) bool { return len(s.rows) == 0 })
	for _, s := range subsets {
		slices.Sort(s.rows)
	}
	slices.SortFunc(subsets, func(a, b qiSubset) int { return cmp.Compare(a.flags, b.flags) })
	return subsets
}

// flaggedRows returns the records of the subsets that are bucketed on attribute j,
// ascending.
func flaggedRows(subsets []qiSubset, j int) []int32 {
	var rows []int32
	for _, s := range subsets {
		if s.flags>>j&1 == 1 {
			rows = append(rows, s.rows...)
		}
	}
	slices.Sort(rows)
	return rows
}

// generalize appends the local equivalence groups of a subset. A subset without
// any QI value is one group, because there is nothing to match a record by.
func (m LGB) generalize(t *flagged.Table, space *equivclass.Space, s qiSubset, out *Result) {
	quasi := t.QuasiOf(s.flags)
	if len(quasi) == 0 {
		out.Groups, out.Flags = append(out.Groups, s.rows), append(out.Flags, s.flags)
		return
	}
	groups, _ := m.Local.Partition(t.PoolOf(space, s.rows, quasi, -1), equivclass.Requirement{K: m.K, L: 1})
	for _, g := range groups {
		for i, r := range g {
			g[i] = s.rows[r]
		}
		out.Groups, out.Flags = append(out.Groups, g), append(out.Flags, s.flags)
	}
}
