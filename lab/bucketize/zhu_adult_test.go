package bucketize

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
	"anond/equivclass/equivtest/tier"
)

// zhuGLP runs a method on a table; NG is measured on its rings.
func zhuGLP(t testing.TB, p *equivclass.Pool, m equivclass.Partitioner, l int) (glp float64, groups [][]int32) {
	t.Helper()
	groups, rest := m.Partition(p, equivclass.Requirement{K: l, L: l})
	require.Empty(t, rest)
	if m.Name() == "ng" {
		return NewCorrespondence(p).RingGLP(groups, l, 0), groups
	}
	return NewCorrespondence(p).GLP(groups, 0), groups
}

// Figures 2 and 4: GLP by l and by n. Of the paper's claims on Adult
//   - GLP grows with l and falls with n, and arp is below aip everywhere: holds;
//   - arp below anatomy: holds up to l = 3. From l = 4 on the first attribute of
//     Algorithm 1, sex, has a value that is not l-diverse by itself, so the initial
//     partition is one block and arp is anatomy by another draw (within 0.005);
//   - anatomy is the worst: does not hold, aip is. A block of many different
//     values ties its records to more wrong ones than a group of l does;
//   - ng is as good as arp: holds where blocks are small.
//
// arp-up, which is ours, is below all of them everywhere.
func TestZhuFigures2And4(t *testing.T) {
	tier.Heavy(t, "it measures ten settings on all of Adult")
	type setting struct{ n, l int }
	var settings []setting
	for _, l := range []int{2, 3, 4, 5, 6, 7} {
		settings = append(settings, setting{20000, l})
	}
	for _, n := range []int{5000, 10000, 15000, 30162} {
		settings = append(settings, setting{n, 5})
	}
	glp := map[setting]map[string]float64{}
	all := adultCategories(t, 30162)
	for _, s := range settings {
		p := &equivclass.Pool{Space: all.Space, X: all.X[:s.n*all.D()], SA: all.SA[:s.n]}
		g := map[string]float64{}
		for _, m := range zhuPartitioners() {
			g[m.Name()], _ = zhuGLP(t, p, m, s.l)
		}
		glp[s] = g
		t.Logf("n=%d l=%d GLP arp-up %.4f arp %.4f ng %.4f anatomy %.4f aip %.4f", s.n, s.l, g["arp-up"], g["arp"], g["ng"], g["anatomy"],
			g["aip"])
		require.Less(t, g["arp"], g["aip"])
		require.Less(t, g["ng"], g["aip"])
		require.InDelta(t, g["arp"], g["ng"], 0.02)
		require.Less(t, g["arp"], g["anatomy"]+0.005)
		if s.l <= 3 {
			require.Less(t, g["arp"], g["anatomy"]-0.03)
		}
		require.Less(t, g["arp-up"], min(g["arp"], g["anatomy"], g["ng"])-0.02)
	}
	for _, m := range zhuPartitioners() {
		for l := 3; l <= 7 && m.Name() != "aip"; l++ {
			require.Greater(t, glp[setting{20000, l}][m.Name()], glp[setting{20000, l - 1}][m.Name()], m.Name())
		}
		require.Less(t, glp[setting{30162, 5}][m.Name()], glp[setting{5000, 5}][m.Name()], m.Name())
	}
}

// Property 7 on Adult: how much of phi^2 each method keeps.
func TestZhuAdultPreservedPhi2(t *testing.T) {
	p := adultCategories(t, 30162)
	order, phi := Phi2Order(p, 0)
	for _, l := range []int{3, 5}[:tier.Of(t, 1, 1, 2)] {
		_, arp := zhuGLP(t, p, ARP{}, l)
		_, up := zhuGLP(t, p, ARPUp{}, l)
		_, at := zhuGLP(t, p, Anatomy{}, l)
		for _, j := range order {
			a, u, x := Phi2Preserved(p, arp, j, 0), Phi2Preserved(p, up, j, 0), Phi2Preserved(p, at, j, 0)
			t.Logf("l=%d dimension %d: phi^2 %.4f, kept by arp %.4f, arp-up %.4f, anatomy %.4f", l, j, phi[j], a, u, x)
			require.Greater(t, u, x)
			require.Less(t, a, phi[j]+1e-9)
		}
		first := order[0]
		require.Greater(t, Phi2Preserved(p, up, first, 0), 10*Phi2Preserved(p, at, first, 0)/float64(l))
		if l == 3 {
			require.Greater(t, Phi2Preserved(p, arp, first, 0), 0.99*phi[first], "the first dimension is kept")
		}
	}
}

// 30,162 rows of Adult: valid groups, and the time in the log (the aim is a
// second; the benchmarks measure it).
func TestZhuAdult(t *testing.T) {
	n := tier.Of(t, 3000, 5000, 30162)
	p := adultCategories(t, n)
	for _, want := range []equivclass.Requirement{{K: 5, L: 5}, {K: 20, L: 3}} {
		for _, m := range zhuPartitioners() {
			groups, rest, took := equivtest.Quickest(m, p, want)
			equivtest.CheckPartition(t, p, want, groups, rest)
			t.Logf("k=%d l=%d %-9s %5d classes, RE %.0f of at least %.0f, NCP %.2f %%, %v", want.K, want.L, m.Name(), len(groups),
				RE(p, groups, len(rest)), REBound(p.Len(), want.L), 100*equivclass.NCP(p, groups, len(rest)), took.Round(time.Millisecond))
		}
	}
}
