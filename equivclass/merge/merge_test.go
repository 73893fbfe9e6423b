package merge

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest"
)

// drawn returns m bags of size records over d values, low values more often.
func drawn(rng *rand.Rand, m, size, d int) []Bag {
	texts := make([]string, d)
	for i := range texts {
		texts[i] = fmt.Sprintf("%04d", i)
	}
	order, out := NewOrder(texts), make([]Bag, m)
	for i := range out {
		column := make([]uint32, size)
		for j := range column {
			column[j] = uint32(min(rng.IntN(d), rng.IntN(d)))
		}
		out[i] = BagOf(order, column, rows(0, size))
	}
	return out
}

func seeded(n byte) Draws { return NewDraws([32]byte{n}, Key{Release: 1}) }

// holds asks a requirement about the bag of one attribute.
func holds(r Requirement, b Bag) bool { return r.Holds(b, b.Total()) }

// checkGroups: every part is in one group, and every group holds or is all there is.
func checkGroups(t testing.TB, bags []Bag, r Requirement, groups [][]int32) {
	t.Helper()
	all := slices.Concat(groups...)
	slices.Sort(all)
	require.Len(t, all, len(bags))
	for i, part := range all {
		require.Equal(t, int32(i), part)
	}
	for i, g := range groups {
		require.True(t, slices.IsSorted(g))
		require.True(t, i == 0 || groups[i-1][0] < g[0])
		require.True(t, len(groups) == 1 || holds(r, sum(pick(bags, g))), "an ineligible bucket among others")
	}
}

// TestMergeIsEquivariant: if the parts are renumbered, and their draws with them, the
// groups are renumbered and nothing else changes.
func TestMergeIsEquivariant(t *testing.T) {
	several := 0
	for trial := range uint64(60) {
		rng := equivtest.Rand(trial)
		m, size := 2+rng.IntN(40), 1+rng.IntN(6)
		bags, r := drawn(rng, m, size, 2+rng.IntN(6)), Requirement{Caps: Frequency(2 + rng.IntN(2))}
		order := seeded(byte(trial)).order(m)
		groups := Merge(bags, size, r, AllDraws(Key{}, func(Key, int) []int32 { return order }))
		checkGroups(t, bags, r, groups)
		if len(groups) > 1 {
			several++
		}
		to := make([]int32, m) // part i becomes part to[i]
		for i, j := range rng.Perm(m) {
			to[i] = int32(j)
		}
		renamed, renamedOrder := make([]Bag, m), make([]int32, m)
		for i, j := range to {
			renamed[j] = bags[i]
		}
		for i, part := range order {
			renamedOrder[i] = to[part]
		}
		got := Merge(renamed, size, r, AllDraws(Key{}, func(Key, int) []int32 { return renamedOrder }))
		for _, g := range groups {
			for i := range g {
				g[i] = to[g[i]]
			}
		}
		require.Equal(t, inOrder(groups), got, "trial %d", trial)
	}
	assert.Greater(t, several, 20, "hardly ever more than one group: the test shows nothing")
}

// TestMergeSeesNoNames: values in between that nobody has change nothing.
func TestMergeSeesNoNames(t *testing.T) {
	bags := drawn(equivtest.Rand(3), 50, 5, 6)
	want := Merge(bags, 5, Requirement{Caps: Frequency(3)}, seeded(1))
	require.Greater(t, len(want), 1)
	for _, b := range bags {
		for i := range b {
			b[i].Value = b[i].Value*b[i].Value + 7
		}
	}
	assert.Equal(t, want, Merge(bags, 5, Requirement{Caps: Frequency(3)}, seeded(1)))
}

// TestMergeBreaksTiesByDraws: with equal bags, other draws give other groups.
func TestMergeBreaksTiesByDraws(t *testing.T) {
	var bags []Bag
	for i := range 12 {
		bags = append(bags, Bag{{uint32(i % 2), 2}})
	}
	seen := map[string]bool{}
	for s := range byte(20) {
		groups := Merge(bags, 2, Requirement{Caps: Frequency(2)}, seeded(s))
		checkGroups(t, bags, Requirement{Caps: Frequency(2)}, groups)
		require.Len(t, groups, 6)
		seen[fmt.Sprint(groups)] = true
	}
	assert.Greater(t, len(seen), 15)
}

func TestMergeAtTheEdges(t *testing.T) {
	one, two := []Bag{{{0, 3}}}, Requirement{Caps: Frequency(2)}
	assert.Empty(t, Merge(nil, 3, two, seeded(1)))
	assert.Equal(t, [][]int32{{0}}, Merge(one, 3, two, seeded(1)), "nothing else is eligible")
	assert.Equal(t, [][]int32{{0, 1}}, Merge([]Bag{one[0], one[0]}, 3, two, seeded(1)), "an ineligible pool is one group")
	assert.Equal(t, [][]int32{{0}, {1}}, Merge([]Bag{one[0], one[0]}, 3, Requirement{}, seeded(1)), "what is eligible alone stays alone")
	for name, bad := range map[string][]Bag{
		"unequal":   {{{0, 3}}, {{0, 2}}},
		"unsorted":  {{{1, 2}, {0, 1}}},
		"twice":     {{{1, 2}, {1, 1}}},
		"no record": {{{0, 3}, {1, 0}}},
	} {
		assert.Panics(t, func() { Merge(bad, 3, two, seeded(1)) }, name)
	}
	assert.Panics(t, func() { Merge([]Bag{{}}, 0, two, seeded(1)) })
	assert.Panics(t, func() { Pool(drawn(equivtest.Rand(1), 9, 2, 4), 2, 2, two, seeded(1), Run{}) }, "unequal sub-pools")
}

// TestPoolIsBlindToWorkers: the number of goroutines changes nothing.
func TestPoolIsBlindToWorkers(t *testing.T) {
	bags := drawn(equivtest.Rand(5), 240, 4, 7)
	for _, subPools := range []int{1, 6} {
		want, ok := Pool(bags, 4, subPools, Requirement{Caps: Frequency(3)}, seeded(2), Run{})
		require.True(t, ok)
		require.Greater(t, len(want), 6)
		checkGroups(t, bags, Requirement{Caps: Frequency(3)}, want)
		for _, workers := range []int{1, 2, 5, 16} {
			got, ok := Pool(bags, 4, subPools, Requirement{Caps: Frequency(3)}, seeded(2), Run{Workers: workers})
			assert.True(t, ok)
			assert.Equal(t, want, got, "%d sub-pools, %d workers", subPools, workers)
		}
	}
}

// TestPoolAlignsWhatItJoins: sub-pools are joined only if they must be, and the buckets of a
// node have the same places of each of its sub-pools.
func TestPoolAlignsWhatItJoins(t *testing.T) {
	const subPools = 5
	bags := drawn(equivtest.Rand(9), 60, 3, 5)
	for i := 0; i < len(bags); i += subPools { // sub-pool 0 is ineligible
		bags[i] = Bag{{4, 3}}
	}
	buckets, _ := Pool(bags, 3, subPools, Requirement{Caps: Frequency(2)}, seeded(3), Run{})
	checkGroups(t, bags, Requirement{Caps: Frequency(2)}, buckets)
	nodes, aligned := map[int32]string{}, 0
	for _, b := range buckets {
		of, places := span(b, subPools)
		require.Len(t, b, len(of)*len(places))
		for _, s := range of {
			if nodes[s] == "" {
				nodes[s] = fmt.Sprint(of)
			}
			require.Equal(t, nodes[s], fmt.Sprint(of), "a sub-pool is in two nodes")
		}
		if len(of) > 1 {
			aligned++
			assert.Equal(t, int32(0), of[0])
		}
	}
	assert.Greater(t, aligned, 1, "the node is one bucket: the test shows nothing")
	assert.Less(t, len(nodes[0]), len("[0 1 2]"), "more is joined than must be")
}

// span returns the sub-pools and the places of a bucket's classes, ascending.
func span(bucket []int32, subPools int) (of, places []int32) {
	for _, class := range bucket {
		of, places = append(of, class%int32(subPools)), append(places, class/int32(subPools))
	}
	slices.Sort(of)
	slices.Sort(places)
	return slices.Compact(of), slices.Compact(places)
}

func TestPoolStops(t *testing.T) {
	var asked atomic.Int32
	_, ok := Pool(drawn(equivtest.Rand(5), 400, 4, 7), 4, 4, Requirement{Caps: Frequency(3)}, seeded(2),
		Run{Workers: 2, Stop: func() bool { return asked.Add(1) > 3 }})
	assert.False(t, ok)
	assert.Less(t, asked.Load(), int32(40), "it went on working")
}

func TestBlocks(t *testing.T) {
	for _, c := range []struct{ classes, least, subPools, each int }{
		{100, 0, 1, 100}, {100, 60, 1, 100}, {100, 50, 2, 50}, {100, 30, 3, 33}, {0, 5, 1, 0}, {3016, 90, 29, 104},
		{3000, 32, 75, 40}, {3000, 30, 96, 31}, {100_000, 32, 2272, 44},
	} {
		subPools, each := Blocks(c.classes, c.least, 0)
		assert.Equal(t, [2]int{c.subPools, c.each}, [2]int{subPools, each}, "%+v", c)
		assert.Less(t, c.classes-subPools*each, subPools)
	}
}

// TestBlocksKeepWhatAPoolNeeds: as many classes as the pool has to have are in it, where fewer would fit the numbers of sub-pools that
// leave the fewest; and Division finds that number again.
func TestBlocksKeepWhatAPoolNeeds(t *testing.T) {
	for classes := range 4000 {
		for _, keep := range []int{classes, classes - 1, classes - 7} {
			subPools, each := Blocks(classes, SubPoolClasses, keep)
			require.GreaterOrEqual(t, subPools*each, keep)
			require.True(t, subPools == 1 || each >= SubPoolClasses)
			found, _ := Division(subPools*each, SubPoolClasses, 3)
			require.Zero(t, subPools*each%found)
			if usual, n := Blocks(classes, SubPoolClasses, 0); usual*n >= keep {
				require.Equal(t, usual, subPools)
			}
		}
	}
	subPools, each := Blocks(1500, SubPoolClasses, 1500)
	require.Equal(t, [2]int{30, 50}, [2]int{subPools, each})
}

// TestDivision: the classes that Blocks made fit are divided without a remainder, whatever l
// is: the first pool stays the same if l is lowered.
func TestDivision(t *testing.T) {
	for classes := range 6000 {
		fit, each := Blocks(classes, SubPoolClasses, 0)
		classes = fit * each
		again, _ := Blocks(classes, SubPoolClasses, 0)
		near, _ := Division(classes, SubPoolClasses, 3)
		require.Equal(t, again, near)
		require.Equal(t, classes, again*(classes/again))
		far, _ := Division(classes, SubPoolClasses, 5)
		require.Equal(t, classes, far*(classes/far))
		require.True(t, far == 1 || classes/far >= farClasses)
		require.Less(t, classes/far, 4*farClasses)
	}
	for classes := 90_000; classes < 110_000; classes += 7 {
		fit, each := Blocks(classes, SubPoolClasses, 0)
		far, isNear := Division(fit*each, SubPoolClasses, 5)
		require.Less(t, fit*each/far, 2*farClasses)
		require.False(t, isNear)
		require.Less(t, classes-fit*each, classes/200)
	}
}

func FuzzMerge(f *testing.F) {
	f.Add([]byte{0, 0, 1, 1, 2, 2, 0, 1}, uint8(2), uint8(2), uint8(0))
	f.Add([]byte("abcabcaabbccaaab"), uint8(4), uint8(3), uint8(2))
	f.Add([]byte("0"), uint8(23), uint8(3), uint8(2)) // no class at all
	f.Fuzz(func(t *testing.T, values []byte, size, l, subPools uint8) {
		k, groups := 1+int(size%8), 1+int(subPools%4)
		values = values[:min(len(values), 400)]
		m := len(values) / k / groups * groups
		bags := make([]Bag, m)
		for i := range bags {
			count := map[byte]uint32{}
			for _, v := range values[i*k : (i+1)*k] {
				count[v]++
			}
			for v := range 256 {
				if n := count[byte(v)]; n > 0 {
					bags[i] = append(bags[i], Count{uint32(v), n})
				}
			}
		}
		r := Requirement{Caps: Frequency(1 + int(l%6)), Extra: []principle{Distinct(l % 3)}}
		buckets, ok := Pool(bags, k, groups, r, seeded(size), Run{})
		require.True(t, ok)
		checkGroups(t, bags, r, buckets)
		again, _ := Pool(bags, k, groups, r, seeded(size), Run{Workers: 3})
		require.Equal(t, buckets, again)
	})
}
