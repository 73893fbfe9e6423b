package estimate

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/accuracy"
	"anond/equivclass/cut"
	"anond/equivclass/equivtest"
	"anond/equivclass/query"
)

func TestRelativeError(t *testing.T) {
	assert.InDelta(t, 0.145, accuracy.RelativeError(1, 0.855), 1e-12)
	assert.InDelta(t, 0.5, accuracy.RelativeError(-4, -2), 1e-12)
}

// The workload of the permutation paper's section 4.2: w predicates, the last on
// the sensitive attribute, runs of floor(|A| s^(1/(w+1))) values.
func TestCountWorkload(t *testing.T) {
	table := equivtest.RandomTable(equivtest.Rand(1), 10, 0)
	src := cut.SplitMix(1)
	for _, q := range accuracy.Counts(table.Dicts, []int{1, 2, 6}, 7, 3, 0.1, 50, &src) {
		require.Equal(t, -1, q.Sum)
		require.Len(t, q.Preds, 3)
		require.Equal(t, 7, q.Preds[2].Attribute)
		for _, p := range q.Preds {
			run := []int{0: 0, 1: 41, 2: 7, 6: 52, 7: 144}[p.Attribute] // of 73, 13, 93, 257 times 0.1^(1/4) = 0.5623
			n := 0
			for _, m := range p.Match {
				if m {
					n++
				}
			}
			require.Equal(t, run, n)
		}
	}
}

// Section 4.2 prints the condition on the sensitive attribute as "A_w = b_w": one
// value, and the intervals of the others as they are.
func TestCountValueWorkload(t *testing.T) {
	table := equivtest.RandomTable(equivtest.Rand(1), 10, 0)
	a, b := cut.SplitMix(1), cut.SplitMix(1)
	values := CountValues(table.Dicts, []int{1, 2, 6}, 7, 3, 0.1, 50, &a)
	asked := map[int]bool{}
	for i, q := range accuracy.Counts(table.Dicts, []int{1, 2, 6}, 7, 3, 0.1, 50, &b) {
		require.Equal(t, q.Preds[:2], values[i].Preds[:2])
		require.Equal(t, 7, values[i].Preds[2].Attribute)
		n := 0
		for c, m := range values[i].Preds[2].Match {
			if m {
				asked[c] = true
				n++
			}
		}
		require.Equal(t, 1, n)
	}
	require.Greater(t, len(asked), 30, "any of 257 values")
}

// The workload of Sun et al.'s section IV: qd attributes and the sensitive one,
// ceil(|A| s^(1/(qd+1))) different values of each, spans and flags alike.
func TestSetWorkload(t *testing.T) {
	table := equivtest.RandomTable(equivtest.Rand(4), 300, 0)
	whole := query.NewBlockRelease(table.Dicts, table.Codes, [][]int32{equivtest.Rows(300)}, query.WholeBlock(9))
	src := cut.SplitMix(4)
	met := map[int]int{}
	for _, q := range Sets(table.Dicts, []int{0, 1, 2, 6}, 7, 2, 0.125, 100, &src) {
		require.Equal(t, -1, q.Sum)
		require.Len(t, q.Preds, 3)
		require.Equal(t, 7, q.Preds[2].Attribute)
		require.NotEqual(t, q.Preds[0].Attribute, q.Preds[1].Attribute)
		for _, p := range q.Preds {
			met[p.Attribute]++
			n := 0
			for c, m := range p.Match {
				if m {
					n++
				}
				if len(p.Spans) > 0 {
					require.Equal(t, m, query.SpansHold(p.Spans, table.Dicts[p.Attribute].Number(equivclass.Code(c))))
				}
			}
			require.Equal(t, []int{0: 1, 1: 37, 2: 7, 6: 47, 7: 129}[p.Attribute], n) // half of 2, 73, 13, 93, 257, rounded up
		}
		require.InDelta(t, queryDirect(q, table, equivtest.Rows(300)), whole.Estimate(q).Estimate, 1e-9)
	}
	require.Len(t, met, 5)
}

// The workload of the LGB paper's section 4.2 asks what it says, number by number.
func TestSumWorkload(t *testing.T) {
	table := equivtest.RandomTable(equivtest.Rand(2), 400, 0)
	whole := query.NewBlockRelease(table.Dicts, table.Codes, [][]int32{equivtest.Rows(400)}, query.WholeBlock(9))
	src := cut.SplitMix(2)
	for _, q := range Sums(table.Dicts, []int{0, 1, 2, 6, 7}, 8, 4, 100, &src) {
		require.Equal(t, 8, q.Sum)
		require.Len(t, q.Preds, 4)
		truth := queryDirect(q, table, equivtest.Rows(400))
		require.Equal(t, query.Answer{Estimate: truth, Lower: truth, Upper: truth}, whole.Estimate(q))
	}
}

func TestMeasureWorkloadLeavesEmptyQueriesOut(t *testing.T) {
	table := equivtest.Table(t, equivtest.ExampleAttributes, equivtest.ExampleRows)
	truth := query.NewBlockRelease(table.Dicts, table.Codes, [][]int32{equivtest.Rows(9)}, query.WholeBlock(3))
	anatomy := query.NewBlockRelease(table.Dicts, table.Codes, equivtest.ExampleGroups, query.AnatomyBlocks(3, 2))
	queries := []*query.Bound{paBound(t, table.Dicts, equivtest.ExampleQuery), paBound(t, table.Dicts, "count where age = 10 and sex = F")}
	got := accuracy.Measure(queries, truth, anatomy.Estimate)
	require.Equal(t, 1, got.Queries)
	require.Equal(t, 1, got.Empty)
	require.InDelta(t, 0.1, got.Mean, 1e-12)
	require.InDelta(t, 0.1, got.Median, 1e-12)
	require.InDelta(t, 2, got.Width, 1e-12, "0 to 1 in each group")
}
