package audit

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// bigLocal is a chain of two releases of recoding lgb: classes of twelve, a
// third of them with private jobs, a third with private jobs and sexes. Job
// buckets hold three jobs of people from anywhere in the release of their birth,
// so that they cross classes; sex buckets are classes.
func bigLocal(n int) *localPlan {
	r := rand.New(rand.NewPCG(6, 6))
	p := &localPlan{k: 10, l: 5, jobL: 3, sexT: 0.3}
	var state localState
	for release := 1; release <= 2; release++ {
		var pool [3][]int
		state.classes, state.jobs, state.sexes = slices.Clone(state.classes), slices.Clone(state.jobs), slices.Clone(state.sexes)
		size := map[int]int{1: n * 9 / 10, 2: n / 10}[release] / 36 * 36
		for i := range size / 12 {
			c := p.add(release, []string{"", "j", "js"}[i%3], "clerk miner nurse", "F M", "a b c d e f a b c d e f")
			state.classes = append(state.classes, c)
			if i%3 > 0 {
				for k, rec := range c {
					pool[k%3] = append(pool[k%3], rec)
				}
			}
			if i%3 == 2 {
				state.sexes = append(state.sexes, c)
			}
		}
		for _, list := range pool {
			r.Shuffle(len(list), func(a, b int) { list[a], list[b] = list[b], list[a] })
		}
		for i := range pool[0] {
			state.jobs = append(state.jobs, []int{pool[0][i], pool[1][i], pool[2][i]})
		}
		p.releases = append(p.releases, state)
	}
	return p
}

func localGatePolicy(p *localPlan) Policy {
	return Policy{K: p.k, L: p.l, Republication: "append", MaxRegroups: new(int), Rows: true,
		Promises: map[string]Promise{"sex": {T: p.sexT, Distance: "equal"}, "job": {L: p.jobL}}}
}

// BenchmarkGateLocal is what a release by recoding lgb costs the publisher. All
// job buckets look alike by content: classes alone tell them apart.
func BenchmarkGateLocal(b *testing.B) {
	for _, n := range []int{1e4, 1e5, 3e5} {
		b.Run(fmt.Sprintf("records=%.0e", float64(n)), func(b *testing.B) {
			p := bigLocal(n)
			releases := p.render()
			o := p.write(b, releases)
			g := NewGate(localGatePolicy(p))
			found, err := g.Check(filepath.Join(o.Releases, dirName(1)), placedNow(releases[0].number, releases[0].where))
			require.NoError(b, err)
			require.Empty(b, found)
			g.Commit()
			members := placedNow(releases[1].number, releases[1].where)
			b.ReportAllocs()
			for b.Loop() {
				found, err := g.Check(filepath.Join(o.Releases, dirName(2)), members)
				require.NoError(b, err)
				require.Empty(b, found)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(p.people)), "ns/record")
		})
	}
}

// TestBigLocalIsConsistent keeps the benchmark's chain honest.
func TestBigLocalIsConsistent(t *testing.T) {
	p := bigLocal(1500)
	r, err := Dir(p.write(t, p.render()))
	require.NoError(t, err)
	require.Empty(t, r.Violations)
	require.Equal(t, VerdictConsistent, r.Verdict)
}

// TestLocalGate: the gate follows a chain, refuses what Dir calls violated in a
// release alone or against the one before, and resumes.
func TestLocalGate(t *testing.T) {
	p, _ := standardLocal()
	releases := p.render()
	o := p.write(t, releases)
	g := NewGate(localGatePolicy(p))
	for _, r := range releases {
		for range 2 {
			found, err := g.Check(filepath.Join(o.Releases, dirName(r.number)), placedNow(r.number, r.where))
			require.NoError(t, err)
			require.Empty(t, found)
		}
		g.Commit()
	}
	resumed := NewGate(localGatePolicy(p))
	found, err := resumed.Resume(filepath.Join(o.Releases, dirName(1)), placedAll(releases[0].where), nil)
	require.NoError(t, err)
	require.Empty(t, found)
	resumed.compact()
	found, err = resumed.Check(filepath.Join(o.Releases, dirName(2)), placedNow(releases[1].number, releases[1].where))
	require.NoError(t, err)
	require.Empty(t, found)

	for _, weaker := range []map[string]Promise{{}, {"sex": {T: p.sexT, Distance: "equal"}, "job": {L: 3}},
		{"sex": {T: 0.1, Distance: "equal"}, "job": {L: p.jobL}},
		{"sex": {T: p.sexT, Distance: "equal"}, "job": {L: p.jobL}, "city": {L: 2}}} {
		policy := localGatePolicy(p)
		policy.Promises = weaker
		found, err := NewGate(policy).Check(filepath.Join(o.Releases, dirName(1)), placedNow(releases[0].number, releases[0].where))
		require.NoError(t, err)
		require.Contains(t, kinds(found), kindClaimFalse)
	}

	for _, want := range []string{kindBucketAboveL, kindBucketChanged, kindBucketRowsMoved, kindBucketGrown, kindBucketAboveT,
		kindReference, kindDifference, kindClassMerged, kindLoneNewcomer} {
		i := slices.IndexFunc(localMutations, func(m localMutation) bool { return m.want == want })
		bad, groups := standardLocal()
		m := &localMutations[i]
		if m.plan != nil {
			m.plan(bad, groups)
		}
		rendered := bad.render()
		if m.render != nil {
			m.render(bad, rendered)
		}
		o := bad.write(t, rendered)
		gate := NewGate(localGatePolicy(bad))
		var all []Violation
		for _, r := range rendered {
			found, err := gate.Check(filepath.Join(o.Releases, dirName(r.number)), placedNow(r.number, r.where))
			require.NoError(t, err)
			all = append(all, found...)
			gate.Commit()
		}
		// A part whose bytes differ is refused before anything is compared in it.
		require.True(t, slices.ContainsFunc(kinds(all), func(kind string) bool {
			return kind == want || kind == kindPartChanged || kind == kindDeadNotPure
		}), "%s: %v", want, kinds(all))
	}
}
