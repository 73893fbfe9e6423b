package merge

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"anond/equivclass/equivtest/tier"
)

// TestBrokenTwins: what the enumeration says about schemes that each leave out one
// condition of Theorem E. So it can tell.
func TestBrokenTwins(t *testing.T) {
	tier.Heavy(t, "it counts all worlds of ten broken rules")
	single := setting{n: 6, k: 1, d: 3, l: 2, subPools: 1}
	pairs := setting{n: 8, k: 2, d: 3, l: 2, subPools: 1}
	halves := setting{n: 8, k: 2, d: 3, l: 2, subPools: 2}
	three := setting{n: 6, k: 2, d: 3, l: 2, subPools: 1}
	fours := setting{n: 8, k: 1, d: 3, l: 2, subPools: 2}
	letters := setting{n: 6, k: 2, d: 4, l: 2, subPools: 1}
	strands := setting{n: 6, k: 1, d: 3, l: 2, subPools: 2}
	for _, c := range []struct {
		name string
		setting
		run scheme
	}{
		{"ties by number", pairs, pairs.tiesByNumber},
		{"draws known", three, three.drawsKnown},
		{"values by dictionary code", letters, letters.byCode},
		{"groups in the order of class numbers", pairs, pairs.byNumber},
		{"partner by distance", pairs, pairs.nearest},
		{"merged group refined", halves, halves.refined},
		{"strands aligned by their bags", strands, strands.alignedByBags},
		{"parts of unequal size", single, single.unequal(1, 2, 3)},
		{"sub-pools share draws", fours, fours.sharedDraws},
		{"failed sub-pool merged again", halves, halves.again},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.k == 1 && c.n == 8 {
				tier.NotShort(t, "half a million runs")
			}
			v := enumerate(c.n, c.d, c.run)
			t.Log(v)
			assert.Positive(t, v.worst.Cmp(big.NewRat(1, int64(c.l))), "nobody is above 1/l: the enumeration would not notice")
			assert.Less(t, v.exact[0], v.published)
		})
	}
	t.Run("the plain algorithm of unequal parts, with equal ones", func(t *testing.T) {
		requireExact(t, enumerate(6, 3, single.unequal(2, 2, 2)))
	})
}

func (c setting) tiesByNumber(values []uint32, _ Draws) ([][]int32, string) {
	return c.real(values, AllDraws(Key{}, func(_ Key, m int) []int32 { return rows(0, m) }))
}

// byNumber takes groups in the order of the numbers of their classes instead of the order of
// their bags.
func (c setting) byNumber(values []uint32, _ Draws) ([][]int32, string) {
	if !c.admitted(values) {
		return nil, ""
	}
	return recordsOf(settle(c.classes(values), c.k, c.requirement(), Run{Stop: never}), c.k), ""
}

func (c setting) drawsKnown(values []uint32, draws Draws) ([][]int32, string) {
	var seen []int32
	groups, _ := c.real(values, AllDraws(Key{}, func(k Key, m int) []int32 {
		seen = draws.orders(k, m)
		return seen
	}))
	return groups, fmt.Sprint(seen)
}

// byCode numbers values by first appearance. That is what a dictionary does.
func (c setting) byCode(values []uint32, draws Draws) ([][]int32, string) {
	codes, known := make([]uint32, len(values)), map[uint32]uint32{}
	for i, v := range values {
		if _, seen := known[v]; !seen {
			known[v] = uint32(len(known))
		}
		codes[i] = known[v]
	}
	return c.real(codes, draws)
}

// nearest joins an ineligible class with the next one, as if it was the nearest.
func (c setting) nearest(values []uint32, _ Draws) ([][]int32, string) {
	if !c.admitted(values) {
		return nil, ""
	}
	var groups [][]int32
	for i := range c.classes(values) {
		groups = append(groups, []int32{int32(i)})
	}
	for at := 0; at < len(groups) && len(groups) > 1; {
		if holds(c.requirement(), sum(pick(c.classes(values), groups[at]))) {
			at++
			continue
		}
		next := (at + 1) % len(groups)
		groups[next] = append(groups[next], groups[at]...)
		groups, at = append(groups[:at:at], groups[at+1:]...), 0
	}
	return recordsOf(groups, c.k), ""
}

// strand lists the classes of one of two sub-pools.
func (c setting) strand(s int) (out []int32) {
	for i := s; i < c.n/c.k; i += 2 {
		out = append(out, int32(i))
	}
	return out
}

// joined reports whether the top level joins two sub-pools.
func (c setting) joined(bags []Bag) bool {
	eligible := func(s int) bool { return holds(c.requirement(), sum(pick(bags, c.strand(s)))) }
	return !eligible(0) || !eligible(1)
}

// refined divides two sub-pools that were joined by a Merge of all their classes.
func (c setting) refined(values []uint32, draws Draws) ([][]int32, string) {
	bags := c.classes(values)
	if !c.admitted(values) || !c.joined(bags) {
		return c.real(values, draws)
	}
	draws.key.Purpose = "refined"
	return recordsOf(Merge(bags, c.k, c.requirement(), draws), c.k), ""
}

// alignedByBags puts the classes of the second of two joined sub-pools in the reverse order
// of their bags, those of the first in the order of theirs, so that parts are mixed well.
func (c setting) alignedByBags(values []uint32, draws Draws) ([][]int32, string) {
	bags := c.classes(values)
	if !c.admitted(values) || !c.joined(bags) {
		return c.real(values, draws)
	}
	first, second := c.strand(0), c.strand(1)
	byBag := func(i, j int32) int { return compare(bags[i], bags[j]) }
	slices.SortStableFunc(first, byBag)
	slices.SortStableFunc(second, byBag)
	slices.Reverse(second)
	parts := make([][]int32, len(first))
	for i := range parts {
		parts[i] = []int32{first[i], second[i]}
	}
	return c.mergedParts(bags, parts, draws), ""
}

// mergedParts is a Merge of parts that are lists of classes.
func (c setting) mergedParts(bags []Bag, parts [][]int32, draws Draws) [][]int32 {
	sums := make([]Bag, len(parts))
	for i, p := range parts {
		sums[i] = sum(pick(bags, p))
	}
	groups := Merge(sums, c.k*len(parts[0]), c.requirement(), draws.of(1, 1, 0))
	for i, g := range groups {
		var classes []int32
		for _, p := range g {
			classes = append(classes, parts[p]...)
		}
		groups[i] = classes
	}
	return recordsOf(groups, c.k)
}

// unequal is a plain scheme for parts of any sizes: the first part that is
// ineligible joins the first that makes it eligible, or the last one.
func (c setting) unequal(sizes ...int) scheme {
	return func(values []uint32, draws Draws) ([][]int32, string) {
		var bags []Bag
		var parts [][]int32
		at := 0
		for _, n := range sizes {
			parts = append(parts, rows(at, n))
			bags = append(bags, bagsOf(values[at:at+n], n)...)
			at += n
		}
		if !holds(c.requirement(), sum(bags)) {
			return nil, ""
		}
		order := sorted(bags, draws.order(len(bags)))
		groups := make([][]int32, len(order))
		for i, p := range order {
			groups[i] = []int32{p}
		}
		return inOrder(recordsIn(c.plain(bags, groups), parts)), ""
	}
}

func (c setting) plain(bags []Bag, groups [][]int32) [][]int32 {
	eligible := func(g []int32) bool { return holds(c.requirement(), sum(pick(bags, g))) }
	for at := 0; at < len(groups) && len(groups) > 1; {
		if eligible(groups[at]) {
			at++
			continue
		}
		partner := -1
		for i, g := range groups {
			joint := append(append([]int32(nil), g...), groups[at]...)
			if i != at && (partner < 0 || eligible(joint) && !eligible(append(append([]int32(nil), groups[partner]...), groups[at]...))) {
				partner = i
			}
		}
		groups[partner] = append(groups[partner], groups[at]...)
		groups, at = append(groups[:at:at], groups[at+1:]...), 0
	}
	return groups
}

func recordsIn(groups, parts [][]int32) (out [][]int32) {
	for _, g := range groups {
		var bucket []int32
		for _, p := range g {
			bucket = append(bucket, parts[p]...)
		}
		out = append(out, bucket)
	}
	return out
}

func (c setting) sharedDraws(values []uint32, draws Draws) ([][]int32, string) {
	return c.real(values, AllDraws(Key{}, func(k Key, m int) []int32 {
		k.SubPool = 0
		return draws.orders(k, m)
	}))
}

// again runs Merge over each half, and over both if one is ineligible.
func (c setting) again(values []uint32, draws Draws) (buckets [][]int32, seen string) {
	if !c.admitted(values) {
		return nil, ""
	}
	half := c.n / 2
	if !c.admitted(values[:half]) || !c.admitted(values[half:]) {
		draws.key.Purpose = "again"
		return recordsOf(Merge(c.classes(values), c.k, c.requirement(), draws), c.k), ""
	}
	for s, part := range [][]uint32{values[:half], values[half:]} {
		draws.key.SubPool = uint32(s + 1)
		for _, g := range recordsOf(Merge(c.classes(part), c.k, c.requirement(), draws), c.k) {
			for i := range g {
				g[i] += int32(s * half)
			}
			buckets = append(buckets, g)
		}
	}
	return buckets, ""
}
