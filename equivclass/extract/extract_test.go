package extract

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
	"anond/equivclass/equivtest/cuts"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/measure"
)

// clusteredPool makes n records in d dimensions around 30 centres, half of the
// dimensions coarse, the sensitive value correlated with the centre.
func clusteredPool(rng *rand.Rand, n, d, values int) *equivclass.Pool {
	centres := make([]float64, 30*d)
	for i := range centres {
		centres[i] = rng.Float64()
	}
	p := &equivclass.Pool{Space: &equivclass.Space{Dims: make([]equivclass.Dim, d)}, X: make([]float32, n*d), SA: make([]equivclass.Code, n)}
	for j := range p.Space.Dims {
		p.Space.Dims[j] = equivclass.Dim{Kind: equivclass.Number, Width: 1}
	}
	for i := range n {
		g := rng.IntN(30)
		for j := range d {
			v := min(1, max(0, centres[g*d+j]+rng.NormFloat64()*.1))
			if j%2 == 1 {
				v = float64(int(v*6)) / 6
			}
			p.X[i*d+j] = float32(v)
		}
		p.SA[i] = equivclass.Code(rng.IntN(values))
		if rng.IntN(4) == 0 {
			p.SA[i] = equivclass.Code((g + rng.IntN(2)) % values)
		}
	}
	return p
}

// mixKinds turns some dimensions into trees, sets and steps.
func mixKinds(t testing.TB, rng *rand.Rand, p *equivclass.Pool) {
	t.Helper()
	tree, err := equivclass.ParseHierarchy("zone", strings.NewReader("a;x;*\nb;x;*\nc;x;*\nd;y;*\ne;y;*\nf;z;*\ng;z;*\n"))
	require.NoError(t, err)
	for j := range p.Space.Dims {
		dim := &p.Space.Dims[j]
		switch rng.IntN(4) {
		case 1:
			*dim = equivclass.Dim{Kind: equivclass.Tree, Size: tree.Leaves(), Tree: tree}
		case 2:
			*dim = equivclass.Dim{Kind: equivclass.Set, Size: 2 + rng.IntN(90)}
		case 3:
			dim.Steps = []float64{.125, .25}
		}
		if dim.Size == 0 {
			continue
		}
		for i := range p.SA { // onto the grid of codes
			p.X[i*p.D()+j] = float32(float64(dim.Code(p.X[i*p.D()+j])) / float64(dim.Size-1))
		}
	}
}

func extractCase(t testing.TB, seed uint64) (*equivclass.Pool, equivclass.Requirement) {
	rng := rand.New(rand.NewPCG(seed, 7))
	want := equivclass.Requirement{L: 2 + rng.IntN(4)}
	want.K = want.L + rng.IntN(8)
	p := clusteredPool(rng, rng.IntN(500), 1+rng.IntN(7), 1+rng.IntN(12))
	switch seed % 3 {
	case 1:
		p.Subject = make([]uint64, p.Len())
		for i := range p.Subject {
			p.Subject[i] = rng.Uint64N(uint64(p.Len()))
		}
	case 2:
		mixKinds(t, rng, p)
	}
	switch seed % 5 {
	case 0:
		want.Extra = []equivclass.Principle{equivclass.DistinctL{L: want.L + 1}}
	case 1:
		want.Extra = []equivclass.Principle{equivclass.EntropyL{L: float64(want.L)}, equivclass.RecursiveL{C: 2, L: 2}}
	}
	return p, want
}

func TestExtractKeepsItsGuarantee(t *testing.T) {
	classes, cases := 0, tier.Of(t, 60, 100, 300)
	for seed := range uint64(cases) {
		p, want := extractCase(t, seed)
		groups, rest := Extract{}.Partition(p, want)
		equivtest.CheckPartition(t, p, want, groups, rest)
		classes += len(groups)
		again, restAgain := Extract{}.Partition(p, want)
		require.Equal(t, groups, again)
		require.Equal(t, rest, restAgain)
	}
	require.Greater(t, classes, 10*cases, "the cases are too hard to tell anything")
}

// Recut keeps every bag flat with the one signature, and undercuts RankCut.
func TestRecutKeepsFlatClassesAndNeverLosesMore(t *testing.T) {
	better := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 3))
		s, c := 2+rng.IntN(4), 4+rng.IntN(40)
		p := clusteredPool(rng, s*c, 1+rng.IntN(4), s)
		var signature []equivclass.Code
		for v := range s {
			signature = append(signature, equivclass.Code(v))
		}
		for i := range p.SA {
			p.SA[i] = equivclass.Code(i % s)
		}
		want := equivclass.Requirement{K: s * (1 + rng.IntN(3)), L: s}
		groups := Recut(p, signature, want.K)
		equivtest.CheckPartition(t, p, want, groups, nil)
		for _, g := range groups {
			require.True(t, p.Bag(g).Flat())
			require.Equal(t, signature, p.Bag(g).Signature())
		}
		before, after := equivclass.NCP(p, RankCut(p, signature, want.K), 0), equivclass.NCP(p, groups, 0)
		require.LessOrEqual(t, after, before+1e-6)
		if after < before-1e-6 {
			better++
		}
	}
	require.Greater(t, better, 30)
}

// All records alike: whatever is taken, nothing is lost and nothing hangs.
func TestExtractOnTies(t *testing.T) {
	for _, n := range []int{0, 1, 9, 10, 11, 19, 20, 250} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			p := clusteredPool(rand.New(rand.NewPCG(1, 1)), n, 3, 5)
			clear(p.X)
			for i := range p.SA {
				p.SA[i] = equivclass.Code(i % 5)
			}
			want := equivclass.Requirement{K: 10, L: 5}
			groups, rest := Extract{}.Partition(p, want)
			equivtest.CheckPartition(t, p, want, groups, rest)
			if n >= 10 {
				require.Empty(t, rest[min(len(rest), 9):], "of n records with equal shares at most k-1 are left over")
			}
		})
	}
}

// A value at exactly 1/l of the pool must be in every class: the guard ensures it.
func TestExtractPlacesAValueAtItsLimit(t *testing.T) {
	p := clusteredPool(rand.New(rand.NewPCG(2, 1)), 900, 4, 12)
	for i := range p.SA {
		p.SA[i] = equivclass.Code(1 + i%11)
		if i%3 == 0 {
			p.SA[i] = 0
		}
	}
	want := equivclass.Requirement{K: 6, L: 3}
	groups, rest := Extract{}.Partition(p, want)
	equivtest.CheckPartition(t, p, want, groups, rest)
	require.LessOrEqual(t, len(rest), 9)
}

func TestExtractLeavesAnInfeasibleSurplus(t *testing.T) {
	p := clusteredPool(rand.New(rand.NewPCG(3, 1)), 400, 3, 6)
	for i := range p.SA {
		if i%4 != 0 {
			p.SA[i] = 0
		}
	}
	want := equivclass.Requirement{K: 4, L: 2}
	groups, rest := Extract{}.Partition(p, want)
	equivtest.CheckPartition(t, p, want, groups, rest)
	require.NotEmpty(t, groups)
	require.NotEmpty(t, rest)
	for _, r := range rest {
		require.Equal(t, equivclass.Code(0), p.SA[r], "only the surplus is left")
	}
}

func TestExtractLosesLessThanMondrian(t *testing.T) {
	p := clusteredPool(rand.New(rand.NewPCG(4, 1)), 3000, 7, 14)
	want := equivclass.Requirement{K: 10, L: 5}
	groups, rest := Extract{}.Partition(p, want)
	cuts, none := cuts.Median{}.Partition(p, want)
	require.Less(t, equivclass.NCP(p, groups, len(rest)), 0.6*equivclass.NCP(p, cuts, len(none)))
}

// The order of the pool may change which of equal records goes where, but a
// shift of sensitive codes may not change anything.
func TestExtractIsBlindToTheNamesOfValues(t *testing.T) {
	p, want := extractCase(t, 33)
	groups, rest := Extract{}.Partition(p, want)
	for i := range p.SA {
		p.SA[i] = 1000 - 7*p.SA[i]
	}
	renamed, restRenamed := Extract{}.Partition(p, want)
	require.Equal(t, groups, renamed)
	require.Equal(t, rest, restRenamed)
}

func BenchmarkExtract(b *testing.B) {
	for _, n := range []int{20, 50, 100, 1000, 15000, 100000, 1000000} {
		p := clusteredPool(rand.New(rand.NewPCG(1, 1)), n, 7, 14)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			loss := 0.0
			for b.Loop() {
				groups, rest := Extract{Workers: runtime.GOMAXPROCS(0)}.Partition(p, equivclass.Requirement{K: 10, L: 5})
				b.StopTimer()
				loss = measure.IntervalNCP(p, groups, len(rest))
				b.StartTimer()
			}
			b.ReportMetric(loss, "ncp")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/record")
		})
	}
}
