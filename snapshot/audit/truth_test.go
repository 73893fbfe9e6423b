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
func auditChain(c audittest.Chain, k, l int) (*auditor, *linkage) {
	s := &schema{sa: &valueDict{text: make([]string, c.Values)}, sets: newSetDict()}
	a := &auditor{in: &input{s: s, index: &recordIndex{ids: map[string]uint32{}}}, carry: newCarry(),
		report: &Report{K: k, L: l}}
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

// TestLinkCandidatesContainTheTruth: the candidate sets of the link attacker
// hold every value that is possible, so "exactly one" is a disclosure.
func TestLinkCandidatesContainTheTruth(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for range 500 {
		chain, k, l := audittest.RandomChain(r)
		truth, err := audittest.Posteriors(chain)
		require.NoError(t, err)
		a, links := auditChain(chain, k, l)
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
	require.Equal(t, 8, r.Certificates.OtherRecords)
	var text bytes.Buffer
	require.NoError(t, r.Text(&text))
	require.Contains(t, text.String(), "8 in 1 groups without such an argument")

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
	for range 1500 {
		chain, k, l := audittest.RandomChain(r)
		a, links := auditChain(chain, k, l)
		all, roots := components(a.views, links)
		if slices.ContainsFunc(roots, func(x uint32) bool { return all[x].regime() != regimeFrozen }) {
			continue
		}
		got := a.corruption(all, roots)
		require.Zero(t, got.NotComputed)
		require.InDelta(t, corruptionTwin(t, chain), got.Max, 1e-9)
		seen++
	}
	require.Greater(t, seen, 20)
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
