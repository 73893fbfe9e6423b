package bucketize

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/cut"
	"anond/equivclass/equivtest"
	"anond/equivclass/equivtest/tier"
)

// Definition 1: each column of each group is a permutation of its records.
func TestPermuteIsAPermutationOfEachGroup(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		perm := rng.Perm(40)
		rows := make([]int32, 40)
		for i, r := range perm {
			rows[i] = int32(r)
		}
		a, b := rng.IntN(20), 20+rng.IntN(20)
		groups := [][]int32{rows[:a], rows[a:b], rows[b:]}
		before := slices.Clone(rows)
		got := Permute(groups, 3, rng)
		require.Equal(t, []int32{0, int32(a), int32(b), 40}, got.Start)
		for _, column := range got.From {
			for g, group := range groups {
				require.ElementsMatch(t, group, column[got.Start[g]:got.Start[g+1]])
			}
		}
		require.Equal(t, before, rows, "the caller's groups stay as they are")
	}
}

// Definition 1: permutations are uniform, and independent between columns. The
// chi-squared statistic over the 36 outcomes of two columns of three records
// has 35 degrees of freedom; 66.6 is its 99.9th percentile, the seed is fixed.
func TestPermuteIsUniformAndIndependent(t *testing.T) {
	src, counts := cut.SplitMix(42), map[string]int{}
	const draws = 36_000
	for range draws {
		p := Permute([][]int32{{0, 1, 2}}, 2, &src)
		counts[fmt.Sprint(p.From)]++
	}
	require.Len(t, counts, 36)
	chi := 0.0
	for _, n := range counts {
		d := float64(n) - draws/36
		chi += d * d / (draws / 36)
	}
	require.Less(t, chi, 66.6)
}

// fixedSource gives chosen numbers, then zeros.
type fixedSource struct{ next []uint64 }

func (s *fixedSource) Uint64() (v uint64) {
	if len(s.next) > 0 {
		v, s.next = s.next[0], s.next[1:]
	}
	return v
}

// 2^64 is no multiple of 3: the one number too many is drawn again.
func TestUniformBelowRejectsTheRemainder(t *testing.T) {
	src := &fixedSource{next: []uint64{0, 1 << 63}}
	require.Equal(t, 1, cut.Below(src, 3), "0 would favour 0; half of 2^64 is 1 of 3")
	require.Empty(t, src.next)
	require.Zero(t, cut.Below(&fixedSource{}, 1))
	require.Equal(t, 4, cut.Below(&fixedSource{next: []uint64{^uint64(0)}}, 5))
}

// One try of drawing groups instead of several keeps the promise too.
func TestPermutationOfOneTry(t *testing.T) {
	equivtest.Run(t, Permutation{Tries: 1, Seed: 5}, equivtest.Everybody)
}

// assignTwin is Algorithm 1 with a plain list for each group.
func TestDealGroupsAgainstTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 200 {
		n, l := 10+rng.IntN(60), 2+rng.IntN(3)
		p := equivtest.Grid(rng, n, 2, 6, 30)
		if !p.Bag(equivtest.Rows(n)).Eligible(l) {
			continue
		}
		var bySA []int32 // hash by value, values in order
		for v := range equivclass.Code(30) {
			for r := range int32(n) {
				if p.SA[r] == v {
					bySA = append(bySA, r)
				}
			}
		}
		g := n / l
		want := make([]equivclass.Bag, g)
		for i, r := range bySA {
			want[i%g].Add(p.SA[r], 1)
		}
		groups := assignGroups(p, equivtest.Rows(n), equivclass.Requirement{K: 1, L: l})
		require.Len(t, groups, g)
		for i := range groups {
			require.Equal(t, want[i], p.Bag(groups[i]), "the order within a value is free, the bags are not")
		}
	}
}

// nearTwin makes the groups of PermutationNear by scanning everything for every
// group.
func nearTwin(p *equivclass.Pool, order []int32, l int) [][]int32 {
	left := slices.Clone(order)
	var groups [][]int32
	for len(left) > 0 {
		seed, counts := left[0], p.Bag(left)
		loss := func(r int32) float64 { return p.Loss([]int32{seed, r}) }
		has := func(group []int32, v equivclass.Code) bool {
			return slices.ContainsFunc(group, func(r int32) bool { return p.SA[r] == v })
		}
		nearestOf := func(v equivclass.Code) int32 {
			var of []int32
			for _, r := range left {
				if p.SA[r] == v && len(of) < nearWindow/4 {
					of = append(of, r)
				}
			}
			return slices.MinFunc(of, func(a, b int32) int { return cmp.Compare(loss(a), loss(b)) })
		}
		var group []int32
		must := 0
		for _, c := range counts.Counts {
			if c.N*l > len(left)-l {
				group = append(group, nearestOf(c.Code))
				must++
			}
		}
		if len(group) < l && !has(group, p.SA[seed]) {
			group = append(group, seed)
		}
		var window []int32
		for _, r := range left {
			if !slices.Contains(group, r) && len(window) < nearWindow {
				window = append(window, r)
			}
		}
		slices.SortStableFunc(window, func(a, b int32) int { return cmp.Compare(loss(a), loss(b)) })
		for _, r := range window {
			if len(group) < l && !has(group, p.SA[r]) {
				group = append(group, r)
			}
		}
		slices.SortStableFunc(counts.Counts, func(a, b equivclass.Count) int { return b.N - a.N })
		for _, c := range counts.Counts {
			if len(group) < l && !has(group, c.Code) {
				group = append(group, nearestOf(c.Code))
			}
		}
		left = slices.DeleteFunc(left, func(r int32) bool { return slices.Contains(group, r) })
		groups = append(groups, slices.Sorted(slices.Values(group)))
	}
	return groups
}

func TestPermutationNearAgainstTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	feasible := 0
	cases := tier.Of(t, 100, 150, 400)
	for range cases {
		n, l := 1+rng.IntN(300), 1+rng.IntN(5)
		p := equivtest.Grid(rng, n, 3, 4, 1+rng.IntN(12))
		if rng.IntN(2) == 0 { // a region of one value exhausts the window
			for i := range n / (l + 1) {
				p.SA[i] = 99
				copy(p.At(int32(i)), []float32{0, 0, 0})
			}
		}
		if !p.Bag(equivtest.Rows(n)).Eligible(l) {
			continue
		}
		feasible++
		order := equivtest.Rows(n)
		kdOrder(p, order)
		got, rest := PermutationNear{}.Partition(p, equivclass.Requirement{K: 1, L: l})
		require.Empty(t, rest)
		require.Equal(t, nearTwin(p, order, l), got)
		for _, g := range got {
			require.GreaterOrEqual(t, len(g), l)
			require.Equal(t, 1, p.Bag(g).Max())
		}
	}
	require.Greater(t, feasible, cases/4)
}

// A region of one value that is longer than the window: groups take the most
// frequent other values from afar.
func TestPermutationNearBeyondTheWindow(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 6 {
		p := equivtest.Grid(rng, 600, 2, 8, 9)
		for i := range 190 {
			p.SA[i] = 99
			copy(p.At(int32(i)), []float32{0, 0})
		}
		order := equivtest.Rows(600)
		kdOrder(p, order)
		got, rest := PermutationNear{}.Partition(p, equivclass.Requirement{K: 1, L: 3})
		require.Empty(t, rest)
		require.Equal(t, nearTwin(p, order, 3), got)
	}
}
