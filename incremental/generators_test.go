package incremental_test

import (
	"anond/incremental/state"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/equivclass/merge"
	"anond/incremental"
)

// TestAdultBucketsUnderTheGenerators: the generators of Theorem E leave the buckets as
// they are: values permuted inside classes, and all values of classes of one bucket
// exchanged, with the draws exchanged too. With sub-pools, the generators are those
// of Theorem F.
func TestAdultBucketsUnderTheGenerators(t *testing.T) {
	t.Parallel()
	tier.Heavy(t, "it replays 6,000 records many times")
	for _, subPool := range []int{1000, merge.SubPoolClasses, 60} {
		r := adultStream(t)
		r.subPool = subPool
		plain := r.run(r.values())
		require.GreaterOrEqual(t, len(plain.releases), 5)
		for seed := range uint64(8) {
			rng, values := rand.New(rand.NewPCG(seed, 62)), r.values()
			places, exchanged := map[merge.Key]map[int32]int32{}, 0
			for _, v := range plain.releases {
				exchanged += r.exchange(rng, values, v, places)
			}
			require.Greater(t, exchanged, 200)
			r.moved = func(k merge.Key, place int32) int32 {
				if to, found := places[merge.Key{Release: k.Release, SubPool: k.SubPool}][place]; found {
					return to
				}
				return place
			}
			moved := r.run(values)
			require.Equal(t, plain.bucketsOf(), moved.bucketsOf())
			require.Equal(t, plain.times, moved.times)
			r.moved = nil
			require.NotEqual(t, plain.bucketsOf(), r.run(values).bucketsOf(), "the draws must be exchanged too")
		}
		t.Logf("%d buckets of joined sub-pools (TestWorldsKeepBuckets has more)", r.aligned)
	}
}

// exchange applies the generators to the buckets of a release: it notes the new places of
// parts in their Merge, and returns how many classes move. Sub-pools that were joined
// exchange all their values, and so do the places of a bucket, in all of them at once.
func (r *replay) exchange(rng *rand.Rand, values [][]byte, v *incremental.View, places map[merge.Key]map[int32]int32) (moved int) {
	before := slices.Clone(values)
	subPools, _ := merge.Blocks(len(v.Classes), r.subPool, len(v.Classes))
	in := map[state.BucketID][]int{}
	for i, c := range v.Classes {
		in[c.Bucket] = append(in[c.Bucket], i)
	}
	for _, i := range slices.Sorted(maps.Keys(in)) {
		var node, at []int // sub-pools, and places
		for _, class := range in[i] {
			node, at = append(node, class%subPools), append(at, class/subPools)
		}
		slices.Sort(node)
		node, at = slices.Compact(node), slices.Compact(at)
		top, key := merge.Key{Release: uint64(v.Intent.Release)}, merge.Key{Release: uint64(v.Intent.Release)}
		to := map[int]int{node[0]: node[0]}
		if subPools > 1 {
			key.SubPool = uint32(node[0] + 1)
			to = exchanged(rng, places, top, node)
		}
		if len(node) > 1 && len(at) < len(v.Classes)/subPools {
			r.aligned++
		}
		onto := exchanged(rng, places, key, at)
		for _, class := range in[i] {
			other := onto[class/subPools]*subPools + to[class%subPools]
			from, into := v.Classes[class].Members, v.Classes[other].Members
			for j, at := range rng.Perm(len(from)) {
				values[into[j]] = before[from[at]]
			}
			if other != class {
				moved++
			}
		}
	}
	return moved
}

// exchanged draws where the parts of a group go, unless that was drawn before, for another
// bucket of the same node, and notes it for the draws.
func exchanged(rng *rand.Rand, places map[merge.Key]map[int32]int32, key merge.Key, parts []int) map[int]int {
	if places[key] == nil {
		places[key] = map[int32]int32{}
	}
	out := map[int]int{}
	for i, j := range rng.Perm(len(parts)) {
		if to, known := places[key][int32(parts[i])]; known {
			out[parts[i]] = int(to)
			continue
		}
		out[parts[i]] = parts[j]
	}
	for from, to := range out {
		places[key][int32(from)] = int32(to)
	}
	return out
}
