package audit

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWholeClassesAreComparedAlike: where every class is in one bucket, buckets compared one
// by one give what comparing whatever rows connect gives.
func TestWholeClassesAreComparedAlike(t *testing.T) {
	found, none := 0, 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 1))
		u, l := randomUnits(rng)
		require.True(t, u.wholeClasses())
		var one, all faults
		u.m.f = &one
		u.compareWhole(l)
		u.m.f = &all
		u.join()
		u.compare(l)
		require.Equal(t, all.list, one.list, "seed %d", seed)
		if found += all.n; all.n == 0 {
			none++
		}
	}
	require.Greater(t, found, 300)
	require.Greater(t, none, 20)
}

// randomUnits are buckets of whole classes, of which some do not have the values of their
// members, some are empty, some were published before, and of some a member is not known.
func randomUnits(rng *rand.Rand) (*bucketUnits, *localAttr) {
	const k = 3
	values := &valueDict{text: []string{"a", "b", "c", "d"}}
	l := &localAttr{name: "sa", col: -1, values: values, bags: newSetDict()}
	buckets, m := 1+rng.IntN(4), 1+rng.IntN(8)
	tab := &table{m: m, start: []uint32{0}, local: &localTable{attrs: make([]localBuckets, 1)}}
	b := &tab.local.attrs[0]
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
		b.add(l, bag)
	}
	b.start, b.m = append(b.start, uint32(len(b.value))), buckets
	members := newRoster(classOf, m)
	check := &microdataCheck{s: &schema{}, recs: recs, rel: &release{num: 1, tab: tab}}
	return &bucketUnits{m: check, b: b, members: &members, fates: fates}, l
}
