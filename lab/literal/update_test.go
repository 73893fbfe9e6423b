package literal

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/lab/topdown"
)

var methods = []Method{Local, Full, I3M}

func space(d int) *equivclass.Space {
	s := &equivclass.Space{Dims: make([]equivclass.Dim, d)}
	for j := range s.Dims {
		s.Dims[j] = equivclass.Dim{Kind: equivclass.Number, Width: 1}
	}
	return s
}

// scraps is a partitioner that leaves records over: rows in order, a class as
// soon as those gathered hold, no look at coordinates.
type scraps struct{}

func (scraps) Name() string { return "scraps" }

func (scraps) Partition(p *equivclass.Pool, want equivclass.Requirement) (groups [][]int32, rest []int32) {
	var open []int32
	for i := range p.SA {
		subject := p.Subject[i]
		if subject != 0 && slices.ContainsFunc(open, func(r int32) bool { return p.Subject[r] == subject }) {
			rest = append(rest, int32(i))
			continue
		}
		if open = append(open, int32(i)); want.Holds(p.Bag(open)) {
			groups, open = append(groups, open), nil
		}
	}
	return groups, append(rest, open...)
}

func partitioners() []equivclass.Partitioner {
	return []equivclass.Partitioner{topdown.WangCloseK{}, topdown.WangMedian{}, topdown.Mondrian{}, topdown.MondrianRelaxed{}, scraps{}}
}

func randomRows(rng *rand.Rand, n, d, values, subjects int) []Row {
	rows := make([]Row, n)
	for i := range rows {
		rows[i] = Row{X: make([]float32, d), SA: equivclass.Code(min(rng.IntN(values), rng.IntN(values)))}
		for j := range rows[i].X {
			rows[i].X[j] = float32(rng.IntN(17)) / 16
		}
		if subjects > 0 {
			rows[i].Subject = uint64(rng.IntN(subjects))
		}
	}
	return rows
}

// valid checks that a release alone satisfies the requirement, and that it shows
// everyone whom the release before showed.
func valid(t *testing.T, u *Update, want equivclass.Requirement, groups []Group, before map[int32]bool) map[int32]bool {
	t.Helper()
	shown := map[int32]bool{}
	for _, g := range groups {
		require.True(t, want.Holds(u.pool.Bag(g)), "a class breaks the requirement")
		require.GreaterOrEqual(t, len(g), want.K)
		subjects := map[uint64]bool{}
		for _, r := range g {
			require.False(t, shown[r], "a record in two classes")
			shown[r] = true
			s := u.pool.Subject[r]
			require.False(t, s != 0 && subjects[s], "a subject twice in a class")
			subjects[s] = true
		}
	}
	for r := range before {
		require.True(t, shown[r], "a published record disappeared")
	}
	for _, r := range u.Waiting() {
		require.False(t, shown[r], "a waiting record is published")
	}
	require.Equal(t, u.pool.Len(), len(shown)+len(u.Waiting()), "a record was lost")
	return shown
}

func TestEveryReleaseIsValid(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	flushed := map[string]int{}
	rounds := tier.Of(t, 6, 12, 25)
	for round := range rounds {
		d, want := 1+rng.IntN(3), equivclass.Requirement{K: 2 + rng.IntN(4), L: 1 + rng.IntN(3)}
		subjects := []int{0, 60}[round%2]
		var batches [][]Row
		for range 12 {
			batches = append(batches, randomRows(rng, rng.IntN(25), d, 7, subjects))
		}
		for _, m := range methods {
			for _, by := range partitioners() {
				u := New(m, by, want, Params{Space: space(d), Threshold: -1})
				shown := map[int32]bool{}
				for _, b := range batches {
					u.Insert(b...)
					shown = valid(t, u, want, u.Release(), shown)
				}
				valid(t, u, want, u.Flush(), shown)
				if subjects == 0 && want.Holds(u.pool.Bag(everything(u.pool.Len()))) {
					require.Empty(t, u.Waiting(), "%s with %s: every record is published in the end", m, by.Name())
					flushed[m.String()]++
				}
			}
		}
	}
	for _, m := range methods {
		require.Greater(t, flushed[m.String()], rounds*6/5)
	}
}

func TestReleasesAreDeterministic(t *testing.T) {
	run := func(m Method) (out []string) {
		rng := rand.New(rand.NewPCG(2, 2))
		u := New(m, topdown.WangMedian{}, equivclass.Requirement{K: 3, L: 2}, Params{Space: space(2), Threshold: -1})
		for range 8 {
			u.Insert(randomRows(rng, 20, 2, 5, 0)...)
			out = append(out, fmt.Sprint(u.Release()))
		}
		return out
	}
	for _, m := range methods {
		require.Equal(t, run(m), run(m))
	}
}

// twoTowns is a table of two far clusters, four records each, k = 2.
func twoTowns(m Method) *Update {
	u := New(m, topdown.WangMedian{}, equivclass.Requirement{K: 2, L: 1}, Params{Space: space(2), Threshold: -1})
	for _, x := range [][]float32{{0, 0}, {0.125, 0.125}, {0.25, 0}, {0.25, 0.25}, {0.75, 1}, {0.875, 0.875}, {1, 0.75}, {1, 1}} {
		u.Insert(Row{X: x})
	}
	u.Release()
	return u
}

func TestThreshold(t *testing.T) {
	for _, m := range methods {
		u := twoTowns(m)
		before := u.Release()
		u.Insert(Row{X: []float32{0.125, 0}})
		require.Equal(t, before, u.Release(), "k-1 updates wait")
		require.Equal(t, []int32{8}, u.Waiting())
		u.Insert(Row{X: []float32{0.125, 0.0625}})
		require.NotEqual(t, before, u.Release(), "one more starts the update")
		require.Empty(t, u.Waiting())
	}
}

func TestReachOfAnUpdate(t *testing.T) {
	far := func(groups []Group) (out []Group) {
		for _, g := range groups {
			if slices.Contains(g, 4) || slices.Contains(g, 7) {
				out = append(out, g)
			}
		}
		return out
	}
	for _, m := range methods {
		u := twoTowns(m)
		require.Len(t, u.groups(), 4)
		before := far(u.groups())
		u.Insert(Row{X: []float32{0.125, 0}}, Row{X: []float32{0.125, 0.0625}})
		u.Release()
		after := far(u.groups())
		if m != Full {
			require.Equal(t, before, after)
			require.Same(t, &before[0][0], &after[0][0], "%s: the far town is not touched", m)
			continue
		}
		require.NotSame(t, &before[0][0], &after[0][0], "a full update does everything anew")
	}
}

func TestI3MRedoesTheTouchedClassAlone(t *testing.T) {
	u := twoTowns(I3M)
	before := u.Release()
	u.Insert(Row{X: []float32{0, 0.0625}}, Row{X: []float32{0.0625, 0}}) // both at the class of row 0
	kept := 0
	for _, g := range u.Release() {
		if slices.ContainsFunc(before, func(b Group) bool { return slices.Equal(b, g) }) {
			kept++
		}
	}
	require.Equal(t, 3, kept)
}

func TestOutsideTheRegionIsGlobal(t *testing.T) {
	u := New(Local, topdown.WangMedian{}, equivclass.Requirement{K: 2, L: 1}, Params{Space: space(1), Threshold: 0})
	for _, x := range []float32{0.25, 0.375, 0.5, 0.625} {
		u.Insert(Row{X: []float32{x}})
	}
	u.Release()
	u.Insert(Row{X: []float32{0.3125}})
	require.False(t, u.outside())
	u.Insert(Row{X: []float32{1}})
	require.True(t, u.outside())
	require.Equal(t, []Group{{0, 1, 4}, {2, 3, 5}}, sorted(u.Release()))
}

// A record between both towns lies in no class: by section IV.B the update is
// global, by the paper's algorithm it is not.
func TestOutsideOfEveryClass(t *testing.T) {
	for _, global := range []bool{false, true} {
		u := twoTowns(Local)
		u.params.GlobalWithoutClass, u.params.Similar = global, 1
		whole := u.Repartitioned()
		require.Equal(t, 8, whole, "the first load")
		u.Insert(Row{X: []float32{0.5, 0.375}}, Row{X: []float32{0.375, 0.5}})
		require.Equal(t, global, u.outside())
		u.Release()
		require.Equal(t, global, u.Repartitioned()-whole == 10, "all ten records are partitioned anew")
		inside := u.classes[0].box.Lo
		u.Insert(Row{X: inside}, Row{X: inside})
		require.False(t, u.outside(), "a class has it")
	}
}

func sorted(groups []Group) []Group {
	out := slices.Clone(groups)
	slices.SortFunc(out, func(a, b Group) int { return slices.Compare(a, b) })
	return out
}

// A record that its class cannot take at l = 2 waits, and is published when its
// region has been widened.
func TestWaitsUntilItCanBePlaced(t *testing.T) {
	for _, m := range []Method{Local, I3M} {
		u := New(m, topdown.WangMedian{}, equivclass.Requirement{K: 2, L: 2},
			Params{Space: space(1), Threshold: 0, Similar: 1, Neighbours: 1, MaxHold: 1})
		u.Insert(Row{X: []float32{0}, SA: 1}, Row{X: []float32{0.25}, SA: 2}, Row{X: []float32{0.75}, SA: 3}, Row{X: []float32{1}, SA: 4})
		require.Len(t, u.Release(), 2)
		u.Insert(Row{X: []float32{0.125}, SA: 1})
		first := u.Release()
		if len(u.Waiting()) > 0 { // {1,2,1} breaks l = 2
			require.Len(t, first, 2)
			u.Release()
		}
		require.Empty(t, u.Waiting(), m.String())
	}
	u := New(I3M, topdown.WangMedian{}, equivclass.Requirement{K: 2, L: 2}, Params{Space: space(1), Threshold: 0})
	u.Insert(Row{X: []float32{0}, SA: 1}, Row{X: []float32{1}, SA: 1})
	require.Empty(t, u.Release(), "one value alone is never published at l = 2")
	require.Empty(t, u.Flush())
	require.Equal(t, []int32{0, 1}, u.Waiting())
}

// Rule F (forbidden operations) forbids this package in the daemon: both releases are
// valid, and their difference is the newcomer's value.
func TestLiteralUpdateExposesANewcomer(t *testing.T) {
	for _, m := range methods {
		want := equivclass.Requirement{K: 2, L: 2}
		u := New(m, topdown.WangMedian{}, want, Params{Space: space(1), Threshold: 0})
		u.Insert(Row{X: []float32{0}, SA: 1}, Row{X: []float32{1}, SA: 2})
		before := u.Release()
		shown := valid(t, u, want, before, nil)
		u.Insert(Row{X: []float32{0.5}, SA: 3})
		after := u.Release()
		valid(t, u, want, after, shown)
		difference := u.pool.Bag(after[0])
		for _, c := range u.pool.Bag(before[0]).Counts {
			difference.Add(c.Code, -c.N)
		}
		require.Equal(t, []equivclass.Code{3}, difference.Signature(), "%s", m)
	}
}

func TestMethodNames(t *testing.T) {
	require.Equal(t, "[literal full-update i3m method(9)]", fmt.Sprint(append(methods, 9)))
}
