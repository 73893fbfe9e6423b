package equivtest

import (
	"math/rand/v2"
	"testing"

	"anond/equivclass"
)

// drawCase draws a pool and a requirement: points on a grid, values that
// correlate with them, or dimensions of every kind; in a third of the pools a
// subject has several records.
func drawCase(t testing.TB, seed uint64) (*equivclass.Pool, equivclass.Requirement) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 21))
	n := 1 + rng.IntN(200)
	var p *equivclass.Pool
	switch seed % 4 {
	case 0:
		p = Grid(rng, n, 1+rng.IntN(4), 1+rng.IntN(12), 2+rng.IntN(9))
	case 1:
		p = Correlated(rng, n, 1+rng.IntN(4), 1+rng.IntN(12), 2+rng.IntN(9))
	case 2:
		p = MixedPool(t, rng, n)
	case 3:
		p = MixedPool(t, rng, n)
		p.Space.Dims[0].Steps = []float64{.125, .25}
	}
	if rng.IntN(3) == 0 {
		p.Subject = make([]uint64, n)
		for i := range p.Subject {
			p.Subject[i] = uint64(rng.IntN(n)) // 0: another person each time
		}
	}
	want := equivclass.Requirement{K: 1 + rng.IntN(10), L: rng.IntN(5)}
	want.Extra = drawExtra(rng, p)
	return p, want
}

// drawExtra draws further principles, none as often as some.
func drawExtra(rng *rand.Rand, p *equivclass.Pool) []equivclass.Principle {
	switch rng.IntN(6) {
	case 0:
		return []equivclass.Principle{equivclass.DistinctL{L: 3}}
	case 1:
		return []equivclass.Principle{equivclass.EntropyL{L: 1.5}, equivclass.RecursiveL{C: 3, L: 2}}
	case 2:
		return []equivclass.Principle{equivclass.TClose{T: 0.4, Reference: p.Bag(Rows(p.Len())), Ground: equivclass.EqualGround{}}}
	}
	return nil
}
