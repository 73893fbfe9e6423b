package audittest

import (
	"math/rand/v2"
	"slices"
)

// Proposition2 is the worked case of docs/THREAT_MODEL.md, Forbidden: every class is
// signature-balanced, and yet P(s6 = 2) = 0.8.
func Proposition2() Chain {
	return Chain{Records: 8, Values: 3, Releases: []Release{
		{Classes: []Class{{Members: []int{0, 1, 2, 3, 4, 5}, Bag: []int{0, 0, 1, 1, 2, 2}}}},
		{Classes: []Class{
			{Members: []int{0, 1, 5, 6}, Bag: []int{0, 1, 2, 2}},
			{Members: []int{2, 3, 4, 7}, Bag: []int{0, 0, 1, 2}},
		}},
	}}
}

// RandomChain draws a small chain by one of several behaviours, safe and
// unsafe, with its k and l. Values are true: bags are those of the members.
func RandomChain(r *rand.Rand) (Chain, int, int) {
	l := 2 + r.IntN(2)
	k := l
	c := Chain{Values: 3 + r.IntN(2)}
	var value []int
	arrive := func(n int) []int {
		var ids []int
		for range n {
			ids = append(ids, c.Records)
			value = append(value, r.IntN(c.Values))
			c.Records++
		}
		return ids
	}
	behaviour := r.IntN(4)
	var classes [][]int
	for range 2 + r.IntN(2) {
		fresh := arrive(2 + r.IntN(3))
		r.Shuffle(len(fresh), func(i, j int) { fresh[i], fresh[j] = fresh[j], fresh[i] })
		switch {
		case behaviour == 0 || len(classes) == 0: // frozen: a new class per release, eligible or not
			classes = append(classes, fresh)
		case behaviour == 1: // full re-partition
			all := slices.Concat(append(classes, fresh)...)
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			cut := 1 + r.IntN(len(all)-1)
			classes = [][]int{all[:cut], all[cut:]}
		case behaviour == 2: // naive: add to an existing class
			i := r.IntN(len(classes))
			classes = append(slices.Clone(classes[:i]), append([][]int{slices.Concat(classes[i], fresh)}, classes[i+1:]...)...)
		default: // split an old class and add the newcomers as one
			i := r.IntN(len(classes))
			old := slices.Clone(classes[i])
			next := slices.Delete(slices.Clone(classes), i, i+1)
			if len(old) > 1 {
				cut := 1 + r.IntN(len(old)-1)
				next = append(next, old[:cut], old[cut:])
			} else {
				next = append(next, old)
			}
			classes = append(next, fresh)
		}
		var rel Release
		for _, members := range classes {
			x := Class{Members: slices.Clone(members)}
			for _, m := range members {
				x.Bag = append(x.Bag, value[m])
			}
			rel.Classes = append(rel.Classes, x)
		}
		c.Releases = append(c.Releases, rel)
	}
	return c, k, l
}

// PureChain regroups one signature at random and lets flat sets join: what rule
// P allows.
func PureChain(r *rand.Rand) (Chain, int, int) {
	l := 2
	c := Chain{Values: 3}
	members := make([][]int, 2) // per value of the signature {0,1}
	for step := range 3 {
		for range 1 + r.IntN(2) + (1-min(step, 1))*1 {
			for v := range members {
				members[v] = append(members[v], c.Records)
				c.Records++
			}
		}
		n := len(members[0])
		for v := range members {
			r.Shuffle(n, func(i, j int) { members[v][i], members[v][j] = members[v][j], members[v][i] })
		}
		cut := r.IntN(n)
		var rel Release
		for _, span := range [][2]int{{0, cut}, {cut, n}} {
			var x Class
			for v := range members {
				x.Members = append(x.Members, members[v][span[0]:span[1]]...)
				for range span[1] - span[0] {
					x.Bag = append(x.Bag, v)
				}
			}
			if len(x.Members) > 0 {
				rel.Classes = append(rel.Classes, x)
			}
		}
		c.Releases = append(c.Releases, rel)
	}
	return c, 2, l
}
