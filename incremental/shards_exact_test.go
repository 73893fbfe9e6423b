package incremental_test

import (
	"anond/incremental/state"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/extract"
	"anond/incremental"
	"anond/snapshot/audit/audittest"
)

// tinyChain is one shard at level L1: a stream small enough that its worlds can be counted with those of another.
type tinyChain struct {
	machine *incremental.Machine
	world   []int
}

func newTinyChain(t *testing.T, rng *rand.Rand, values, l int) tinyChain {
	p := policy(4, l)
	p.MaxHold, p.MaxRegroups = int64(rng.IntN(3)), -1
	p.Initial, p.Local = extract.Extract{}, extract.Extract{}
	if rng.IntN(2) == 0 {
		p.Republication = state.Regroup
		p.Requirement = equivclass.Requirement{K: 4, L: l}
	}
	n := 8 + rng.IntN(2)
	w := newTiny(t, rng, n, 1, []int{4, 6, n - 1, n}, p)
	world := make([]int, n)
	for i := range world {
		world[i] = rng.IntN(values)
	}
	return tinyChain{w.run(t, world, cutNow, func(_ *incremental.Machine, _ *state.Intent, err error) {
		if err != nil && !infeasible(err) {
			require.ErrorIs(t, err, state.ErrUnpublished)
		}
	}), world}
}

// union is what whoever has all releases of a union of two shards knows of their people, where those of the second shard
// come behind those of the first. The vector moves on by one shard or by both, in any way that never goes back.
func union(rng *rand.Rand, a, b audittest.Chain) audittest.Chain {
	c := audittest.Chain{Records: a.Records + b.Records, Values: a.Values}
	var at [2]int
	for at[0] < len(a.Releases) || at[1] < len(b.Releases) {
		next := at
		for next == at {
			next = [2]int{min(at[0]+rng.IntN(2), len(a.Releases)), min(at[1]+rng.IntN(2), len(b.Releases))}
		}
		at = next
		var r audittest.Release
		if at[0] > 0 {
			r.Classes = append(r.Classes, a.Releases[at[0]-1].Classes...)
		}
		if at[1] > 0 {
			for _, class := range b.Releases[at[1]-1].Classes {
				shifted := audittest.Class{Bag: class.Bag}
				for _, m := range class.Members {
					shifted.Members = append(shifted.Members, m+a.Records)
				}
				r.Classes = append(r.Classes, shifted)
			}
		}
		c.Releases = append(c.Releases, r)
	}
	return c
}

// TestExactPosteriorsOfTwoShards: Corollary U at levels L0 and L1. Of all worlds that fit all releases of a union, whatever
// releases of the shards its vectors name, each value of each published person has the share in the person's class, exactly:
// rule A (frozen classes) and rule P (pure classes) of the chain of the shard alone.
func TestExactPosteriorsOfTwoShards(t *testing.T) {
	several, pure := 0, 0
	for seed := range uint64(tier.Of(t, 100, 1000, 5000)) {
		rng := rand.New(rand.NewPCG(seed, 16))
		const values, l = 2, 2
		shards := [2]tinyChain{newTinyChain(t, rng, values, l), newTinyChain(t, rng, values, l)}
		a, b := chainOf(t, shards[0].machine, shards[0].world, values), chainOf(t, shards[1].machine, shards[1].world, values)
		both := union(rng, a, b)
		if len(a.Releases) == 0 || len(b.Releases) == 0 {
			continue
		}
		post, err := audittest.Posteriors(both)
		require.NoError(t, err, "seed %d", seed)
		require.LessOrEqual(t, post.Max(), 1/float64(l)+1e-12, "seed %d", seed)
		for i, s := range shards {
			v, err := s.machine.Releases().View(s.machine.Releases().Latest().Release)
			require.NoError(t, err)
			for _, class := range v.Classes {
				if class.Regime == state.Pure {
					pure++
				}
				count := make([]int, values)
				for _, r := range class.Members {
					count[s.world[r]]++
				}
				for _, r := range class.Members {
					for value, n := range count {
						require.InDelta(t, float64(n)/float64(len(class.Members)), post.P(i*a.Records+int(r), value), 1e-12,
							"seed %d, record %d of shard %d", seed, r, i)
					}
				}
			}
		}
		if len(both.Releases) > 2 {
			several++
		}
	}
	t.Logf("%d unions of more than two releases, %d pure classes", several, pure)
	assert.Greater(t, several, 10)
	assert.Greater(t, pure, 10)
}

// TestExactPosteriorsFindAPersonInTwoShards: the same count finds a person who is in both shards, in classes of
// different bags.
func TestExactPosteriorsFindAPersonInTwoShards(t *testing.T) {
	class := func(bag []int, members ...int) audittest.Release {
		return audittest.Release{Classes: []audittest.Class{{Members: members, Bag: bag}}}
	}
	a := audittest.Chain{Records: 2, Values: 3, Releases: []audittest.Release{class([]int{0, 1}, 0, 1)}}
	b := audittest.Chain{Records: 2, Values: 3, Releases: []audittest.Release{class([]int{1, 2}, 0, 1)}}
	both := union(rand.New(rand.NewPCG(1, 1)), a, b)
	apart, err := audittest.Posteriors(both)
	require.NoError(t, err)
	require.InDelta(t, 0.5, apart.Max(), 1e-12)
	for _, r := range both.Releases {
		for _, class := range r.Classes { // record 0 of the second shard is record 0 of the first
			if i := slices.Index(class.Members, a.Records); i >= 0 {
				class.Members[i] = 0
			}
		}
	}
	twice, err := audittest.Posteriors(both)
	require.NoError(t, err)
	require.InDelta(t, 1, twice.Max(), 1e-12)
}
