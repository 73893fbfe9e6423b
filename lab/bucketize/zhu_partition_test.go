package bucketize

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
	"anond/lab/split"
)

// Algorithm 1 again, word by word, with sets instead of runs. The random draws are
// the same, so the blocks must be the same.
func TestZhuAlgorithm1Twin(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 12))
	for range 300 {
		p := equivtest.Correlated(rng, 1+rng.IntN(150), 1+rng.IntN(3), 1+rng.IntN(6), 4)
		want := equivclass.Requirement{K: 1 + rng.IntN(8), L: 2}
		groups, _ := AIP{Seed: 5}.Partition(p, want)
		if len(groups) == 0 {
			continue
		}
		order, _ := Phi2Order(p, 0)
		twin := zhuTwinAlgorithm1(p, want, equivtest.Rows(p.Len()), order, rand.New(rand.NewPCG(5, 1)))
		require.Equal(t, equivtest.Sorted(twin), equivtest.Sorted(groups))
	}
}

func zhuTwinAlgorithm1(p *equivclass.Pool, want equivclass.Requirement, b []int32, dims []int, random *rand.Rand) [][]int32 {
	if len(dims) == 0 {
		return [][]int32{b}
	}
	values, _ := equivtest.NaiveFrequencies(equivtest.NaiveColumn(p, b, dims[0]))
	var blocks [][]int32
	for _, v := range values {
		_, from := equivtest.NaiveSplit(p, b, dims[0], v-1e-6)
		of, _ := equivtest.NaiveSplit(p, from, dims[0], v)
		blocks = append(blocks, of)
	}
	merged := make([]bool, len(blocks))
	for j := 0; j < len(blocks); j++ {
		for !want.Holds(p.Bag(blocks[j])) && len(blocks) > 1 {
			if j == len(blocks)-1 || j > 0 && random.IntN(2) == 0 {
				j--
			}
			blocks[j] = append(blocks[j], blocks[j+1]...)
			merged[j] = true
			blocks, merged = append(blocks[:j+1], blocks[j+2:]...), append(merged[:j+1], merged[j+2:]...)
		}
	}
	var out [][]int32
	for j, block := range blocks {
		if merged[j] {
			out = append(out, block)
		} else {
			out = append(out, zhuTwinAlgorithm1(p, want, block, dims[1:], random)...)
		}
	}
	return out
}

// Section 2 on non-homogeneous generalization: any L neighbours differ.
func TestZhuRing(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 12))
	for range 3000 {
		l := 1 + rng.IntN(5)
		p := equivtest.Block(eligibleValues(rng, l+rng.IntN(40), l+1+rng.IntN(6), l)...)
		ring := newValueAssigner(split.Sensitive(p), l, nil).ring(equivtest.Rows(p.Len()))
		require.ElementsMatch(t, equivtest.Rows(p.Len()), ring)
		for _, w := range RingWindows(ring, l) {
			require.Len(t, p.Bag(w).Counts, l)
		}
		rows := RingShift(p, [][]int32{ring}, l, rng)
		var shown equivclass.Bag
		for _, r := range rows {
			require.Contains(t, p.Bag(r.Covers).Signature(), r.SA)
			shown.Add(r.SA, 1)
		}
		require.Equal(t, p.Bag(ring), shown, "a shift moves values, it makes none up")
	}
}

// The reason why ng makes no promise: of all assignments in which each row
// carries the value of a record that it covers, more than 1/l tie a record to the
// middle row of the l that cover it (l = 3; a ring of 9 records: 76 + 2 matchings,
// counted by trying all).
func TestRingIsNotUniformAtL0(t *testing.T) {
	const n, l = 9, 3
	used, place := make([]bool, n), make([]int, n)
	all, middle := 0, 0
	var try func(row int)
	try = func(row int) {
		if row == n {
			all++
			if place[0] == 1 {
				middle++
			}
			return
		}
		for d := range l {
			if record := (row + d) % n; !used[record] {
				used[record], place[row] = true, d
				try(row + 1)
				used[record] = false
			}
		}
	}
	try(0)
	require.Equal(t, 78, all)
	require.Greater(t, float64(middle)/float64(all), 0.43)
}

// At most 1 KiB a row, everything that a run allocates counted, live or not.
func TestZhuAllocatesLessThanAKibibyteARow(t *testing.T) {
	plain := equivtest.Clustered(20000, 7, 14)
	for _, m := range zhuPartitioners() {
		equivtest.RequireKibibyte(t, m, plain, equivclass.Requirement{K: 5, L: 5})
	}
}

func BenchmarkZhu(b *testing.B) {
	for _, m := range zhuPartitioners() {
		for _, n := range []int{1000, 10000, 100000, 500000} {
			p := equivtest.Clustered(n, 7, 14)
			b.Run(fmt.Sprintf("%s/l=5/n=%d", m.Name(), n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					m.Partition(p, equivclass.Requirement{K: 5, L: 5})
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
			})
		}
	}
}

// The paper's other readings. In ascending order the attribute that says most
// about the sensitive one is the last. With blocks that need different values
// only, every sub-block has them and nobody is left out, though some values are
// repeated (property 4 fails).
func TestZhuOtherReadings(t *testing.T) {
	p := adultCategories(t, 3000)
	order := newLexicographic(p, 0, false).order
	reversed := newLexicographic(p, 0, true).order
	slices.Reverse(reversed)
	require.Equal(t, order, reversed)
	const l = 5
	want := equivclass.Requirement{K: l, L: 1, Extra: []equivclass.Principle{equivclass.DistinctL{L: l}}}
	repeated := false
	for _, ascending := range []bool{false, true} {
		groups, rest := ARP{Values: l, Ascending: ascending}.Partition(p, want)
		equivtest.CheckPartition(t, p, want, groups, rest)
		require.Empty(t, rest)
		for _, g := range groups {
			b := p.Bag(g)
			require.GreaterOrEqual(t, len(b.Counts), l)
			repeated = repeated || b.Max() > 1
		}
		rings, rest := Ring{Values: l, Ascending: ascending}.Partition(p, want)
		equivtest.CheckPartition(t, p, want, rings, rest)
		require.Empty(t, rest)
	}
	require.True(t, repeated)
}
