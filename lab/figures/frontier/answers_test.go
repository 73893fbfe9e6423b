package frontier

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/equivclass/query"
)

// The kinds of queries are what they say, and the seed fixes them.
func TestWorkload(t *testing.T) {
	data, err := adult.load("", 1)
	require.NoError(t, err)
	const n, each = 3000, 40
	w := newWorkload(data, n, each, 7)
	for _, kind := range []struct {
		queries  []*query.Bound
		from, to float64
		on       bool // the sensitive attribute
	}{{w.large, .01, .05, true}, {w.small, .002, .01, true}, {w.quasi, .01, .05, false}} {
		require.Len(t, kind.queries, each)
		for _, q := range kind.queries {
			share := data.count(q, n) / n
			require.True(t, kind.from <= share && share < kind.to)
			require.Equal(t, kind.on, q.Preds[len(q.Preds)-1].Attribute == len(adult.quasi))
		}
	}
	require.Equal(t, w, newWorkload(data, n, each, 7))
	require.NotEqual(t, w, newWorkload(data, n, each, 8))
	require.Empty(t, newWorkload(data, n, 0, 7).large)
}

func TestMedianBucketAndBuckets(t *testing.T) {
	p := &published{groups: [][]int32{{0, 1}, {2, 3}, {4, 5}, {6, 7}}, bucket: []int32{0, 1, 1, 1}}
	require.Equal(t, 6, p.medianBucket())
	require.Equal(t, [][]int32{{0, 1}, {2, 3, 4, 5, 6, 7}}, p.rows())
	require.Equal(t, 2, alone(p.groups).medianBucket())
	require.Zero(t, (&published{}).medianBucket())
}

// With the values in the rows of their classes and exact cells, nothing is wrong; with
// buckets of everybody, counts on the quasi-identifiers still are exact.
func TestAnswersOfExactCells(t *testing.T) {
	data, err := adult.load("", 1)
	require.NoError(t, err)
	const n = 2000
	w := newWorkload(data, n, 30, 7)
	each := &published{}
	for i := range int32(n) {
		each.groups, each.bucket = append(each.groups, []int32{i}), append(each.bucket, i)
	}
	var row frontierRow
	each.ask(data, &w, &row)
	require.Less(t, row.QueryLarge+row.QuerySmall+row.QueryQI, 1e-9)
	require.Less(t, row.QueryLargeModel+row.QuerySmallModel+row.QueryQIModel, 1e-9)
	for i := range each.bucket {
		each.bucket[i] = 0
	}
	row = frontierRow{}
	each.ask(data, &w, &row)
	require.Less(t, row.QueryQI+row.QueryQIModel, 1e-9)
	require.Greater(t, row.QueryLarge, 0.01)
}

// Read with a model, level L2 tells an analyst more than level L1 does at the same
// k, l and hold, although values stand in buckets of several classes.
func TestModelReadsBuckets(t *testing.T) {
	tier.Heavy(t, "it measures for seconds")
	for _, c := range []struct {
		k, l int
		most float64 // of L1's error
	}{{10, 5, .75}, {5, 3, 1.1}} {
		r, err := Measure(context.Background(), Options{K: c.k, L: c.l, Seed: 2, Bare: true, Policies: []string{"L2", "append"},
			MaxHolds: []int64{3}, Queries: Queries})
		require.NoError(t, err)
		l2, l1 := r.Rows[0], r.Rows[1]
		t.Logf("%+v", l2)
		t.Logf("%+v", l1)
		require.Equal(t, []string{"L2", "L1"}, []string{l2.Level, l1.Level})
		require.LessOrEqual(t, l2.QueryLargeModel, c.most*l1.QueryLargeModel)
		require.LessOrEqual(t, l2.QuerySmallModel, c.most*l1.QuerySmallModel)
		require.Less(t, l2.QueryLargeModel, l2.QueryLarge, "the model pays at level L2")
	}
}
