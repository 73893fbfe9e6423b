package extract

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/cut"
	"anond/equivclass/equivtest"
	"anond/equivclass/equivtest/cuts"
	"anond/equivclass/equivtest/tier"
)

// strictRequirements are those that step 2 of Extract does not look ahead to.
func strictRequirements(all equivclass.Bag) []equivclass.Requirement {
	close := func(t float64) equivclass.Principle {
		return equivclass.TClose{T: t, Reference: all, Ground: equivclass.EqualGround{}}
	}
	return []equivclass.Requirement{
		{K: 5, L: 2, Extra: []equivclass.Principle{close(0.1)}},
		{K: 5, L: 1, Extra: []equivclass.Principle{close(0.02)}},
		{K: 3, L: 1, Extra: []equivclass.Principle{equivclass.DistinctL{L: 8}}},
		{K: 4, L: 2, Extra: []equivclass.Principle{equivclass.EntropyL{L: 7}, equivclass.RecursiveL{C: 2, L: 3}}},
	}
}

// TestExtractPublishesWhatMondrianDoes: under strict further principles Extract
// holds no more records than median cuts do.
func TestExtractPublishesWhatMondrianDoes(t *testing.T) {
	rescued := 0
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 17))
		p := clusteredPool(rng, 60+rng.IntN(900), 1+rng.IntN(5), 8+rng.IntN(6))
		if seed%3 == 1 {
			mixKinds(t, rng, p)
		}
		for i, want := range strictRequirements(p.Bag(cut.Identity(p.Len()))) {
			groups, rest := Extract{}.Partition(p, want)
			equivtest.CheckPartition(t, p, want, groups, rest)
			_, median := cuts.Median{}.Partition(p, want)
			require.LessOrEqual(t, len(rest), len(median), "seed %d, requirement %d", seed, i)
			if len(rest) == 0 {
				rescued++
			}
		}
	}
	assert.Greater(t, rescued, 100, "the pools are too hard to show anything")
}

// TestExtractStrictWithSubjects: rule S (one record of a subject in a class) holds for rescued records, too.
func TestExtractStrictWithSubjects(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 18))
		p := clusteredPool(rng, 60+rng.IntN(400), 1+rng.IntN(4), 8)
		p.Subject = make([]uint64, p.Len())
		for i := range p.Subject {
			p.Subject[i] = rng.Uint64N(uint64(p.Len()))
		}
		for _, want := range strictRequirements(p.Bag(cut.Identity(p.Len()))) {
			groups, rest := Extract{}.Partition(p, want)
			equivtest.CheckPartition(t, p, want, groups, rest)
		}
	}
}

// TestExtractIsBlindToWorkers: any number of goroutines makes the same classes.
func TestExtractIsBlindToWorkers(t *testing.T) {
	tier.NotShort(t, "it cuts thousands of records in turn")
	for _, mixed := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(3, 19))
		p := clusteredPool(rng, tier.Of(t, 3500, 3500, 7000), 4, 9)
		if mixed {
			mixKinds(t, rng, p)
		}
		want := equivclass.Requirement{K: 5, L: 3, Extra: []equivclass.Principle{equivclass.DistinctL{L: 4}}}
		groups, rest := Extract{Workers: 1}.Partition(p, want)
		for _, workers := range []int{3, 2, 16}[:tier.Of(t, 1, 1, 3)] {
			t.Run(fmt.Sprint(mixed, workers), func(t *testing.T) {
				g, r := Extract{Workers: workers}.Partition(p, want)
				require.Equal(t, groups, g)
				require.Equal(t, rest, r)
			})
		}
	}
}
