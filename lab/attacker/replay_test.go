package attacker

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
)

// planted is a program for tests: rows in the order of by, cut into classes of k.
type planted struct {
	name string
	by   func(p *equivclass.Pool, a, b int32) int
}

func (m planted) Name() string { return m.name }

func (m planted) run(p *equivclass.Pool, want equivclass.Requirement, _ draws) (classes, parts [][]int32) {
	rows := make([]int32, p.Len())
	for i := range rows {
		rows[i] = int32(i)
	}
	slices.SortStableFunc(rows, func(a, b int32) int { return m.by(p, a, b) })
	for c := range slices.Chunk(rows, want.K) {
		classes = append(classes, slices.Clone(c))
	}
	return classes, nil
}

func (m planted) again(p *publicView, w world, d draws) (classes, parts [][]int32) {
	return m.run(w.pool(p.points), p.want, d)
}

func (m planted) conclude(p *publicView) func() rules { return exchangeRules(p) }

// byPlace is blind to values. byValue puts row 0 first if it has the value 0, otherwise
// last: whoever shares its class knows that value.
var (
	byPlace = planted{"by place", func(p *equivclass.Pool, a, b int32) int { return cmp.Compare(p.At(a)[0], p.At(b)[0]) }}
	byValue = planted{"by value", func(p *equivclass.Pool, a, b int32) int {
		at := func(r int32) float32 {
			switch {
			case r != 0:
				return p.At(r)[0]
			case p.SA[0] == 0:
				return -1
			}
			return 2
		}
		return cmp.Compare(at(a), at(b))
	}}
)

// spread is a pool of 12 points on a line, with three values in turn.
func spread() *equivclass.Pool {
	p := &equivclass.Pool{Space: &equivclass.Space{Dims: []equivclass.Dim{{Kind: equivclass.Number, Width: 1}}}}
	for i := range 12 {
		p.X, p.SA = append(p.X, float32(i)/11), append(p.SA, equivclass.Code(i%3))
	}
	return p
}

// TestPlantedRuleIsFound: a program that looks at a value is found by swaps and by
// replay, and one that looks at none is not.
func TestPlantedRuleIsFound(t *testing.T) {
	ctx, want := context.Background(), equivclass.Requirement{K: 4, L: 2}
	for _, by := range []planted{byPlace, byValue} {
		r := Publish(by, spread(), want, 1)
		share, trials, err := Unchanged(ctx, r, InClass, 200, 1)
		require.NoError(t, err)
		require.Equal(t, 200, trials)
		b, arrived, err := Replay(ctx, r, Replaying{Chains: 2, Steps: 20000}, 1)
		require.NoError(t, err)
		require.True(t, arrived)
		v, p := b.of(0)
		if by.name == byPlace.name {
			require.Equal(t, 1.0, share.Value)
			requireBeliefs(t, r.publicView, enumerated(r.publicView, func(world) float64 { return 1 }), b, .03)
			continue
		}
		require.Less(t, share.High, 1.0)
		require.Equal(t, value(0), v)
		require.Equal(t, 1.0, p, "the class says it")
		require.Less(t, r.share(r.group[0], 0), .51)
	}
}

// TestReplayAgainstEnumeration: all worlds in which the program gives the observed
// output, and no others.
func TestReplayAgainstEnumeration(t *testing.T) {
	tier.Heavy(t, "seconds of replay")
	for _, by := range []Program{Extract(), mondrian()} {
		informed := false
		for _, r := range tinyReleases(t, by, equivclass.Requirement{K: 3, L: 2}, 9, 3, 4) {
			want := enumerated(r.publicView, func(w world) float64 {
				if r.same(by.again(r.publicView, w, r.draws)) {
					return 1
				}
				return 0
			})
			b, _, err := Replay(context.Background(), r, Replaying{Chains: 2, Steps: 20000}, 1)
			require.NoError(t, err)
			requireBeliefs(t, r.publicView, want, b, .08)
			for _, row := range r.rows() {
				v, _ := b.of(row)
				informed = informed || want[row][v] > r.share(r.group[row], v)+.1
			}
		}
		require.Equal(t, by.Name() == "extract", informed, "%s", by.Name())
	}
}

// TestNothingAtLevelL2: replay with unknown draws, and the local optimum of Merge,
// leave everybody with the shares of their bucket; the exchanges of Theorem E leave
// the output as it is.
func TestNothingAtLevelL2(t *testing.T) {
	ctx, buckets := context.Background(), 0
	for _, r := range tinyReleases(t, Buckets(), equivclass.Requirement{K: 2, L: 2}, 12, 3, 3) {
		shares := enumerated(r.publicView, func(world) float64 { return 1 })
		b, arrived, err := Replay(ctx, r, Replaying{Chains: 2, Steps: 15000}, 1)
		require.NoError(t, err)
		require.True(t, arrived)
		requireBeliefs(t, r.publicView, shares, b, .08)
		b, err = LocalOptimum(ctx, r, Effort{Chains: 2, Cycles: 1, Rise: 100, Hold: 10000}, 1)
		require.NoError(t, err)
		requireBeliefs(t, r.publicView, shares, b, .08)
		for _, e := range []Exchange{InClass, OfClasses} {
			share, _, err := Unchanged(ctx, r, e, 60, 1)
			require.NoError(t, err)
			require.Contains(t, []float64{0, 1}, share.Value)
		}
		_, trials, err := Unchanged(ctx, r, OfClasses, 60, 1)
		require.NoError(t, err)
		buckets += trials
	}
	require.Positive(t, buckets, "some bucket has several classes")
}

// TestNothingInSubPools: the generators of Theorem F leave a release with sub-pools as it is.
// In a corner one value is too frequent, so that sub-pools are joined.
func TestNothingInSubPools(t *testing.T) {
	tier.NotShort(t, "it decides on 200 classes many times")
	rng := rand.New(rand.NewPCG(6, 7))
	p := tinyPool(rng, 1000, 10)
	for i := range p.SA {
		if p.X[2*i] < .3 && p.X[2*i+1] < .3 && rng.IntN(10) > 0 {
			p.SA[i] = 0
		}
	}
	r := Publish(Buckets(), p, equivclass.Requirement{K: 5, L: 3}, 1)
	require.Greater(t, r.subPools(), 3)
	joined := 0
	for g, s := range r.inSubPools() {
		if s < 0 && len(r.parts[g]) < len(r.classes) {
			joined++
		}
	}
	require.Greater(t, joined, 2, "buckets of joined sub-pools")
	for _, e := range []Exchange{InClass, OfClasses} {
		share, trials, err := Unchanged(context.Background(), r, e, 12, 1)
		require.NoError(t, err)
		require.Greater(t, trials, 8)
		require.InDelta(t, 1, share.Value, 0, "%s", e)
	}
}

// byDistance is level L2 with a broken rule for buckets: a class that is not
// eligible is joined with the next class on the line until it is.
type byDistance struct{ planted }

func (m byDistance) run(p *equivclass.Pool, want equivclass.Requirement, d draws) (classes, parts [][]int32) {
	classes, _ = byPlace.run(p, want, d)
	var part []int32
	var rows []int32
	for c, class := range classes {
		part, rows = append(part, int32(c)), append(rows, class...)
		if want.Holds(p.Bag(rows)) {
			parts, part, rows = append(parts, part), nil, nil
		}
	}
	if len(part) > 0 {
		last := len(parts) - 1
		parts[last] = append(parts[last], part...)
	}
	return classes, parts
}

func (m byDistance) again(p *publicView, w world, d draws) (classes, parts [][]int32) {
	return m.run(w.pool(p.points), p.want, d)
}

// TestBucketsByDistanceAreFound: the same attack that finds nothing in Merge finds a
// rule for buckets that follows distance.
func TestBucketsByDistanceAreFound(t *testing.T) {
	p := spread()
	p.SA = []equivclass.Code{0, 0, 1, 2, 2, 0, 1, 2, 0, 1, 1, 2}
	r := Publish(byDistance{}, p, equivclass.Requirement{K: 2, L: 2}, 1)
	require.Equal(t, [][]int32{{0, 1}, {2}, {3}, {4}, {5}}, r.parts, "two classes, the first not eligible, are one bucket")
	b, arrived, err := Replay(context.Background(), r, Replaying{Chains: 2, Steps: 20000}, 1)
	require.NoError(t, err)
	require.True(t, arrived)
	v, told := b.of(0)
	require.Equal(t, value(0), v)
	require.Equal(t, 1.0, told, "were its two values different, the first class would be a bucket")
	require.Equal(t, .5, r.share(r.group[0], 0))
}
