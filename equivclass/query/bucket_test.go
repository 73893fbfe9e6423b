package query

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
	"anond/equivclass/flagged"
)

// bucketed makes classes of k rows in order, and buckets of some neighbouring classes.
func bucketed(t *flagged.Table, k, together int) (r *BucketRelease, classes, buckets [][]int32) {
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
