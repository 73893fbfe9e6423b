package estimate

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
	"anond/equivclass/flagged"
	"anond/equivclass/query"
	"anond/lab/lgb"
	"anond/lab/topdown"
)

// localTwin is the same release, row by row, as local generalization and
// bucketization would show it.
func localTwin(t *flagged.Table, r *query.BucketRelease, classes, buckets [][]int32) *LocalRelease {
	s := len(t.Dicts) - 1
	cells := query.NewCellRelease(t.Dicts, t.Codes, classes, s)
	out := &LocalRelease{Dicts: t.Dicts, Cells: cells.Cells, Bucket: make([][]int32, s+1), Values: make([][][]equivclass.Code, s+1),
		Grain: query.Grains(t.Dicts)}
	for i, rows := range classes {
		for range rows {
			out.Group = append(out.Group, int32(i))
			out.Bucket[s] = append(out.Bucket[s], r.Bucket[i])
		}
	}
	for j := range s {
		out.Bucket[j] = slices.Repeat([]int32{-1}, len(out.Group))
	}
	for _, rows := range buckets {
		var values []equivclass.Code
		for _, row := range rows {
			values = append(values, t.Codes[s][row])
		}
		out.Values[s] = append(out.Values[s], values)
	}
	return out
}

// The estimates are those of the row-by-row estimator, and the bounds hold the truth.
func TestBucketReleaseAgainstRows(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 1))
		table := queryTable(t, rng, 60)
		r, classes, buckets := bucketed(table, 2+rng.IntN(4), 1+rng.IntN(4))
		local := localTwin(table, r, classes, buckets)
		for _, text := range queryTexts {
			q := paBound(t, table.Dicts, text)
			got, want := r.Estimate(q), local.Estimate(q)
			require.InDelta(t, want.Estimate, got.Estimate, 1e-9, "%d %s", seed, text)
			truth := queryDirect(q, table, slices.Concat(buckets...))
			require.LessOrEqual(t, got.Lower, truth+1e-9, "%d %s", seed, text)
			require.GreaterOrEqual(t, got.Upper, truth-1e-9, "%d %s", seed, text)
			if q.Sum < 0 && len(q.Preds) == 1 && q.Preds[0].Attribute != r.Sensitive {
				require.Equal(t, want.Lower, got.Lower)
				require.Equal(t, want.Upper, got.Upper)
			}
		}
	}
}

// LGB: the truth is within the bounds, microdata (no flags, groups of one point)
// are answered exactly, and sums of a wholly bucketed attribute without other
// conditions are exact.
func TestQueryLocalRelease(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	feasible := 0
	for range 30 {
		table := queryTable(t, rng, 60)
		for i := range table.Flags {
			table.Flags[i] = uint64(rng.IntN(2)) | uint64(rng.IntN(2))<<2 | 8
		}
		result, err := lgb.LGB{K: 3, Promises: slices.Repeat([]lgb.LocalPromise{{L: 2}}, 4), Local: topdown.Mondrian{}, Fold: true}.Run(table)
		if err != nil {
			continue // more than half of one bucketed sex or income
		}
		feasible++
		r := NewLocalRelease(table, result)
		r.Grain = query.Grains(table.Dicts)
		kept := slices.Concat(result.Groups...)
		for _, text := range queryTexts {
			bound := paBound(t, table.Dicts, text)
			got, truth := r.Estimate(bound), queryDirect(bound, table, kept)
			require.LessOrEqual(t, got.Lower, truth+1e-9, text)
			require.GreaterOrEqual(t, got.Upper, truth-1e-9, text)
			require.LessOrEqual(t, got.Lower, got.Estimate+1e-9, text)
			require.GreaterOrEqual(t, got.Upper, got.Estimate-1e-9, text)
		}
		exact := paBound(t, table.Dicts, "sum(income)")
		truth := queryDirect(exact, table, kept)
		require.Equal(t, query.Answer{Estimate: truth, Lower: truth, Upper: truth}, r.Estimate(exact))
		require.Equal(t, query.Answer{Estimate: truth, Lower: truth, Upper: truth}, r.PaperSum(exact), "nothing to round")
		many := NewPaperSums(r, exact.Sum)
		for _, q := range Sums(table.Dicts, []int{0, 1, 2}, exact.Sum, 1+rng.IntN(3), 20, rng) {
			lower, upper := many.Bounds(q)
			require.InDelta(t, r.PaperSum(q).Lower, lower, 1e-6)
			require.InDelta(t, r.PaperSum(q).Upper, upper, 1e-6)
		}
	}
	require.Greater(t, feasible, 10)
}

// A bucket that mixes two groups: in each world the values of the bucket are
// assigned to its rows at random. The estimate is the mean over worlds.
func TestQueryLocalReleaseAgainstEnumeration(t *testing.T) {
	table := equivtest.Table(t, []equivclass.Attribute{{Name: "age", Type: equivclass.Integer}, {Name: "sex", Type: equivclass.Categorical},
		{Name: "income", Type: equivclass.Integer}},
		[][]string{{"1", "F!", "10!"}, {"2", "M!", "20!"}, {"3", "F", "30!"}, {"3", "F", "40!"}, {"5", "F!", "50!"}})
	result := &lgb.Result{Groups: [][]int32{{0, 1, 4}, {2, 3}}, Flags: []uint64{6, 4},
		Buckets: [][][]int32{nil, {{0, 1, 4}}, {{0, 2}, {1, 3, 4}}}}
	r := NewLocalRelease(table, result)
	q := paBound(t, table.Dicts, "sum(income) where sex = F")
	// rows 0, 1 and 4 are F with 2/3 each; rows 2 and 3 surely
	require.InDelta(t, (2.0/3+1)/2*40+(2.0/3+2.0/3+1)/3*110, r.Estimate(q).Estimate, 1e-9)
	require.Equal(t, 10.0+20, r.Estimate(q).Lower)
	require.Equal(t, 150.0, r.Estimate(q).Upper)
}

// Section 4.2's bounds round expectations, and the truth may lie outside: four
// rows that are F with 1/2 each are two rows to the paper, whichever two.
func TestLGBPaperBoundsMayFail(t *testing.T) {
	table := equivtest.Table(t, []equivclass.Attribute{{Name: "sex", Type: equivclass.Categorical},
		{Name: "income", Type: equivclass.Integer}},
		[][]string{{"F!", "1!"}, {"F!", "2!"}, {"M!", "3!"}, {"M!", "4!"}, {"F!", "5!"}, {"F!", "6!"}, {"M!", "7!"}, {"M!", "8!"}})
	result := &lgb.Result{Groups: [][]int32{{0, 1, 2, 3, 4, 5, 6, 7}}, Flags: []uint64{3},
		Buckets: [][][]int32{{{0, 2}, {1, 3}, {4, 6}, {5, 7}}, {{0, 1, 4, 5}, {2, 3, 6, 7}}}}
	r := NewLocalRelease(table, result)
	q := paBound(t, table.Dicts, "sum(income) where sex = F")
	truth := queryDirect(q, table, equivtest.Rows(8))
	require.Equal(t, 14.0, truth)
	require.Equal(t, query.Answer{Estimate: 18, Lower: 1 + 2 + 3 + 4, Upper: 5 + 6 + 7 + 8}, r.PaperSum(q))
	require.Equal(t, query.Answer{Estimate: 18, Lower: 0, Upper: 36}, r.Estimate(q))
	low := paBound(t, table.Dicts, "sum(income) where sex = F and income >= 7")
	require.Zero(t, queryDirect(low, table, equivtest.Rows(8)))
	require.Equal(t, 7.0, r.PaperSum(low).Lower, "the paper's lower bound is above the truth, 0")
	require.Zero(t, r.Estimate(low).Lower)
}
