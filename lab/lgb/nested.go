package lgb

import (
	"cmp"
	"slices"

	"anond/equivclass/flagged"
)

// nested cuts the groups in which an attribute is bucketed into local buckets
// that nest: each lies inside one group, or is a union of whole groups.
//
// Guarantee: no value has more than 1/l of a bucket (FrequencyL). In a union a
// value may occur more than once; it then has more than l values.
//
// Reason: buckets of Algorithm 2 cross groups. Take an adversary who knows a
// record's group but not its row, and for whom every assignment of values that
// fits the release is equally likely (level L0 of docs/THREAT_MODEL.md). For
// them some values are more likely than 1/l, because some assignments fit more
// arrangements of the rows than others (TestLGBNestedWorlds finds such tables).
// Where buckets nest, both counts agree:
//
// Claim. The release says exactly this of the values of its records: the bag of
// each union, and of each group that is cut inside, the sum of the bags of its
// buckets. So the posterior of a value is its share of that bag, at most 1/l.
//
// Proof, for one attribute and for all of them together. If two members of a
// group exchange their values of all attributes under l, an assignment that
// fits still fits: they exchange rows (Fold is over a principle only, so both
// have the same of these attributes flagged). So the members of a group have
// equal posteriors in each attribute. In a group that is cut inside, the bag of
// the group is the same in every assignment, so the equal posteriors are its
// shares; and because no value has more than 1/l of any of its buckets, none
// has more than 1/l of the bag. In a union all rows name one bucket, whatever
// they name in other attributes. So every order of its bag fits together with
// everything else, and the posterior is the share of the bag.
//
// Method: groupUnion forms unions. It cuts by quasi-identifiers as long as both
// sides keep l, so that the values of a bucket come from one region. Each union
// is then divided once more, because a bucket is large enough as soon as it
// keeps l (pieces). A piece of a single group is cut further by Algorithm 2
// (localBuckets), so that its buckets are narrow. There is a result under the
// same condition as for localBuckets.
//
// Cost: n log n.
func (m LGB) nested(t *flagged.Table, u *groupUnion, l int) [][]int32 {
	var out [][]int32
	draws, order := m.draws(u.j), flagged.CanonicalOrder(t.Dicts[u.j])
	for _, union := range u.unions() {
		for _, groups := range u.pieces(union, l) {
			rows := u.rows(groups)
			if len(groups) > 1 {
				out = append(out, rows)
				continue
			}
			out = append(out, localBuckets(t.Codes[u.j], order, rows, l, draws)...)
		}
	}
	return out
}

// pieces divides groups that together keep l along their widest dimensions: a
// piece ends as soon as it keeps l, and what is left at the end joins the
// pieces before it until it does. Two pieces that keep l keep it together.
func (u *groupUnion) pieces(groups []int, l int) (out [][]int) {
	dims := u.widest(groups)
	slices.SortFunc(groups, func(a, b int) int {
		for _, d := range dims {
			if o := cmp.Compare(u.at[a][d], u.at[b][d]); o != 0 {
				return o
			}
		}
		return cmp.Compare(a, b)
	})
	var open []int
	count := make([]int, u.t.Dicts[u.j].Len())
	most, total := 0, 0
	add := func(groups []int) (full bool) {
		for _, r := range u.rows(groups) {
			c := u.t.Codes[u.j][r]
			count[c]++
			most, total = max(most, count[c]), total+1
		}
		open = append(open, groups...)
		return most*l <= total
	}
	for i := range groups {
		if !add(groups[i : i+1]) {
			continue
		}
		for _, r := range u.rows(open) {
			count[u.t.Codes[u.j][r]] = 0
		}
		out, open, most, total = append(out, open), nil, 0, 0
	}
	for full := false; len(open) > 0 && len(out) > 0 && !full; {
		last := len(out) - 1
		full = add(out[last])
		out = out[:last]
	}
	if len(open) > 0 {
		out = append(out, open)
	}
	return out
}
