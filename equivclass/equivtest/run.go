package equivtest

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

// Trait is a promise of some partitioners that is not part of the contract.
type Trait int

// The traits.
const (
	// Everybody: where no subject has two records and the whole pool may be one class,
	// no record is left over.
	Everybody Trait = iota
	// AnyOrder: where no subject has two records, the same rows in another order make
	// the same classes.
	AnyOrder
)

// Run holds a partitioner to the promise of equivclass.Partitioner, to that of
// Drawing and Stoppable if it is one, and to the traits it is said to have.
func Run(t *testing.T, m equivclass.Partitioner, traits ...Trait) {
	t.Helper()
	t.Run("name", func(t *testing.T) {
		assert.Regexp(t, regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`), m.Name())
	})
	t.Run("promise", func(t *testing.T) { runPromise(t, m, traits) })
	t.Run("ties", func(t *testing.T) { runTies(t, m) })
	t.Run("edge", func(t *testing.T) { runEdge(t, m) })
	if d, draws := m.(equivclass.Drawing); draws {
		t.Run("seed", func(t *testing.T) { runSeed(t, d) })
	}
	if s, stops := m.(equivclass.Stoppable); stops {
		t.Run("stop", func(t *testing.T) { runStop(t, s) })
	}
}

// runPromise: classes are disjoint and satisfy the requirement, no record is
// lost, the same pool gives the same result and is not changed.
func runPromise(t *testing.T, m equivclass.Partitioner, traits []Trait) {
	const trials = 120
	cut := 0
	for seed := range uint64(trials) {
		p, want := drawCase(t, seed)
		before := clonePool(p)
		groups, rest := m.Partition(p, want)
		require.Equal(t, before, p, "seed %d: the pool was changed", seed)
		CheckPartition(t, p, want, groups, rest)
		again, restAgain := m.Partition(p, want)
		require.Equal(t, groups, again, "seed %d: the same pool gives the same classes", seed)
		require.Equal(t, rest, restAgain, "seed %d", seed)
		if p.Subject == nil {
			runTraits(t, m, p, want, traits, groups, rest)
		}
		if len(groups) > 1 {
			cut++
		}
	}
	require.Greater(t, cut, trials/4, "it hardly ever cut anything: the test shows nothing")
}

func runTraits(t *testing.T, m equivclass.Partitioner, p *equivclass.Pool, want equivclass.Requirement, traits []Trait, groups [][]int32,
	rest []int32) {
	t.Helper()
	for _, trait := range traits {
		switch trait {
		case Everybody:
			if want.Holds(p.Bag(Rows(p.Len()))) {
				require.Empty(t, rest, "a pool that may be one class leaves no record out")
			}
		case AnyOrder:
			mixed, from := shuffled(p)
			got, left := m.Partition(mixed, want)
			require.Equal(t, Sorted(groups), Sorted(traced(got, from)), "the order of rows shapes classes")
			require.ElementsMatch(t, rest, slices.Concat(traced([][]int32{left}, from)...))
		}
	}
}

// runTies: all rows are one point, so only values distinguish them.
func runTies(t *testing.T, m equivclass.Partitioner) {
	for _, n := range []int{1, 9, 10, 11, 19, 20, 250} {
		p := Block(make([]equivclass.Code, n)...)
		for i := range p.SA {
			p.SA[i] = equivclass.Code(i % 5)
		}
		want := equivclass.Requirement{K: 10, L: 5}
		groups, rest := m.Partition(p, want)
		CheckPartition(t, p, want, groups, rest)
		if n >= want.K && n%want.L == 0 {
			require.Empty(t, rest, "%d records of equal shares", n)
		}
	}
}

// runEdge: pools of which nothing, or hardly anything, can be published.
func runEdge(t *testing.T, m equivclass.Partitioner) {
	for _, c := range []struct {
		name   string
		values []equivclass.Code
		want   equivclass.Requirement
	}{
		{"empty", nil, equivclass.Requirement{K: 2, L: 1}},
		{"one record", []equivclass.Code{0}, equivclass.Requirement{K: 2, L: 1}},
		{"fewer than k", []equivclass.Code{0, 1, 2}, equivclass.Requirement{K: 4, L: 2}},
		{"one value", []equivclass.Code{7, 7, 7}, equivclass.Requirement{K: 1, L: 2}},
		{"fewer values than asked", []equivclass.Code{0, 1, 0, 1},
			equivclass.Requirement{K: 2, L: 2, Extra: []equivclass.Principle{equivclass.DistinctL{L: 3}}}},
	} {
		p := Block(c.values...)
		for i := range p.X {
			p.X[i] = float32(i) / float32(len(p.X))
		}
		groups, rest := m.Partition(p, c.want)
		assert.Empty(t, groups, c.name)
		assert.ElementsMatch(t, Rows(len(c.values)), rest, c.name)
	}
	two := Block(0, 1)
	groups, rest := m.Partition(two, equivclass.Requirement{K: 2, L: 2})
	assert.Equal(t, [][]int32{{0, 1}}, Sorted(groups), "a pool that is exactly one class")
	assert.Empty(t, rest)
	two.Subject = []uint64{3, 3}
	groups, rest = m.Partition(two, equivclass.Requirement{K: 2, L: 2})
	assert.Empty(t, groups, "two records of one subject are no class of two")
	assert.Len(t, rest, 2)
}

// runSeed: the seed fixes the draw, changes nothing of the promise, and renames nothing.
func runSeed(t *testing.T, m equivclass.Drawing) {
	for seed := range uint64(20) {
		p, want := drawCase(t, seed)
		seeded := m.WithSeed(seed)
		assert.Equal(t, m.Name(), seeded.Name())
		groups, rest := seeded.Partition(p, want)
		CheckPartition(t, p, want, groups, rest)
		again, _ := m.WithSeed(seed+1).(equivclass.Drawing).WithSeed(seed).Partition(p, want)
		require.Equal(t, groups, again, "the last seed counts")
	}
}

// runStop: a partitioner that is not stopped returns the same classes; one that
// is stopped returns.
func runStop(t *testing.T, m equivclass.Stoppable) {
	for seed := range uint64(20) {
		p, want := drawCase(t, seed)
		groups, rest := m.Partition(p, want)
		going := m.WithStop(func() bool { return false })
		assert.Equal(t, m.Name(), going.Name())
		same, restSame := going.Partition(p, want)
		require.Equal(t, groups, same)
		require.Equal(t, rest, restSame)
		m.WithStop(func() bool { return true }).Partition(p, want)
	}
}

// clonePool copies what a partitioner might write to.
func clonePool(p *equivclass.Pool) *equivclass.Pool {
	return &equivclass.Pool{Space: p.Space, X: slices.Clone(p.X), SA: slices.Clone(p.SA), Subject: slices.Clone(p.Subject)}
}

// shuffled returns the rows in another order, and where each comes from.
func shuffled(p *equivclass.Pool) (mixed *equivclass.Pool, from []int32) {
	from = Rows(p.Len())
	rand.New(rand.NewPCG(1, uint64(p.Len()))).Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
	mixed = &equivclass.Pool{Space: p.Space}
	for _, r := range from {
		mixed.X, mixed.SA = append(mixed.X, p.At(r)...), append(mixed.SA, p.SA[r])
	}
	return mixed, from
}

// traced names rows as they were before they were shuffled.
func traced(groups [][]int32, from []int32) (out [][]int32) {
	for _, g := range groups {
		rows := make([]int32, len(g))
		for i, r := range g {
			rows[i] = from[r]
		}
		out = append(out, rows)
	}
	return out
}
