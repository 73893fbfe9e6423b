package audit

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/audittest"
	"anond/snapshot/audit/chain"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/shares"
	"anond/snapshot/audit/table"
)

// auditChain runs the auditor's own analysis on a chain given as memberships
// and bags, without files, so that thousands of chains can be held against the
// plain enumeration.
func auditChain(c audittest.Chain, k, l int) (*era, *chain.Linkage) {
	s := &format.Schema{Sa: &format.ValueDict{Text: make([]string, c.Values)}, Sets: format.NewSetDict()}
	a := newEra(&auditor{in: &input{index: &chain.RecordIndex{Ids: map[string]uint32{}}},
		report: &Report{declared: declared{K: k, L: l}, Corruption: &corruption{}}}, &eraInput{s: s})
	for i, r := range c.Releases {
		t := &table.Table{Start: []uint32{0}}
		classOf := make([]uint32, c.Records)
		for j, class := range r.Classes {
			for _, v := range class.Bag {
				t.Sa = append(t.Sa, uint32(v))
			}
			t.Start = append(t.Start, uint32(len(t.Sa)))
			for _, m := range class.Members {
				classOf[m] = uint32(j) + 1
			}
		}
		t.Summarize(s.Sets)
		rel := &chain.Release{Num: i + 1, Man: &format.Manifest{Release: i + 1, Policy: format.Policy{K: k, L: l}}, Tab: t,
			Parts: &chain.Parted{}}
		var fates []chain.Fate
		a.carry, fates = a.carry.Advance(rel, classOf, s, &a.f)
		a.views = append(a.views, chain.View{Rel: rel, ClassOf: classOf, Fates: fates})
	}
	return a, chain.Link(a.views, c.Records)
}

// TestLinkCandidatesContainTheTruth: the candidate sets of the link attacker
// hold every value that is possible, so "exactly one" is a disclosure.
func TestLinkCandidatesContainTheTruth(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for range 500 {
		world, k, l := audittest.RandomChain(r)
		truth, err := audittest.Posteriors(world)
		require.NoError(t, err)
		a, links := auditChain(world, k, l)
		cand := shares.LinkAttack(a.views, links.N, a.s.Sets)
		for rec := range world.Records {
			for v := range world.Values {
				if truth.Count[rec][v] > 0 {
					require.Contains(t, a.s.Sets.Sets[cand[rec]-1], uint32(v))
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
	require.Equal(t, verdictViolated, r.Verdict)
	require.Equal(t, 8, r.Certificates.OtherRecords)
	var text bytes.Buffer
	require.NoError(t, r.Text(&text))
	require.Contains(t, text.String(), "8 in 1 groups without such an argument")

	world, err := audittest.Load(o.Releases, o.Members)
	require.NoError(t, err)
	w, err := audittest.Posteriors(world)
	require.NoError(t, err)
	require.InDelta(t, 0.8, w.Max(), 1e-12)
}

// TestCorruptionAgainstTruth holds the corruption score against enumeration: a
// record whose value became known is taken out of the chain with its value.
func TestCorruptionAgainstTruth(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 17))
	seen := 0
	for range 1500 {
		world, k, l := audittest.RandomChain(r)
		a, links := auditChain(world, k, l)
		all, roots := chain.Components(a.views, links)
		if slices.ContainsFunc(roots, func(x uint32) bool { return all[x].Regime() != chain.RegimeFrozen }) {
			continue
		}
		a.corruption(all, roots)
		got := a.report.Corruption
		require.Zero(t, got.NotComputed)
		require.InDelta(t, corruptionTwin(t, world), got.Max, 1e-9)
		seen++
	}
	require.Greater(t, seen, 20)
}

func corruptionTwin(t *testing.T, world audittest.Chain) float64 {
	top := 0.0
	truth, err := audittest.Posteriors(world)
	require.NoError(t, err)
	for rec := range world.Records {
		for v := range world.Values {
			if truth.Count[rec][v] == 0 {
				continue
			}
			rest, err := audittest.Posteriors(without(world, rec, v))
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
