package zhu

import (
	"context"
	"slices"

	"anond/equivclass"
	"anond/lab/bucketize"
	"anond/lab/figures"
)

// slowAssignments asks whether arp's time would fall and rise with d if it
// counted the values of a block anew for each of its groups: what figure 5 of
// the paper needs to hold. It is asked under both orders of the attributes.
func slowAssignments(ctx context.Context, part *equivclass.Table, order []int, seed uint64) (out []figures.Finding, err error) {
	for _, r := range readings()[:2] {
		s := &figures.Series{Name: "arp, counting anew, " + r.words, Timed: true}
		for _, d := range figures.Ints(attributeAxis) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			taken := order[:d]
			if r.added {
				taken = order[len(order)-d:]
			}
			p := pool(part, taken)
			s.Append(float64(d), figures.Seconds(func() {
				blocks, _ := bucketize.AIP{Seed: seed, Ascending: r.ascending}.Partition(p, frequency(fixedL))
				for _, b := range blocks {
					assignSlowly(p, b, fixedL)
				}
			}))
		}
		out = append(out, s.Valley(clearGap))
	}
	return out, nil
}

// assignSlowly is lines 4 to 9 of Algorithm 2, with the values of the block
// counted for each group. It returns the number of groups.
func assignSlowly(p *equivclass.Pool, rows []int32, l int) (groups int) {
	left, counts := slices.Clone(rows), make([]int, slices.Max(p.SA)+1)
	var values []equivclass.Code
	for {
		clear(counts)
		for _, r := range left {
			counts[p.SA[r]]++
		}
		values = values[:0]
		for v, n := range counts {
			if n > 0 {
				values = append(values, equivclass.Code(v))
			}
		}
		if len(values) < l {
			return groups
		}
		slices.SortStableFunc(values, func(a, b equivclass.Code) int { return counts[b] - counts[a] })
		for _, v := range values[:l] {
			at := slices.IndexFunc(left, func(r int32) bool { return p.SA[r] == v })
			left[at] = left[len(left)-1]
			left = left[:len(left)-1]
		}
		groups++
	}
}
