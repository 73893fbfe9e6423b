package audit

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/audittest"
)

// auditChain runs the auditor's own analysis on a chain given as memberships
// and bags, without files, so that thousands of chains can be held against the
// plain enumeration.
func auditChain(c audittest.Chain, k, l, maxExact int) (*auditor, *linkage) {
	s := &schema{sa: &valueDict{text: make([]string, c.Values)}, sets: newSetDict()}
	a := &auditor{in: &input{s: s, maxExact: maxExact, index: &recordIndex{ids: map[string]uint32{}}}, carry: newCarry(),
		budget: newBudget(Options{}), report: &Report{K: k, L: l}}
	for i, r := range c.Releases {
		t := &table{start: []uint32{0}}
		classOf := make([]uint32, c.Records)
		for j, class := range r.Classes {
			for _, v := range class.Bag {
				t.sa = append(t.sa, uint32(v))
			}
			t.start = append(t.start, uint32(len(t.sa)))
			for _, m := range class.Members {
				classOf[m] = uint32(j) + 1
			}
		}
		t.summarize(s.sets)
		rel := &release{num: i + 1, man: &Manifest{Release: i + 1, Policy: Policy{K: k, L: l}}, tab: t, parts: &parted{}}
		var fates []fate
		a.carry, fates = a.carry.advance(rel, classOf, s, &a.f)
		a.views = append(a.views, view{rel, classOf, fates})
	}
	return a, link(a.views, c.Records)
}

// proposition2 is the worked case of docs/THREAT_MODEL.md, Forbidden: every class is
// signature-balanced, and yet P(s6 = 2) = 0.8.
func proposition2() audittest.Chain {
	return audittest.Chain{Records: 8, Values: 3, Releases: []audittest.Release{
		{Classes: []audittest.Class{{Members: []int{0, 1, 2, 3, 4, 5}, Bag: []int{0, 0, 1, 1, 2, 2}}}},
		{Classes: []audittest.Class{
			{Members: []int{0, 1, 5, 6}, Bag: []int{0, 1, 2, 2}},
			{Members: []int{2, 3, 4, 7}, Bag: []int{0, 0, 1, 2}},
		}},
	}}
}

func TestProposition2(t *testing.T) {
	w, err := audittest.Posteriors(proposition2())
	require.NoError(t, err)
	require.InDelta(t, 0.8, w.P(6, 2), 1e-12)
	require.Equal(t, uint64(36+9), w.Worlds)

	a, k := auditChain(proposition2(), 4, 2, defaultMaxExact)
	all, roots := components(a.views, k)
	problems := buildProblems(a.views, k, all, func(x *component) bool { return x.regime() == regimeNone })
	require.Len(t, roots, 1)
	f := problems[roots[0]].decide(2, defaultMaxExact, &a.budget)
	require.True(t, f.exact)
	require.InDelta(t, 0.8, f.max, 1e-12)

	// The counting effect is invisible to sets and intervals: enumeration is needed.
	f = buildProblems(a.views, k, all, func(*component) bool { return true })[roots[0]].decide(2, 0, &a.budget)
	require.NotContains(t, f.exposed, true)
	require.Zero(t, f.groups)
}

// randomChain draws a small chain by one of several behaviours, safe and
// unsafe. Values are true: bags are those of the members.
func randomChain(r *rand.Rand) (audittest.Chain, int, int) {
	l := 2 + r.IntN(2)
	k := l
	c := audittest.Chain{Values: 3 + r.IntN(2)}
	var value []int
	arrive := func(n int) []int {
		var ids []int
		for range n {
			ids = append(ids, c.Records)
			value = append(value, r.IntN(c.Values))
			c.Records++
		}
		return ids
	}
	behaviour := r.IntN(4)
	var classes [][]int
	for range 2 + r.IntN(2) {
		fresh := arrive(2 + r.IntN(3))
		r.Shuffle(len(fresh), func(i, j int) { fresh[i], fresh[j] = fresh[j], fresh[i] })
		switch {
		case behaviour == 0 || len(classes) == 0: // frozen: a new class per release, eligible or not
			classes = append(classes, fresh)
		case behaviour == 1: // full re-partition
			all := slices.Concat(append(classes, fresh)...)
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			cut := 1 + r.IntN(len(all)-1)
			classes = [][]int{all[:cut], all[cut:]}
		case behaviour == 2: // naive: add to an existing class
			i := r.IntN(len(classes))
			classes = append(slices.Clone(classes[:i]), append([][]int{slices.Concat(classes[i], fresh)}, classes[i+1:]...)...)
		default: // split an old class and add the newcomers as one
			i := r.IntN(len(classes))
			old := slices.Clone(classes[i])
			next := slices.Delete(slices.Clone(classes), i, i+1)
			if len(old) > 1 {
				cut := 1 + r.IntN(len(old)-1)
				next = append(next, old[:cut], old[cut:])
			} else {
				next = append(next, old)
			}
			classes = append(next, fresh)
		}
		var rel audittest.Release
		for _, members := range classes {
			x := audittest.Class{Members: slices.Clone(members)}
			for _, m := range members {
				x.Bag = append(x.Bag, value[m])
			}
			rel.Classes = append(rel.Classes, x)
		}
		c.Releases = append(c.Releases, rel)
	}
	return c, k, l
}

// pureChain regroups one signature at random and lets flat sets join: what rule
// P allows.
func pureChain(r *rand.Rand) (audittest.Chain, int, int) {
	l := 2
	c := audittest.Chain{Values: 3}
	members := make([][]int, 2) // per value of the signature {0,1}
	for step := range 3 {
		for range 1 + r.IntN(2) + (1-min(step, 1))*1 {
			for v := range members {
				members[v] = append(members[v], c.Records)
				c.Records++
			}
		}
		n := len(members[0])
		for v := range members {
			r.Shuffle(n, func(i, j int) { members[v][i], members[v][j] = members[v][j], members[v][i] })
		}
		cut := r.IntN(n)
		var rel audittest.Release
		for _, span := range [][2]int{{0, cut}, {cut, n}} {
			var x audittest.Class
			for v := range members {
				x.Members = append(x.Members, members[v][span[0]:span[1]]...)
				for range span[1] - span[0] {
					x.Bag = append(x.Bag, v)
				}
			}
			if len(x.Members) > 0 {
				rel.Classes = append(rel.Classes, x)
			}
		}
		c.Releases = append(c.Releases, rel)
	}
	return c, 2, l
}

// TestAnalysisAgainstTruth holds every claim of the analysis against the plain
// enumeration of all worlds: certified and safe records are at most 1/l, every
// alarm is true, and exact components agree to the last digit.
func TestAnalysisAgainstTruth(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	tally := map[string]int{}
	for n := range 3000 {
		chain, k, l := randomChain(r)
		if n%4 == 0 {
			chain, k, l = pureChain(r)
		}
		truth, err := audittest.Posteriors(chain)
		require.NoError(t, err)
		for _, maxExact := range []int{0, defaultMaxExact} {
			checkAgainstTruth(t, chain, truth, k, l, maxExact, tally)
		}
	}
	t.Log(tally)
	for _, seen := range []string{"certified", "safe", "exposed", "undecided", "exact exposed", "exact safe", "groups"} {
		require.NotZero(t, tally[seen], "the test must reach: %s", seen)
	}
}

func checkAgainstTruth(t *testing.T, chain audittest.Chain, truth *audittest.Worlds, k, l, maxExact int, tally map[string]int) {
	a, links := auditChain(chain, k, l, maxExact)
	all, roots := components(a.views, links)
	problems := buildProblems(a.views, links, all, func(x *component) bool { return x.regime() == regimeNone })
	findings := map[uint32]*finding{}
	for root, p := range problems {
		findings[root] = p.decide(l, maxExact, &a.budget)
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

// TestLinkCandidatesContainTheTruth: the candidate sets of the link attacker
// hold every value that is possible, so "exactly one" is a disclosure.
func TestLinkCandidatesContainTheTruth(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for range 500 {
		chain, k, l := randomChain(r)
		truth, err := audittest.Posteriors(chain)
		require.NoError(t, err)
		a, links := auditChain(chain, k, l, 0)
		cand := linkAttack(a.views, links.n, a.in.s.sets)
		for rec := range chain.Records {
			for v := range chain.Values {
				if truth.Count[rec][v] > 0 {
					require.Contains(t, a.in.s.sets.sets[cand[rec]-1], uint32(v))
				}
			}
		}
	}
}

// TestProposition2FromFiles: the same through the files, as a person would run
// it; every release alone is 4-anonymous and 2-diverse.
func TestProposition2FromFiles(t *testing.T) {
	p := &plan{k: 4, l: 2, budget: 5, recoding: "generalization"}
	x := p.add(1, "b a c a b c") // one world of Proposition 2
	x = append(x, p.add(2, "c a")...)
	p.releases = [][][]int{{x[:6]}, {{x[0], x[1], x[5], x[6]}, {x[2], x[3], x[4], x[7]}}}
	o := p.write(t, p.render())
	r, err := Dir(o)
	require.NoError(t, err)
	require.Equal(t, VerdictViolated, r.Verdict)
	require.Subset(t, kinds(r.Violations), []string{kindPosterior})
	require.InDelta(t, 0.8, r.Certificates.MaxPosterior, 1e-12)
	var text bytes.Buffer
	require.NoError(t, r.Text(&text))
	require.Contains(t, text.String(), "0.8000 (allowed: 0.5000)")

	chain, err := audittest.Load(o.Releases, o.Members)
	require.NoError(t, err)
	w, err := audittest.Posteriors(chain)
	require.NoError(t, err)
	require.InDelta(t, 0.8, w.Max(), 1e-12)
}

// TestCorruptionAgainstTruth holds the corruption score against enumeration: a
// record whose value became known is taken out of the chain with its value.
func TestCorruptionAgainstTruth(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 17))
	seen := 0
	for range 300 {
		chain, k, l := pureChain(r)
		a, links := auditChain(chain, k, l, defaultMaxExact)
		all, roots := components(a.views, links)
		if len(roots) != 1 || all[roots[0]].regime() == regimeNone || chain.Records < 4 {
			continue
		}
		got := a.corruption(links, all, roots)
		require.Zero(t, got.NotComputed)
		require.InDelta(t, corruptionTwin(t, chain), got.Max, 1e-9)
		seen++
	}
	require.Greater(t, seen, 50)
}

func corruptionTwin(t *testing.T, chain audittest.Chain) float64 {
	top := 0.0
	truth, err := audittest.Posteriors(chain)
	require.NoError(t, err)
	for rec := range chain.Records {
		for v := range chain.Values {
			if truth.Count[rec][v] == 0 {
				continue
			}
			rest, err := audittest.Posteriors(without(chain, rec, v))
			require.NoError(t, err)
			top = max(top, rest.Max())
		}
	}
	return top
}

func without(c audittest.Chain, rec, value int) audittest.Chain {
	out := audittest.Chain{Records: c.Records, Values: c.Values}
	for _, r := range c.Releases {
		var rel audittest.Release
		for _, x := range r.Classes {
			y := audittest.Class{Members: slices.Clone(x.Members), Bag: slices.Clone(x.Bag)}
			if i := slices.Index(y.Members, rec); i >= 0 {
				y.Members = slices.Delete(y.Members, i, i+1)
				j := slices.Index(y.Bag, value)
				y.Bag = slices.Delete(y.Bag, j, j+1)
			}
			rel.Classes = append(rel.Classes, y)
		}
		out.Releases = append(out.Releases, rel)
	}
	return out
}
