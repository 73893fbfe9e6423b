package query

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
)

// bucketed makes classes of k rows in order, and buckets of some neighbouring classes.
func bucketed(t *equivclass.FlaggedTable, k, together int) (r *BucketRelease, classes, buckets [][]int32) {
	rows := equivtest.Rows(t.Len())
	for from := 0; from+k <= len(rows); from += k {
		classes = append(classes, rows[from:from+k])
	}
	s := len(t.Dicts) - 1
	cells := NewCellRelease(t.Dicts, t.Codes, classes, s)
	cells.Grain = Grains(t.Dicts)
	r = cells.Buckets()
	r.Tight, r.Bags = true, nil
	for i := range classes {
		b := i / together
		if b == len(buckets) {
			buckets = append(buckets, nil)
		}
		r.Bucket[i] = int32(b)
		buckets[b] = append(buckets[b], classes[i]...)
	}
	for _, rows := range buckets {
		r.Bags = append(r.Bags, equivclass.BagOf(t.Codes[s], rows))
	}
	return r, classes, buckets
}

// localTwin is the same release, row by row, as local generalization and
// bucketization would show it.
func localTwin(t *equivclass.FlaggedTable, r *BucketRelease, classes, buckets [][]int32) *LocalRelease {
	s := len(t.Dicts) - 1
	cells := NewCellRelease(t.Dicts, t.Codes, classes, s)
	out := &LocalRelease{Dicts: t.Dicts, Cells: cells.Cells, Bucket: make([][]int32, s+1), Values: make([][][]equivclass.Code, s+1),
		Grain: Grains(t.Dicts)}
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

// Exact values, shuffled inside each class, are counted exactly.
func TestBucketReleaseOfShuffledValues(t *testing.T) {
	table := queryTable(t, rand.New(rand.NewPCG(2, 2)), 48)
	r, classes, _ := bucketed(table, 4, 1)
	for j := range r.Columns[:3] {
		r.Columns[j] = Column{Of: equivtest.Rows(len(classes))}
		for _, rows := range classes {
			r.Columns[j].Bags = append(r.Columns[j].Bags, equivclass.BagOf(table.Codes[j], rows))
		}
	}
	whole := NewBlockRelease(table.Dicts, table.Codes, classes, SingleBlocks(4))
	for _, text := range queryTexts {
		q := paBound(t, table.Dicts, text)
		got, want := r.Estimate(q), whole.Estimate(q)
		require.InDelta(t, want.Estimate, got.Estimate, 1e-9, text)
		require.LessOrEqual(t, got.Lower, want.Estimate+1e-9, text)
	}
}
