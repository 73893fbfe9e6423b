package attacker

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
)

// adultPool is part of Adult, shuffled.
func adultPool(t testing.TB, n int, seed uint64) *equivclass.Pool {
	t.Helper()
	all := equivtest.AdultPool(t, 10000, "occupation", "age", "workclass", "education-num", "marital-status", "race", "sex",
		"native-country")
	out := &equivclass.Pool{Space: all.Space}
	for _, r := range rand.New(rand.NewPCG(seed, 0)).Perm(all.Len())[:n] {
		out.X, out.SA = append(out.X, all.At(int32(r))...), append(out.SA, all.SA[r])
	}
	return out
}

// tinyPool has points on a line and few values.
func tinyPool(rng *rand.Rand, n, values int) *equivclass.Pool {
	dim := equivclass.Dim{Kind: equivclass.Number, Width: 1}
	p := &equivclass.Pool{Space: &equivclass.Space{Dims: []equivclass.Dim{dim, dim}}}
	for range n {
		p.X = append(p.X, float32(rng.IntN(20))/19, float32(rng.IntN(20))/19)
		p.SA = append(p.SA, equivclass.Code(rng.IntN(values)))
	}
	return p
}

// worlds calls visit for every world that agrees with the bags.
func worlds(p *publicView, visit func(world)) {
	w, rows := make(world, len(p.group)), p.rows()
	left := make([][]int32, len(p.bags))
	for g, bag := range p.bags {
		left[g] = slices.Clone(bag)
	}
	var next func(at int)
	next = func(at int) {
		if at == len(rows) {
			visit(w)
			return
		}
		r := rows[at]
		for v, n := range left[p.group[r]] {
			if n > 0 {
				left[p.group[r]][v]--
				w[r] = value(v)
				next(at + 1)
				left[p.group[r]][v]++
			}
		}
	}
	next(0)
}

// enumerated is the posterior over all worlds with given weights.
func enumerated(p *publicView, weight func(world) float64) [][]float64 {
	out, sum := make([][]float64, len(p.group)), 0.0
	for r := range out {
		out[r] = make([]float64, p.values)
	}
	worlds(p, func(w world) {
		x := weight(w)
		sum += x
		for r, v := range w {
			out[r][v] += x
		}
	})
	for r := range out {
		for v := range out[r] {
			out[r][v] /= sum
		}
	}
	return out
}

// requireBeliefs compares sampled beliefs with exact ones.
func requireBeliefs(t *testing.T, p *publicView, want [][]float64, got *beliefs, within float64) {
	t.Helper()
	require.Positive(t, got.draws)
	for _, r := range p.rows() {
		for v := range p.values {
			require.InDelta(t, want[r][v], got.in(r, value(v)), within, "row %d value %d", r, v)
		}
	}
}

// tinyReleases are releases of all n records in two classes or more.
func tinyReleases(t *testing.T, by Program, want equivclass.Requirement, n, values, count int) (out []*Release) {
	t.Helper()
	rng := rand.New(rand.NewPCG(4, 5))
	for tries := 0; len(out) < count; tries++ {
		require.Less(t, tries, 1000, "releases of two classes or more")
		if r := Publish(by, tinyPool(rng, n, values), want, uint64(tries)); len(r.classes) > 1 && r.Records() == n {
			out = append(out, r)
		}
	}
	return out
}

func weightOf(rules rules, penalty float64) func(world) float64 {
	return func(w world) float64 { return math.Exp(-penalty * float64(rules.Broken(w))) }
}
