package lgb_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/accuracy"
	"anond/equivclass/cut"
	"anond/equivclass/equivtest"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/flagged"
	"anond/equivclass/measure"
	"anond/equivclass/query"
	"anond/lab/estimate"
	"anond/lab/lgb"
	"anond/lab/topdown"
	"anond/testdata"
)

// lgbACS is the excerpt of ACS in the shape of the LGB paper's table 1: sex, age
// and industry semi-sensitive, income sensitive, five QI attributes; flags of
// the semi-sensitive values are drawn at random with the given density.
func lgbACS(t testing.TB, density float64) *flagged.Table {
	table := equivtest.Columns(t, testdata.ACS, 1<<30, "SEX", "AGEP#", "MSP", "HISP", "RAC1P", "EDU#", "DENSITY#", "INDP", "PINCP#")
	rng := equivtest.Rand(11)
	for i := range table.Flags {
		table.Flags[i] = 1 << 8
		for _, j := range []int{0, 1, 7} {
			if rng.Float64() < density {
				table.Flags[i] |= 1 << j
			}
		}
	}
	return table
}

// lgbMeasured is what figures 5 to 8 show of one cut.
type lgbMeasured struct {
	dm        int64
	ncp, rate float64 // rate: median of (upper - lower) / actual
}

func lgbMeasure(t testing.TB, table *flagged.Table, k, l int, local equivclass.Partitioner) lgbMeasured {
	t.Helper()
	src := cut.SplitMix(3)
	queries := estimate.Sums(table.Dicts, []int{0, 1, 2, 3, 4, 5, 6, 7}, 8, 4, 200, &src)
	truth := query.NewBlockRelease(table.Dicts, table.Codes, [][]int32{equivtest.Rows(table.Len())}, query.WholeBlock(9))
	result, err := lgb.LGB{K: k, Promises: lgbPromises(9, l), Local: local, Fold: true}.Run(table)
	require.NoError(t, err)
	require.Empty(t, result.Rest)
	ncp, values := estimate.LocalNCP(table, result)
	w := accuracy.Measure(queries, truth, estimate.NewLocalRelease(table, result).PaperSum)
	out := lgbMeasured{measure.CDM(measure.Sizes(result.Groups), 0, 1), ncp / float64(values), w.MedianWidth}
	t.Logf("k=%2d l=%2d %-15s C_DM %7d NCP %.4f rate median %6.3f mean %6.3f, error median %.3f", k, l, local.Name(), out.dm, out.ncp,
		w.MedianWidth, w.Width, w.Median)
	return out
}

// Figures 5 to 7 on ACS. C_DM of lgb-mdp is much lower than that of lgb-ncp (5;
// that it does not depend on l is TestLGBGroupsDoNotDependOnL): holds. NCP of
// lgb-ncp is lower (6): holds, by 4 % where the paper has 14 to 17 %. The error
// rate grows with k and with l (7): holds; that k weighs more than l does not:
// from 5 to 10 either adds a quarter. The fixed split is better than both in
// both measures.
func TestLGBFigures5To7OnACS(t *testing.T) {
	tier.Heavy(t, "it measures three figures on all of ACS")
	table := lgbACS(t, 0.2)
	mdp, ncp := lgbMeasure(t, table, 5, 5, topdown.Mondrian{}), lgbMeasure(t, table, 5, 5, topdown.NCPSplit{})
	fixed := lgbMeasure(t, table, 5, 5, topdown.NCPSplit{Fixed: true})
	assert.Less(t, 1.2*float64(mdp.dm), float64(ncp.dm), "figure 5")
	assert.Less(t, ncp.ncp, mdp.ncp, "figure 6")
	assert.Less(t, fixed.dm, mdp.dm, "ours")
	assert.Less(t, fixed.ncp, 0.9*ncp.ncp, "ours")
	for local, at5 := range map[equivclass.Partitioner]lgbMeasured{topdown.Mondrian{}: mdp, topdown.NCPSplit{}: ncp} {
		assert.Less(t, at5.rate, lgbMeasure(t, table, 10, 5, local).rate, "figure 7: in k")
		assert.Less(t, at5.rate, lgbMeasure(t, table, 5, 10, local).rate, "figure 7: in l")
	}
}

// Figure 8 claims that the rate falls as more values are sensitive. On ACS it
// rises, for two reasons. Bucketed values stay exact, but a row may have any of
// the 15 of its bucket, which answers a query no better than a cell of that
// width. And flags split the table: with more different sets of QI attributes
// each subset of the QI partition is smaller and its cells are wider.
func TestLGBFigure8OnACS(t *testing.T) {
	tier.Heavy(t, "it measures a figure on all of ACS")
	sparse := lgbMeasure(t, lgbACS(t, 0.1), 10, 15, topdown.Mondrian{})
	dense := lgbMeasure(t, lgbACS(t, 0.4), 10, 15, topdown.Mondrian{})
	assert.Greater(t, dense.rate, sparse.rate)
	assert.Greater(t, dense.ncp, sparse.ncp)
}
