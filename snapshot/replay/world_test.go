package replay

import (
	"anond/incremental/state"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/merge"
)

// mergedPool lets Merge decide on a pool of classes of two records whose values are given
// by record, in so many sub-pools, and returns the bucket of each class.
func mergedPool(classes, subPools int, values []uint32, orders func(merge.Key, []int32) []int32) []state.BucketID {
	bags := make([]merge.Bag, classes)
	for i := range bags {
		pair := []uint32{values[2*i], values[2*i+1]}
		slices.Sort(pair)
		if pair[0] == pair[1] {
			bags[i] = merge.Bag{{Value: pair[0], N: 2}}
		} else {
			bags[i] = merge.Bag{{Value: pair[0], N: 1}, {Value: pair[1], N: 1}}
		}
	}
	draws := merge.NewDraws([32]byte{1}, merge.Key{Release: 1, Pool: 1, Purpose: "bucket"}).Through(orders)
	buckets, _ := merge.Pool(bags, 2, subPools, merge.Requirement{Caps: merge.Frequency(2)}, draws, merge.Run{})
	out := make([]state.BucketID, classes)
	for b, members := range buckets {
		for _, c := range members {
			out[c] = state.BucketID(b + 1)
		}
	}
	return out
}

// TestWorldsKeepBuckets: in pools with and without sub-pools, joined ones among them, each
// world gives the buckets of the pool, as Theorem F says; and some world does not if the
// draws stay where they were.
func TestWorldsKeepBuckets(t *testing.T) {
	joined, divided, alone, broken := 0, 0, 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 5))
		subPools := 1 + rng.IntN(3)
		classes := subPools * (2 + rng.IntN(3))
		values := make([]uint32, 2*classes)
		for i := range values {
			values[i] = uint32(min(rng.IntN(4), rng.IntN(4)))
		}
		drawn := &orders{at: map[merge.Key][]int32{}}
		buckets := mergedPool(classes, subPools, values, drawn.note)
		r := &Recording{rows: make([]equivclass.Row, len(values)), intents: []state.Intent{{Release: 1}}}
		inSubPool, sizes := map[state.BucketID]map[int]bool{}, map[state.BucketID]int{}
		for i, b := range buckets {
			r.classes = append(r.classes, &state.Class{ID: state.ClassID(i), Born: 1, Bucket: b,
				Members: []state.RecordID{state.RecordID(2 * i), state.RecordID(2*i + 1)}})
			if inSubPool[b] == nil {
				inSubPool[b] = map[int]bool{}
			}
			inSubPool[b][i%subPools] = true
			sizes[b]++
		}
		for b, s := range inSubPool {
			if len(s) > 1 {
				joined++
				if sizes[b] < len(s)*classes/subPools {
					divided++
				}
			} else if subPools > 1 {
				alone++
			}
		}
		for n := range 6 {
			w := r.newWorld(n, drawn)
			moved := make([]uint32, len(values))
			for i, from := range w.of {
				moved[i] = values[from]
				require.Equal(t, buckets[from/2], buckets[i/2], "a value leaves its bucket")
			}
			require.Equal(t, buckets, mergedPool(classes, subPools, moved, w.order), "seed %d, world %d", seed, n)
			if !slices.Equal(buckets, mergedPool(classes, subPools, moved, drawn.note)) {
				broken++
			}
		}
	}
	require.Greater(t, joined, 10)
	require.Greater(t, divided, 10, "Theorem F")
	require.Greater(t, alone, 10)
	require.Greater(t, broken, 10)
}
