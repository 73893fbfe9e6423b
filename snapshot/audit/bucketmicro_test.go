package audit

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBucketsAgainstTwin holds the tally against plain multisets: members whose value their
// bucket does not have, and values that it has more or less often than they.
func TestBucketsAgainstTwin(t *testing.T) {
	found, none := 0, 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 1))
		m, members, fates := randomBuckets(rng)
		m.bucketsOf(members, fates)
		require.Equal(t, differences(m, members, fates), m.f.n, "seed %d", seed)
		if found += m.f.n; m.f.n == 0 {
			none++
		}
	}
	require.Greater(t, found, 300)
	require.Greater(t, none, 20)
}

func differences(m *microdataCheck, members *roster, fates []fate) (n int) {
	t, b := m.rel.tab, m.rel.tab.shared
	for i := range b.m {
		shown, have, skip := map[uint32]int{}, map[uint32]int{}, false
		values, counts := b.entries(uint32(i))
		for k, v := range values {
			shown[v] = int(counts[k])
		}
		for c := range t.m {
			if int(b.rows(t, c)[0]) != i+1 {
				continue
			}
			skip = skip || fates[c] == fateUnchanged
			for _, rec := range members.of(c) {
				skip = skip || !m.recs.known[rec]
				have[m.recs.sa[rec]]++
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
func randomBuckets(rng *rand.Rand) (*microdataCheck, *roster, []fate) {
	const k = 3
	values := &valueDict{text: []string{"a", "b", "c", "d"}}
	buckets, m := 1+rng.IntN(4), 1+rng.IntN(8)
	tab := &table{m: m, start: []uint32{0}, shared: &bucketTable{}}
	b := tab.shared
	recs := &records{n: m * k}
	classOf, fates, bags := []uint32{}, make([]fate, m), make([][]bucketLine, buckets)
	for c := range m {
		at := rng.IntN(buckets)
		if fates[c] = fateBorn; rng.IntN(20) == 0 {
			fates[c] = fateUnchanged
		}
		for range k {
			v := uint32(rng.IntN(4))
			classOf, b.row = append(classOf, uint32(c)+1), append(b.row, uint32(at)+1)
			recs.sa, recs.known = append(recs.sa, v), append(recs.known, rng.IntN(60) > 0)
			if rng.IntN(20) == 0 {
				v = uint32(rng.IntN(4))
			}
			bags[at] = append(bags[at], bucketLine{0, v, 1})
		}
		tab.start = append(tab.start, uint32(len(classOf)))
	}
	for _, bag := range bags {
		if len(bag) == 0 && rng.IntN(4) == 0 {
			bag = []bucketLine{{0, 1, 1}}
		}
		b.add(bag)
	}
	b.start, b.m = append(b.start, uint32(len(b.value))), buckets
	members := newRoster(classOf, m)
	return &microdataCheck{s: &schema{sa: values}, recs: recs, rel: &release{num: 1, tab: tab}, f: &faults{}}, &members, fates
}
