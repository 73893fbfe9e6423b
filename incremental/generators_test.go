package incremental_test

import (
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
// exchanged, with the draws exchanged too. With sub-pools, classes are exchanged inside
// the sub-pool that their bucket belongs to.
func TestAdultBucketsUnderTheGenerators(t *testing.T) {
	t.Parallel()
	tier.Heavy(t, "it replays 6,000 records many times")
	for _, subPool := range []int{merge.SubPoolClasses, 60} {
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
	}
}

// exchange applies the generators to the buckets of a release: it notes the new places of
// classes in their Merge, and returns how many classes have one.
func (r *replay) exchange(rng *rand.Rand, values [][]byte, v *incremental.View, places map[merge.Key]map[int32]int32) (moved int) {
	before := slices.Clone(values)
	subPools, _ := merge.Blocks(len(v.Classes), r.subPool)
	in := map[incremental.BucketID][]int{}
	for i, c := range v.Classes {
		in[c.Bucket] = append(in[c.Bucket], i)
	}
	for _, i := range slices.Sorted(maps.Keys(in)) {
		classes := in[i]
		key := merge.Key{Release: uint64(v.Intent.Release)}
		if subPools > 1 {
			key.SubPool = uint32(classes[0]%subPools + 1)
		}
		to := slices.Clone(classes)
		if !slices.ContainsFunc(classes, func(c int) bool { return c%subPools != classes[0]%subPools }) {
			rng.Shuffle(len(to), func(i, j int) { to[i], to[j] = to[j], to[i] })
		}
		for i, c := range classes {
			from, into := v.Classes[c].Members, v.Classes[to[i]].Members
			for j, at := range rng.Perm(len(from)) {
				values[into[j]] = before[from[at]]
			}
			if to[i] == c {
				continue
			}
			if places[key] == nil {
				places[key] = map[int32]int32{}
			}
			places[key][int32(c/subPools)] = int32(to[i] / subPools)
			moved++
		}
	}
	return moved
}
