package merge

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"

	"anond/equivclass/equivtest/tier"
)

// setting is a pool of classes of k records, in sub-pools (1: none).
type setting struct {
	n, k, d, l, subPools int
	extra                []principle
}

func (c setting) String() string {
	return fmt.Sprintf("n=%d k=%d d=%d l=%d sub-pools=%d extra=%d", c.n, c.k, c.d, c.l, c.subPools, len(c.extra))
}

func (c setting) requirement() Requirement { return Requirement{Caps: Frequency(c.l), Extra: c.extra} }

// classes are records 0..k-1, k..2k-1, and so on.
func (c setting) classes(values []uint32) []Bag { return bagsOf(values, c.k) }

func bagsOf(values []uint32, k int) (out []Bag) {
	order := NewOrder([]string{"a", "b", "c", "d"})
	for at := 0; at < len(values); at += k {
		out = append(out, BagOf(order, values, rows(at, k)))
	}
	return out
}

func rows(at, k int) (out []int32) {
	for i := range k {
		out = append(out, int32(at+i))
	}
	return out
}

// recordsOf turns groups of classes of k records into groups of records.
func recordsOf(groups [][]int32, k int) (out [][]int32) {
	for _, g := range groups {
		var bucket []int32
		for _, class := range g {
			bucket = append(bucket, rows(int(class)*k, k)...)
		}
		out = append(out, bucket)
	}
	return out
}

// admitted quarantines a pool that is ineligible as a whole.
func (c setting) admitted(values []uint32) bool {
	return holds(c.requirement(), sum(c.classes(values)))
}

// real is the scheme of this package.
func (c setting) real(values []uint32, draws Draws) ([][]int32, string) {
	if !c.admitted(values) {
		return nil, ""
	}
	groups, _ := Pool(c.classes(values), c.k, c.subPools, c.requirement(), draws, Run{})
	return recordsOf(groups, c.k), ""
}

// settings are ordered by what they cost.
var settings = []setting{
	{n: 6, k: 2, d: 3, l: 2, subPools: 1},
	{n: 6, k: 3, d: 4, l: 3, subPools: 1},
	{n: 6, k: 3, d: 3, l: 2, subPools: 1},
	{n: 8, k: 2, d: 2, l: 2, subPools: 1},
	{n: 8, k: 4, d: 3, l: 2, subPools: 1},
	{n: 6, k: 1, d: 3, l: 2, subPools: 2},
	{n: 8, k: 2, d: 3, l: 2, subPools: 2},
	{n: 8, k: 1, d: 2, l: 2, subPools: 4},
	{n: 6, k: 2, d: 4, l: 2, subPools: 1},
	{n: 6, k: 3, d: 3, l: 2, subPools: 1, extra: []principle{Distinct(3)}},
	{n: 6, k: 3, d: 3, l: 2, subPools: 1, extra: []principle{NewClose(0.2, Bag{{0, 2}, {1, 1}, {2, 1}}, nil), NewEntropy(2)}},
	{n: 6, k: 1, d: 2, l: 2, subPools: 1},
	{n: 8, k: 1, d: 2, l: 2, subPools: 2},
	{n: 8, k: 2, d: 3, l: 2, subPools: 1},
	{n: 8, k: 2, d: 3, l: 2, subPools: 1, extra: []principle{Distinct(3)}},
}

// TestRuleB: in every world, with every outcome of the draws, the posterior of each
// value of each published record is its share in the record's bucket (Theorem E).
func TestRuleB(t *testing.T) {
	for _, c := range settings[:tier.Of(t, 7, 9, 15)] {
		t.Run(c.String(), func(t *testing.T) {
			v := enumerate(c.n, c.d, c.real)
			t.Log(v)
			requireExact(t, v)
			assert.LessOrEqual(t, v.worst.Cmp(big.NewRat(1, int64(c.l))), 0)
			assert.Positive(t, v.split, "everything was one bucket: the test shows nothing")
		})
	}
}

func requireExact(t *testing.T, v verdict) {
	t.Helper()
	assert.Positive(t, v.published)
	for i, exact := range v.exact {
		assert.Equal(t, v.published, exact, "prior %d", i)
	}
}

// TestAlignedRefinement: Theorem F. Sub-pools that are joined are divided into the classes
// at the same places of each.
func TestAlignedRefinement(t *testing.T) {
	for _, c := range []setting{
		{n: 6, k: 1, d: 3, l: 2, subPools: 2},
		{n: 8, k: 1, d: 2, l: 2, subPools: 4},
		{n: 6, k: 1, d: 3, l: 2, subPools: 3},
		{n: 8, k: 2, d: 3, l: 2, subPools: 2},
		{n: 8, k: 1, d: 2, l: 2, subPools: 2},
	}[:tier.Of(t, 1, 1, 5)] {
		t.Run(c.String(), func(t *testing.T) {
			aligned := 0
			v := enumerate(c.n, c.d, func(values []uint32, draws Draws) ([][]int32, string) {
				buckets, seen := c.real(values, draws)
				for _, b := range buckets {
					if of, _ := span(classesOf(b, c.k), c.subPools); len(of) > 1 && len(b) < len(of)*c.n/c.subPools {
						aligned++
					}
				}
				return buckets, seen
			})
			t.Log(v, aligned)
			requireExact(t, v)
			assert.Positive(t, aligned, "no node was divided: the test shows nothing")
		})
	}
}

// classesOf returns the classes of k records of a bucket.
func classesOf(bucket []int32, k int) (out []int32) {
	for i := 0; i < len(bucket); i += k {
		out = append(out, bucket[i]/int32(k))
	}
	return out
}

// TestRuleBStream: pools follow each other, and an ineligible one is quarantined whole.
func TestRuleBStream(t *testing.T) {
	c := setting{n: 8, k: 1, d: 2, l: 2, subPools: 1}
	v := enumerate(c.n, c.d, func(values []uint32, draws Draws) ([][]int32, string) {
		first, _ := c.real(values[:4], draws)
		second := c.next(values[4:], draws)
		return append(first, moved(second, 4)...), fmt.Sprint(len(first), len(second))
	})
	t.Log(v)
	requireExact(t, v)
	assert.Positive(t, v.split)
}

// TestRuleBMinPool: what a pool publishes decides by MinPool whether the next pool can
// be as small as the records that are left. If not, they wait.
func TestRuleBMinPool(t *testing.T) {
	c := setting{n: 6, k: 1, d: 4, l: 2, subPools: 1}
	waited, taken := 0, 0
	v := enumerate(c.n, c.d, func(values []uint32, draws Draws) ([][]int32, string) {
		first, _ := c.real(values[:4], draws)
		if len(first) == 0 {
			return nil, "quarantined"
		}
		if _, possible := MinPool(sum(c.classes(values[:4])), c.l); !possible {
			waited++
			return first, "waits"
		}
		taken++
		return append(first, moved(c.next(values[4:], draws), 4)...), "taken"
	})
	t.Log(v)
	requireExact(t, v)
	assert.Positive(t, waited)
	assert.Positive(t, taken)
}

// next publishes the second pool of a stream.
func (c setting) next(values []uint32, draws Draws) [][]int32 {
	draws.key.Pool++
	buckets, _ := c.real(values, draws)
	return buckets
}

// moved renumbers the records of a pool that begins at a record.
func moved(buckets [][]int32, at int32) [][]int32 {
	for _, b := range buckets {
		for i := range b {
			b[i] += at
		}
	}
	return buckets
}
