package audit

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/audittest"
)

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
	a, k := auditChain(chain, 5, 3, defaultMaxExact)
	all, roots := components(a.views, k)
	var c Certificates
	a.report.Certificates = &c
	for _, root := range roots {
		a.certify(&c, all[root])
	}
	problems := buildProblems(a.views, k, all, func(x *component) bool { return x.regime() == regimeNone })
	for _, root := range roots {
		if p := problems[root]; p != nil {
			a.resolve(&c, p)
		}
	}
	plain, linked := newcomerAttack(a.views, k.n, 3, a.in.s)
	require.Equal(t, 4000, linked.People)
	require.Zero(t, plain.BelowL)
	require.Greater(t, linked.BelowLShare, 0.3, "newcomers given away by the difference of their class")
	require.GreaterOrEqual(t, c.ExposedRecords, linked.ExactlyOne)
}
