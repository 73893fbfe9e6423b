package lgb

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
)

// uniqueBucketsTwin is the assignment algorithm as m-invariance prints it: sort
// the values again each time, and try every number of values and of copies.
func uniqueBucketsTwin(lists [][]int32, m int) [][]int32 {
	lists = slices.Clone(lists)
	value := make([]int, len(lists))
	for i := range value {
		value[i] = i
	}
	var buckets [][]int32
	for {
		n := 0
		for _, l := range lists {
			n += len(l)
		}
		if n == 0 {
			return buckets
		}
		slices.SortStableFunc(value, func(a, b int) int {
			if d := len(lists[b]) - len(lists[a]); d != 0 {
				return d
			}
			return a - b
		})
		b, a := uniqueStep(lists, value, m, n)
		for i := range a {
			var bucket []int32
			for _, v := range value[:b] {
				bucket = append(bucket, lists[v][i])
			}
			buckets = append(buckets, bucket)
		}
		for _, v := range value[:b] {
			lists[v] = lists[v][a:]
		}
	}
}

// uniqueStep returns the least b and then the largest a whose removal leaves an
// m-eligible rest.
func uniqueStep(lists [][]int32, value []int, m, n int) (b, a int) {
	for b = m; b <= len(value); b++ {
		for a = len(lists[value[b-1]]); a > 0; a-- {
			most := 0
			for i, v := range value {
				c := len(lists[v])
				if i < b {
					c -= a
				}
				most = max(most, c)
			}
			if most*m <= n-a*b {
				return b, a
			}
		}
	}
	panic("an m-eligible set without a step")
}

func TestUniqueBucketsAgainstTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	feasible := 0
	for range 3000 {
		m := 1 + rng.IntN(5)
		lists, next := make([][]int32, 1+rng.IntN(9)), int32(0)
		most := 0
		for v := range lists {
			for range rng.IntN(7) {
				lists[v] = append(lists[v], next)
				next++
			}
			most = max(most, len(lists[v]))
		}
		buckets, ok := uniqueBuckets(lists, m)
		require.Equal(t, most*m <= int(next), ok)
		if !ok {
			require.Nil(t, buckets)
			continue
		}
		feasible++
		require.Equal(t, uniqueBucketsTwin(lists, m), buckets)
		equivtest.CheckCover(t, buckets, nil, int(next))
		for _, b := range buckets {
			require.GreaterOrEqual(t, len(b), m)
		}
	}
	require.Greater(t, feasible, 500)
}

// localBucketsTwin is Algorithm 2 as printed, on slices of pairs.
func localBucketsTwin(column []equivclass.Code, order []int32, rows []int32, l int) [][]int32 {
	eligible := func(rows []int32) bool {
		most := 0
		for _, r := range rows {
			n := 0
			for _, q := range rows {
				if column[q] == column[r] {
					n++
				}
			}
			most = max(most, n)
		}
		return most*l <= len(rows)
	}
	ranks := make([]int32, len(rows))
	for i, r := range rows {
		ranks[i] = order[column[r]]
	}
	slices.Sort(ranks)
	median := ranks[(len(ranks)-1)/2]
	var small, big []int32
	for _, r := range rows {
		if order[column[r]] <= median {
			small = append(small, r)
		} else {
			big = append(big, r)
		}
	}
	if len(small) > 0 && len(big) > 0 && eligible(small) && eligible(big) {
		return append(localBucketsTwin(column, order, small, l), localBucketsTwin(column, order, big, l)...)
	}
	lists := make([][]int32, len(order))
	for _, r := range rows {
		lists[order[column[r]]] = append(lists[order[column[r]]], r)
	}
	return uniqueBucketsTwin(lists, l)
}

func TestLocalBucketsAgainstTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	feasible := 0
	for range 600 {
		n, values, l := 1+rng.IntN(60), 1+rng.IntN(20), 1+rng.IntN(5)
		column, order := make([]equivclass.Code, n), make([]int32, values)
		for i := range column {
			column[i] = equivclass.Code(rng.IntN(values))
		}
		for v, at := range rng.Perm(values) {
			order[v] = int32(at)
		}
		rows := equivtest.Rows(n)
		got := localBuckets(column, order, rows, l, rng)
		if got == nil {
			require.False(t, (&equivclass.Pool{SA: column}).Bag(rows).Eligible(l))
			continue
		}
		feasible++
		equivtest.CheckCover(t, got, nil, n)
		require.Equal(t, BucketValues(column, localBucketsTwin(column, order, rows, l)), BucketValues(column, got),
			"draws change who is in a bucket, not its values")
		require.Equal(t, equivtest.Rows(n), rows, "the caller's rows stay as they are")
	}
	require.Greater(t, feasible, 200)
}
