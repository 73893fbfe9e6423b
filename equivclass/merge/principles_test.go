package merge

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
)

// floating returns the same bag for the model's principles.
func floating(b Bag) (out equivclass.Bag) {
	for _, c := range b {
		out.Add(equivclass.Code(c.Value), int(c.N))
	}
	return out
}

// TestPrinciplesAgree: the decisions on integers are those of the model's principles,
// which the auditor and other methods use.
func TestPrinciplesAgree(t *testing.T) {
	tree := equivtest.Tree(t)
	parents := childrenFirst(tree)
	rank := []int{3, 0, 5, 1, 2, 4}
	positions := []int32{3, 0, 5, 1, 2, 4}
	ref := Bag{{0, 40}, {1, 20}, {2, 20}, {3, 10}, {4, 7}, {5, 3}}
	closeTo := func(limit float64, g equivclass.Ground) equivclass.Principle {
		return equivclass.TClose{T: limit, Reference: floating(ref), Ground: g}
	}
	for name, c := range map[string]struct {
		ours  principle
		model equivclass.Principle
	}{
		"distinct":     {Distinct(4), equivclass.DistinctL{L: 4}},
		"entropy":      {NewEntropy(3.5), equivclass.EntropyL{L: 3.5}},
		"entropy 4":    {NewEntropy(4), equivclass.EntropyL{L: 4}},
		"recursive":    {NewRecursive(1.7, 3), equivclass.RecursiveL{C: 1.7, L: 3}},
		"recursive 1":  {NewRecursive(0.5, 1), equivclass.RecursiveL{C: 0.5, L: 1}},
		"equal":        {NewClose(0.25, ref, nil), closeTo(0.25, equivclass.EqualGround{})},
		"ordered":      {NewClose(0.2, ref, Ordered{positions}), closeTo(0.2, equivclass.OrderedGround{Rank: rank})},
		"hierarchical": {NewClose(0.2, ref, Tree{parents, equivtest.Rows(6)}), closeTo(0.2, equivclass.TreeGround{Tree: tree})},
	} {
		t.Run(name, func(t *testing.T) {
			held := 0
			for seed := range uint64(3000) {
				b := randomBag(equivtest.Rand(seed))
				lack := c.ours.Lack(b, b.Total())
				require.GreaterOrEqual(t, lack, int64(0))
				require.Equal(t, c.model.Holds(floating(b)), lack == 0, "bag %v", b)
				if lack == 0 {
					held++
				}
			}
			assert.Greater(t, held, 100)
			assert.Less(t, held, 2900)
		})
	}
}

// childrenFirst returns the parents of a hierarchy's nodes, the inner nodes numbered
// children first; the hierarchy numbers them parents first.
func childrenFirst(tree *equivclass.Hierarchy) []int32 {
	number := func(n int) int32 {
		if n < tree.Leaves() {
			return int32(n)
		}
		return int32(tree.Nodes() - 1 - n + tree.Leaves())
	}
	parents := make([]int32, tree.Nodes())
	for n := range parents {
		parents[number(n)] = -1
		if p := tree.Parent(n); p >= 0 {
			parents[number(n)] = number(p)
		}
	}
	return parents
}

func randomBag(rng *rand.Rand) (b Bag) {
	for v := range uint32(6) {
		if n := rng.IntN(1 + rng.IntN(12)); n > 0 {
			b = append(b, Count{v, uint32(n)})
		}
	}
	if len(b) == 0 {
		return Bag{{0, 1}}
	}
	return b
}

// TestPrinciplesAtTheBound: what just holds, holds, however large the bag.
func TestPrinciplesAtTheBound(t *testing.T) {
	for _, n := range []uint32{1, 7, 1000, 1 << 20} {
		even := Bag{{0, n}, {1, n}, {2, n}, {3, n}}
		assert.Zero(t, NewEntropy(4).Lack(even, even.Total()), n)
		assert.Zero(t, NewClose(0, even, nil).Lack(even, even.Total()), n)
		assert.Zero(t, NewClose(0.5, Bag{{0, n}, {1, n}}, nil).Lack(even, even.Total()), n)
		assert.Zero(t, NewRecursive(1, 3).Lack(Bag{{0, 2*n - 1}, {1, n}, {2, n}, {3, n}}, int(5*n-1)), n)
		assert.Positive(t, NewRecursive(1, 3).Lack(Bag{{0, 2 * n}, {1, n}, {2, n}, {3, n}}, int(5*n)), n)
		assert.True(t, holds(Requirement{Caps: Frequency(4)}, even))
		assert.False(t, holds(Requirement{Caps: Frequency(5)}, even))
	}
	assert.Positive(t, NewEntropy(4).Lack(Bag{{0, 1001}, {1, 1000}, {2, 1000}, {3, 1000}}, 4001))
	assert.False(t, holds(Requirement{Caps: Frequency(1)}, nil), "nothing can be published of nobody")
}

// TestExtraPrinciplesHold: Merge keeps them in each bucket.
func TestExtraPrinciplesHold(t *testing.T) {
	bags := drawn(equivtest.Rand(11), 120, 5, 7)
	ref := sum(bags)
	for name, p := range map[string]principle{
		"distinct": Distinct(5), "entropy": NewEntropy(4.5), "recursive": NewRecursive(0.9, 3), "close": NewClose(0.2, ref, nil),
	} {
		plain := Merge(bags, 5, Requirement{Caps: Frequency(2)}, seeded(1))
		r := Requirement{Caps: Frequency(2), Extra: []principle{p}}
		groups := Merge(bags, 5, r, seeded(1))
		checkGroups(t, bags, r, groups)
		assert.Greater(t, len(groups), 3, name)
		assert.Greater(t, len(plain), len(groups), "%s asks for nothing", name)
	}
}

func TestLog2(t *testing.T) {
	for _, x := range []uint64{1, 2, 3, 7, 10, 1000, 1<<40 + 12345, math.MaxUint64} {
		assert.InDelta(t, math.Log2(float64(x)), float64(log2(x))/(1<<logBits), 1e-12*64, x)
	}
	assert.Equal(t, int64(10)<<logBits, log2(1024))
}

func TestExact(t *testing.T) {
	assert.Equal(t, int64(1<<shareBits/4), exact(0.25))
	assert.Equal(t, int64(3)<<shareBits, exact(3))
	assert.Zero(t, exact(math.NaN()))
	assert.Zero(t, exact(-1))
	assert.Equal(t, int64(math.MaxInt64), exact(1e30))
	assert.Positive(t, NewEntropy(1e300).Lack(Bag{{0, 1 << 25}, {1, 1<<25 - 1}}, 1<<26-1), "and nothing overflows")
}
