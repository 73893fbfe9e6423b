package audit

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/chain"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/table"
)

// TestBucketsAgainstTwin holds the tally against plain multisets: members whose value their
// bucket does not have, and values that it has more or less often than they.
func TestBucketsAgainstTwin(t *testing.T) {
	found, none := 0, 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 1))
		m, members, fates := randomBuckets(rng)
		m.bucketsOf(members, fates)
		require.Equal(t, differences(m, members, fates), m.f.N, "seed %d", seed)
		if found += m.f.N; m.f.N == 0 {
			none++
		}
	}
	require.Greater(t, found, 300)
	require.Greater(t, none, 20)
}

func differences(m *microdataCheck, members *table.Roster, fates []chain.Fate) (n int) {
	t, b := m.rel.Tab, m.rel.Tab.Shared
	for i := range b.M {
		shown, have, skip := map[uint32]int{}, map[uint32]int{}, false
		values, counts := b.Entries(uint32(i))
		for k, v := range values {
			shown[v] = int(counts[k])
		}
		for c := range t.M {
			if int(b.Rows(t, c)[0]) != i+1 {
				continue
			}
			skip = skip || fates[c] == chain.FateUnchanged
			for _, rec := range members.Of(c) {
				skip = skip || !m.recs.Known[rec]
				have[m.recs.Sa[rec]]++
			}
		}
		for v := range uint32(4) {
			switch {
			case skip || shown[v] == have[v]:
			case shown[v] == 0:
				n += have[v] + 1
			default:
				n++
			}
		}
	}
	return n
}

// randomBuckets are buckets of whole classes, of which some do not have the values of their
// members, some are empty, some were published before, and of some a member is not known.
func randomBuckets(rng *rand.Rand) (*microdataCheck, *table.Roster, []chain.Fate) {
	const k = 3
	values := &format.ValueDict{Text: []string{"a", "b", "c", "d"}}
	buckets, m := 1+rng.IntN(4), 1+rng.IntN(8)
	tab := &table.Table{M: m, Start: []uint32{0}, Shared: &table.BucketTable{}}
	b := tab.Shared
	recs := &chain.Records{N: m * k}
	classOf, fates, bags := []uint32{}, make([]chain.Fate, m), make([]map[uint32]uint32, buckets)
	for i := range bags {
		bags[i] = map[uint32]uint32{}
	}
	for c := range m {
		at := rng.IntN(buckets)
		if fates[c] = chain.FateBorn; rng.IntN(20) == 0 {
			fates[c] = chain.FateUnchanged
		}
		for range k {
			v := uint32(rng.IntN(4))
			classOf, b.Row = append(classOf, uint32(c)+1), append(b.Row, uint32(at)+1)
			recs.Sa, recs.Known = append(recs.Sa, v), append(recs.Known, rng.IntN(60) > 0)
			if rng.IntN(20) == 0 {
				v = uint32(rng.IntN(4))
			}
			bags[at][v]++
		}
		tab.Start = append(tab.Start, uint32(len(classOf)))
	}
	of := &table.Bags{Start: []uint32{0}}
	for _, bag := range bags {
		if len(bag) == 0 && rng.IntN(4) == 0 {
			bag[1] = 1
		}
		size := uint32(0)
		for _, v := range slices.Sorted(maps.Keys(bag)) {
			of.Value, of.Count, size = append(of.Value, v), append(of.Count, bag[v]), size+bag[v]
		}
		of.Start, b.Size = append(of.Start, uint32(len(of.Value))), append(b.Size, size)
	}
	b.Of, b.M = []*table.Bags{of}, buckets
	members := table.NewRoster(classOf, m)
	s := &format.Schema{Sa: values, Sas: []*format.ValueDict{values}}
	return &microdataCheck{s: s, recs: recs, rel: &chain.Release{Num: 1, Tab: tab}, f: &format.Faults{}},
		&members, fates
}
