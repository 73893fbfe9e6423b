package extract

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/cut"
	"anond/equivclass/equivtest"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/measure"
)

// blindCase draws points around centres or on a grid where many are equal, with
// dimensions of every kind, and a k.
func blindCase(t testing.TB, seed uint64) (p *equivclass.Pool, k int) {
	rng := rand.New(rand.NewPCG(seed, 23))
	n := rng.IntN(400)
	switch seed % 3 {
	case 0:
		p = equivtest.Grid(rng, n, 1+rng.IntN(4), 1+rng.IntN(6), 5)
	case 1:
		p = clusteredPool(rng, n, 1+rng.IntN(7), 5)
	case 2:
		p = clusteredPool(rng, n, 1+rng.IntN(7), 5)
		mixKinds(t, rng, p)
	}
	return p, 2 + rng.IntN(12)
}

// requireExact demands classes of exactly k, every row once, and the newest rows
// as rest.
func requireExact(t *testing.T, n, k int, groups [][]int32, rest []int32) {
	t.Helper()
	equivtest.CheckCover(t, groups, rest, n)
	for _, g := range groups {
		require.Len(t, g, k)
	}
	require.Equal(t, equivtest.Rows(n)[n/k*k:], rest, "the newest wait")
}

func TestBlindKeepsItsGuarantee(t *testing.T) {
	classes, cases := 0, tier.Of(t, 30, 60, 300)
	for seed := range uint64(cases) {
		pool, k := blindCase(t, seed)
		p, before := pool.Points(), slices.Clone(pool.X)
		groups, rest := Blind{}.Classes(p, k)
		requireExact(t, p.Len(), k, groups, rest)
		require.Equal(t, before, p.X, "the points were changed")
		again, _ := Blind{}.Classes(p, k)
		require.Equal(t, groups, again)
		classes += len(groups)
	}
	require.Greater(t, classes, 10*cases, "the cases are too small to tell anything")
}

func TestBlindAtTheEdges(t *testing.T) {
	for _, n := range []int{0, 1, 4, 5, 6, 9, 10, 11, 250} {
		for _, k := range []int{0, 2, 5, 300} {
			p := clusteredPool(rand.New(rand.NewPCG(9, 1)), n, 3, 5)
			groups, rest := Blind{}.Classes(p.Points(), k)
			requireExact(t, n, max(2, k), groups, rest)
			clear(p.X)
			groups, rest = Blind{}.Classes(p.Points(), k)
			requireExact(t, n, max(2, k), groups, rest)
		}
	}
	// Two classes do not fit into a bucket.
	p := clusteredPool(rand.New(rand.NewPCG(9, 2)), 3301, 1, 5)
	groups, rest := Blind{}.Classes(p.Points(), 1100)
	requireExact(t, 3301, 1100, groups, rest)
}

// TestBlindIsGivenNoValues: what Blind is given has no place for a sensitive
// value. A field that is added to Points must be looked at here.
func TestBlindIsGivenNoValues(t *testing.T) {
	var fields []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[equivclass.Points]()) {
		fields = append(fields, f.Name+" "+f.Type.String())
	}
	assert.Equal(t, []string{"Space *equivclass.Space", "X []float32"}, fields)
	classes := reflect.TypeOf(Blind{}.Classes)
	assert.Equal(t, 2, classes.NumIn())
	assert.Equal(t, reflect.TypeFor[equivclass.Points](), classes.In(0))
	assert.Equal(t, reflect.TypeFor[int](), classes.In(1))
	var own []string // what a Blind carries besides
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Blind]()) {
		own = append(own, f.Name+" "+f.Type.String())
	}
	assert.Equal(t, []string{"Workers int", "stop func() bool", "tell func(int, int)"}, own)
}

// TestBlindClassesIgnoreValues permutes the values over the people of a pool.
func TestBlindClassesIgnoreValues(t *testing.T) {
	for seed := range uint64(20) {
		p, k := blindCase(t, seed)
		groups, rest := Blind{}.Classes(p.Points(), k)
		rng := rand.New(rand.NewPCG(seed, 24))
		rng.Shuffle(len(p.SA), func(i, j int) { p.SA[i], p.SA[j] = p.SA[j], p.SA[i] })
		same, restSame := Blind{}.Classes(p.Points(), k)
		require.Equal(t, groups, same)
		require.Equal(t, rest, restSame)
	}
}

// TestBlindInAnotherOrder: the cells are a function of the coordinates of those
// who are in classes; the order of arrival only tells equal records apart.
func TestBlindInAnotherOrder(t *testing.T) {
	for seed := range uint64(30) {
		p, k := blindCase(t, seed)
		d, n := p.D(), p.Len()/k*k
		one := equivclass.Points{Space: p.Space, X: p.X[:n*d]}
		other := equivclass.Points{Space: p.Space}
		for _, i := range rand.New(rand.NewPCG(seed, 25)).Perm(n) {
			other.X = append(other.X, p.At(int32(i))...)
		}
		require.Equal(t, contents(one, k), contents(other, k), "seed %d", seed)
	}
}

// contents are the coordinates of the members of each class, sorted.
func contents(p equivclass.Points, k int) []string {
	groups, _ := Blind{}.Classes(p, k)
	d := len(p.Space.Dims)
	var out []string
	for _, g := range groups {
		var members []string
		for _, r := range g {
			members = append(members, fmt.Sprint(p.X[int(r)*d:int(r+1)*d]))
		}
		slices.Sort(members)
		out = append(out, fmt.Sprint(members))
	}
	slices.Sort(out)
	return out
}

func TestBlindForAnyNumberOfWorkers(t *testing.T) {
	tier.NotShort(t, "it forms the classes of a large pool several times")
	p := clusteredPool(rand.New(rand.NewPCG(6, 1)), tier.Of(t, 3000, 3000, 30000), 5, 9).Points()
	groups, rest := Blind{Workers: 1}.Classes(p, 3)
	for _, workers := range []int{2, 5} {
		same, restSame := Blind{Workers: workers}.Classes(p, 3)
		require.Equal(t, groups, same)
		require.Equal(t, rest, restSame)
	}
}

// TestBlindEndsEarly: see TestExtractEndsEarly.
func TestBlindEndsEarly(t *testing.T) {
	tier.NotShort(t, "it forms the classes of a large pool several times")
	p := clusteredPool(rand.New(rand.NewPCG(3, 19)), tier.Of(t, 4000, 4000, 7000), 4, 9).Points()
	groups, _ := Blind{Workers: 2}.Classes(p, 5)
	var asked atomic.Int64
	same, _ := Blind{Workers: 2}.WithStop(func() bool { asked.Add(1); return false }).Classes(p, 5)
	require.Equal(t, groups, same)
	all := asked.Load()
	require.Greater(t, all, int64(10), "it asks while it works")
	for _, after := range []int64{0, 3, 6, all - 3} {
		asked.Store(0)
		Blind{Workers: 2}.WithStop(func() bool { return asked.Add(1) > after }).Classes(p, 5)
		require.Less(t, asked.Load(), all, "what remains is left out")
	}
}

// TestEqualRecordsLoseNothing: of m equal records, all but m mod k are in
// classes without loss.
func TestEqualRecordsLoseNothing(t *testing.T) {
	p := equivtest.Grid(rand.New(rand.NewPCG(8, 1)), 1200, 2, 9, 3)
	const k = 5
	groups, _ := Blind{}.Classes(p.Points(), k)
	exact, want := 0, 0
	for _, g := range groups {
		if p.Loss(g) == 0 {
			exact++
		}
	}
	count := map[string]int{}
	for r := range int32(1200) {
		count[fmt.Sprint(p.At(r))]++
	}
	for _, m := range count {
		want += m / k
	}
	require.Greater(t, want, 100)
	require.Less(t, want, len(groups), "some records have no equals")
	require.Equal(t, want, exact)
}

// TestDividingNeverLosesMore: neighbours divided anew are the same records, in
// classes of the same size, at a smaller loss or as they were.
func TestDividingNeverLosesMore(t *testing.T) {
	better := 0
	for seed := range uint64(60) {
		p, k := blindCase(t, seed)
		m := 2 + int(seed%2)
		if p.Len() < m*k {
			continue
		}
		x := newExtraction(p, equivclass.Requirement{K: k, L: 1})
		x.size, x.most = k, k
		x.fixed = newFixed(x.losses)
		var before float32
		for i := range m {
			x.drafts = append(x.drafts, x.newDraft(equivtest.Rows(p.Len())[i*k:(i+1)*k]))
			before += x.drafts[i].span
		}
		v := divider{x: x, rng: cut.SplitMix(seed), together: m, usual: make([]float32, m+1)}
		v.divide([]int32{0, 1, 2}[:m])
		equivtest.CheckCover(t, x.groups(), nil, m*k)
		var after, measured float32
		for _, c := range x.drafts {
			require.Len(t, c.rows, k)
			after += c.span
			x.measure(c)
			measured += c.span
		}
		require.Equal(t, measured, after, "each class knows its loss")
		require.LessOrEqual(t, after, before)
		if after < before {
			better++
		}
	}
	require.Greater(t, better, 20)
}

// TestBlindWithHierarchies: also with hierarchies and steps it loses less than
// Extract without a requirement on values, whose classes may be larger than k.
func TestBlindWithHierarchies(t *testing.T) {
	p := equivtest.AdultHierarchies(t, 2000)
	for _, k := range []int{5, 10} {
		groups, _ := Blind{}.Classes(p.Points(), k)
		others, rest := Extract{}.Partition(p, equivclass.Requirement{K: k, L: 1})
		blind, extracted := equivclass.NCP(p, groups, 0), equivclass.NCP(p, others, len(rest))
		t.Logf("k=%d: %.4f, extract %.4f", k, blind, extracted)
		require.Less(t, blind, extracted)
	}
}

// TestBlindOnAdult: the loss is about what rig/docs/BENCHMARKS.md says.
func TestBlindOnAdult(t *testing.T) {
	n := tier.Of(t, 2000, 6000, 30000)
	p := equivtest.AdultPool(t, n, "occupation", "age", "workclass", "education-num", "marital-status", "race", "sex", "native-country")
	most := map[int][2]float64{2000: {.083, .0465}, 6000: {.0565, .031}, 30000: {.029, .0153}}[n]
	for i, k := range []int{10, 5} {
		groups, rest := Blind{Workers: runtime.GOMAXPROCS(0)}.Classes(p.Points(), k)
		requireExact(t, n, k, groups, rest)
		loss := measure.IntervalNCP(p, groups, 0)
		t.Logf("%d records, k=%d: loss %.4f", n, k, loss)
		require.Less(t, loss, most[i])
	}
}
