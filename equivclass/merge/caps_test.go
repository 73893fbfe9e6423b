package merge

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest"
)

// TestCapsOfSmallGroups: a cap with a smaller denominator allows the same of every group up to a size, and no such cap is larger.
func TestCapsOfSmallGroups(t *testing.T) {
	for trial := range uint64(3000) {
		rng := equivtest.Rand(trial)
		den := 1 + rng.Int64N(1<<(1+rng.IntN(60)))
		c := Cap{Num: rng.Int64N(den + 1), Den: den}
		most := 1 + rng.IntN(60)
		got := c.within(int64(most))
		require.Positive(t, got.den)
		require.LessOrEqual(t, got.den, int64(most))
		for size := range most + 1 {
			n := new(big.Int).Div(new(big.Int).Mul(big.NewInt(c.Num), big.NewInt(int64(size))), big.NewInt(c.Den)).Int64()
			require.Equal(t, n, got.num*int64(size)/got.den, "%d of %v, %v", size, c, got)
			require.True(t, c.Holds(int(n), size))
			require.False(t, c.Holds(int(n)+1, size))
		}
	}
	assert.Equal(t, share{num: 1, den: 5}, Cap{Num: 1, Den: 5}.within(1<<26))
}

// manyCaps are random caps, with denominators as large as those of a reference, of two attributes with values from 0 and
// from 10 on. Of the second one people without the value 10 are looked at alone.
func manyCaps(rng *rand.Rand) (caps []Cap) {
	for v := range uint32(20) {
		if v < 10 && rng.IntN(3) == 0 {
			continue // as the value before
		}
		den := 1 + rng.Int64N(1<<(1+rng.IntN(50)))
		c := Cap{Value: v, Num: den - rng.Int64N(den/2+1), Den: den}
		if v >= 10 {
			c.Partial, c.Without = true, 10
		}
		if v == 10 {
			c.Num = c.Den
		}
		caps = append(caps, c)
	}
	return caps
}

// severalBags are m bags of two attributes.
func severalBags(rng *rand.Rand, m, size int) []Bag {
	first, second := drawn(rng, m, size, 2+rng.IntN(6)), drawn(rng, m, size, 2+rng.IntN(3))
	for i, b := range second {
		for _, c := range b {
			first[i] = append(first[i], Count{10 + c.Value, c.N})
		}
	}
	return first
}

// TestMergeKeepsCapsByValue: with caps of any denominator, and shares of those who have a value, every bucket holds or is
// the whole pool; and a step finds the least energy.
func TestMergeKeepsCapsByValue(t *testing.T) {
	several, whole, optimal := 0, 0, 0
	for trial := range uint64(300) {
		rng := equivtest.Rand(trial)
		m, size := 2+rng.IntN(40), 1+rng.IntN(8)
		bags, r := severalBags(rng, m, size), Requirement{Caps: manyCaps(rng)}
		groups := Merge(bags, size, r, seeded(byte(trial)))
		if len(groups) == 1 {
			whole++
		} else {
			several++
			for _, g := range groups {
				require.True(t, r.Holds(sum(pick(bags, g)), size*len(g)), "trial %d", trial)
			}
		}
		if m > stepItems-1 || !r.Holds(sum(bags), m*size) {
			continue
		}
		s := newSearch(newInstance(bags, size, r), Run{Stop: never})
		for p := range s.parts {
			require.Equal(t, r.Holds(bags[p], size), s.parts[p].lack == 0)
		}
		s.regroup([][]int32{rows(0, m)})
		want := s.least(rows(0, m))
		s.step.try(0, 0)
		require.Equal(t, want, s.total(), "trial %d", trial)
		optimal++
	}
	assert.Greater(t, several, 60)
	assert.Greater(t, whole, 10)
	assert.Greater(t, optimal, 10)
}

// TestTightPoolWithCapsByValue: the annealing keeps its books with caps of large denominators, and of those who have a value.
func TestTightPoolWithCapsByValue(t *testing.T) {
	lacked := 0
	for trial := range uint64(40) {
		rng := equivtest.Rand(trial)
		bags, r := severalBags(rng, 40, 6), Requirement{Caps: manyCaps(rng)}
		s := newSearch(newInstance(bags, 6, r), Run{Stop: never})
		s.near, s.nearEach = s.nearest(Run{Stop: never})
		a := newAnnealing(s.instance, s.near, s.nearEach)
		for _, c := range a.clusters {
			if c.lack > 0 {
				lacked++
			}
		}
		s.regroup(a.run(never))
		s.check(t)
		for i := range a.clusters {
			c := &a.clusters[i]
			require.Equal(t, c.n > 0 && s.lacks(c.members[:c.n]) > 0, c.lack > 0)
		}
	}
	assert.Greater(t, lacked, 100)
}
