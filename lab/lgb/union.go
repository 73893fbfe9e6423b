package lgb

import (
	"cmp"
	"slices"

	"anond/equivclass"
	"anond/equivclass/cut"
	"anond/equivclass/flagged"
)

// groupUnion cuts the groups in which an attribute is bucketed into local
// buckets of a principle. The buckets are unions of whole groups, so that the
// number of a bucket reveals nothing about a row beyond its group (promise K1:
// 1/|group| stays).
//
// Guarantee: each bucket has at least two truly flagged values, these satisfy
// the principle, and so do all its values together. The first protects people,
// because an adversary who knows the unflagged values removes them. The second
// is what a reader of the files alone can check.
//
// Method: cut by the attributes that are QI in all the groups, as strict
// Mondrian does, so that the values of a bucket come from one region. Flags and
// those QI values are public and buckets are frozen, so the posterior is the
// share among the flagged values.
//
// Difference from the paper: it does not say how such buckets are made. Its
// Algorithm 2 cuts between values, so with two values (of sex, for instance)
// each side would have only one of them, and a single bucket would be left.
//
// Cost: n log n for each such attribute.
type groupUnion struct {
	t      *flagged.Table
	j      int
	want   equivclass.Principle
	least  int // flagged values that a bucket has at least
	groups [][]int32
	at     [][]float32 // centre, by group, then dimension
	out    [][]int     // buckets as lists of groups
}

func newGroupUnion(t *flagged.Table, space *equivclass.Space, result *Result, j int, want equivclass.Principle,
	least int) *groupUnion {
	u := &groupUnion{t: t, j: j, want: want, least: least}
	var all uint64
	for g, rows := range result.Groups {
		if result.Flags[g]>>j&1 == 1 {
			u.groups = append(u.groups, rows)
			all |= result.Flags[g]
		}
	}
	quasi := t.QuasiOf(all)
	for _, rows := range u.groups {
		p := t.PoolOf(space, rows, quasi, -1)
		box := equivclass.NewBox(len(quasi))
		p.Box(cut.Identity(p.Len()), box)
		centre := make([]float32, len(quasi))
		for d := range centre {
			centre[d] = (box.Lo[d] + box.Hi[d]) / 2
		}
		u.at = append(u.at, centre)
	}
	return u
}

// buckets returns the buckets, nil if not even all groups together are one.
func (u *groupUnion) buckets() [][]int32 {
	var out [][]int32
	for _, groups := range u.unions() {
		out = append(out, u.rows(groups))
	}
	return out
}

// unions returns the buckets as lists of groups.
func (u *groupUnion) unions() [][]int {
	all := make([]int, len(u.groups))
	for g := range all {
		all[g] = g
	}
	if !u.holds(all) {
		return nil
	}
	u.cut(all)
	return u.out
}

// cut divides groups at the median row of the widest dimension that allows it.
func (u *groupUnion) cut(groups []int) {
	for _, d := range u.widest(groups) {
		left := u.median(groups, d)
		if left < len(groups) && u.holds(groups[:left]) && u.holds(groups[left:]) {
			right := slices.Clone(groups[left:])
			u.cut(groups[:left])
			u.cut(right)
			return
		}
	}
	u.out = append(u.out, groups)
}

// widest orders the dimensions in which the centres differ, widest first.
func (u *groupUnion) widest(groups []int) []int {
	var dims []int
	width := make([]float32, len(u.at[groups[0]]))
	for d := range width {
		lo, hi := u.at[groups[0]][d], u.at[groups[0]][d]
		for _, g := range groups {
			lo, hi = min(lo, u.at[g][d]), max(hi, u.at[g][d])
		}
		if width[d] = hi - lo; hi > lo {
			dims = append(dims, d)
		}
	}
	slices.SortStableFunc(dims, func(a, b int) int { return cmp.Compare(width[b], width[a]) })
	return dims
}

// median sorts the groups along a dimension and returns how many of them are up
// to and including the one that holds the median row; equals stay together.
func (u *groupUnion) median(groups []int, d int) int {
	slices.SortFunc(groups, func(a, b int) int { return cmp.Or(cmp.Compare(u.at[a][d], u.at[b][d]), cmp.Compare(a, b)) })
	n := 0
	for _, g := range groups {
		n += len(u.groups[g])
	}
	at, seen := 0, 0
	for seen*2 < n {
		seen += len(u.groups[groups[at]])
		at++
	}
	for at < len(groups) && u.at[groups[at]][d] == u.at[groups[at-1]][d] {
		at++
	}
	return at
}

func (u *groupUnion) holds(groups []int) bool {
	rows := u.rows(groups)
	sensitive := equivclass.BagOf(u.t.Codes[u.j], trulyFlagged(u.t, rows, u.j))
	return sensitive.Total >= u.least && u.want.Holds(sensitive) && u.want.Holds(equivclass.BagOf(u.t.Codes[u.j], rows))
}

func (u *groupUnion) rows(groups []int) []int32 {
	var rows []int32
	for _, g := range groups {
		rows = append(rows, u.groups[g]...)
	}
	slices.Sort(rows)
	return rows
}

// trulyFlagged returns those of the rows whose own flag is set, without those
// that were folded into a group that protects more.
func trulyFlagged(t *flagged.Table, rows []int32, j int) []int32 {
	var out []int32
	for _, r := range rows {
		if t.Flags[r]>>j&1 == 1 {
			out = append(out, r)
		}
	}
	return out
}
