package posterior

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/audittest"
)

func chainOf(c audittest.Chain) Chain {
	numbers := func(list []int) (out []uint32) {
		for _, n := range list {
			out = append(out, uint32(n))
		}
		return out
	}
	out := Chain{Records: c.Records}
	for _, r := range c.Releases {
		var classes []Class
		for _, x := range r.Classes {
			classes = append(classes, Class{numbers(x.Members), numbers(x.Bag)})
		}
		out.Releases = append(out.Releases, classes)
	}
	return out
}

func TestProposition2(t *testing.T) {
	w, err := audittest.Posteriors(audittest.Proposition2())
	require.NoError(t, err)
	require.InDelta(t, 0.8, w.P(6, 2), 1e-12)
	require.Equal(t, uint64(36+9), w.Worlds)

	chain := chainOf(audittest.Proposition2())
	found, err := Search(chain, Options{K: 4, L: 2, MaxExact: Exact})
	require.NoError(t, err)
	require.Equal(t, [2]int{2, 6}, [2]int{found.Exposed, found.Safe})
	require.InDelta(t, 0.8, found.Max, 1e-12)

	// The counting effect is invisible to sets and intervals: enumeration is needed.
	found, err = Search(chain, Options{K: 4, L: 2})
	require.NoError(t, err)
	require.Zero(t, found.Exposed+found.Groups)
}

// TestAnalysisAgainstTruth holds every claim of the analysis against the plain
// enumeration of all worlds: certified and safe records are at most 1/l, every
// alarm is true, and exact components agree to the last digit.
func TestAnalysisAgainstTruth(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	tally := map[string]int{}
	for n := range 3000 {
		chain, k, l := audittest.RandomChain(r)
		if n%4 == 0 {
			chain, k, l = audittest.PureChain(r)
		}
		truth, err := audittest.Posteriors(chain)
		require.NoError(t, err)
		for _, maxExact := range []int{0, Exact} {
			checkAgainstTruth(t, chain, truth, k, l, maxExact, tally)
		}
	}
	t.Log(tally)
	for _, seen := range []string{"certified", "safe", "exposed", "undecided", "exact exposed", "exact safe", "groups"} {
		require.NotZero(t, tally[seen], "the test must reach: %s", seen)
	}
}

func checkAgainstTruth(t *testing.T, chain audittest.Chain, truth *audittest.Worlds, k, l, maxExact int, tally map[string]int) {
	views := viewsOf(chainOf(chain))
	links := link(views, chain.Records)
	all, roots := components(views, links, Options{K: k, L: l})
	problems := buildProblems(views, links, all)
	budget := workBudget{exactBudget, maxNarrowings}
	findings := map[uint32]*finding{}
	for root, p := range problems {
		findings[root] = p.decide(l, maxExact, &budget)
		require.False(t, findings[root].contradictory)
	}
	above := map[uint32]bool{} // components with someone above 1/l
	highest := map[uint32]float64{}
	for rec := range chain.Records {
		root := links.parent.find(uint32(rec))
		for v := range chain.Values {
			above[root] = above[root] || truth.Count[rec][v]*uint64(l) > truth.Worlds
			highest[root] = max(highest[root], truth.P(rec, v))
		}
	}
	for rec := range chain.Records {
		exposed := false
		for v := range chain.Values {
			exposed = exposed || truth.Count[rec][v]*uint64(l) > truth.Worlds
		}
		root := links.parent.find(uint32(rec))
		f := findings[root]
		if f == nil {
			require.False(t, exposed, "certified and exposed: %+v", chain)
			tally["certified"]++
			continue
		}
		p := problems[root]
		typ := slices.Index(p.typeID, links.typ[rec])
		prefix := ""
		if f.exact {
			prefix = "exact "
		}
		switch {
		case f.exposed[typ]:
			require.True(t, exposed, "false alarm: %+v", chain)
			tally[prefix+"exposed"]++
		case f.safe[typ]:
			require.False(t, exposed, "falsely safe: %+v", chain)
			tally[prefix+"safe"]++
		default:
			tally["undecided"]++
		}
	}
	for _, root := range roots {
		if f := findings[root]; f != nil {
			if f.groups > 0 {
				require.True(t, above[root], "false group alarm: %+v", chain)
				tally["groups"]++
			}
			if f.exact {
				require.InDelta(t, highest[root], f.max, 1e-9)
			} else {
				require.LessOrEqual(t, f.max, highest[root]+1e-9)
			}
		}
	}
}

// naiveChain is what an unsafe publisher makes at scale: records join existing
// classes, which split when they are large; each release alone is fine.
func naiveChain(n, releases, batch, values int) audittest.Chain {
	r := rand.New(rand.NewPCG(9, 9))
	c := audittest.Chain{Values: values, Records: n + releases*batch}
	value := make([]int, c.Records)
	for i := range value {
		value[i] = min(r.IntN(values), r.IntN(values))
	}
	var classes [][]int
	for i := 0; i < n; i += 10 {
		var x []int
		for j := i; j < min(i+10, n); j++ {
			x = append(x, j)
		}
		classes = append(classes, x)
	}
	for rel := range releases + 1 {
		if rel > 0 {
			for rec := n + (rel-1)*batch; rec < n+rel*batch; rec++ {
				i := r.IntN(len(classes))
				classes[i] = append(slices.Clone(classes[i]), rec)
				if x := classes[i]; len(x) >= 20 {
					r.Shuffle(len(x), func(a, b int) { x[a], x[b] = x[b], x[a] })
					classes[i] = x[:10]
					classes = append(classes, x[10:])
				}
			}
		}
		var out audittest.Release
		for _, x := range classes {
			k := audittest.Class{Members: slices.Clone(x)}
			for _, m := range x {
				k.Bag = append(k.Bag, value[m])
			}
			out.Classes = append(out.Classes, k)
		}
		c.Releases = append(c.Releases, out)
	}
	return c
}

// TestNaiveChainIsMeasured: a chain of an unsafe publisher is measured in full,
// at a size where enumeration is out of reach.
func TestNaiveChainIsMeasured(t *testing.T) {
	chain := naiveChain(6000, 20, 200, 12)
	found, err := Search(chainOf(chain), Options{K: 5, L: 3, MaxExact: Exact})
	require.NoError(t, err)
	require.Equal(t, chain.Records, found.Certified+found.Exposed+found.Safe+found.Undecided)
	require.Greater(t, found.Exposed, 1200, "newcomers given away by the difference of their class")
}

// TestContradictionIsAnError: two releases that no assignment of values fits.
func TestContradictionIsAnError(t *testing.T) {
	all := []uint32{0, 1}
	_, err := Search(Chain{Records: 3, Releases: [][]Class{{{all, []uint32{0, 0}}}, {{[]uint32{0, 1, 2}, []uint32{1, 1, 1}}}}},
		Options{K: 2, L: 2, MaxExact: Exact})
	require.ErrorIs(t, err, errContradictory)
}
