package incremental_test

import (
	"anond/incremental/state"
	"math/big"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/merge"
	"anond/incremental"
)

// inOrder leaves equal bags in the order of their classes.
func inOrder(_ merge.Key, m int) []int32 { return orders[m][0] }

// onePool takes the keys of all pools for one.
func onePool(k merge.Key) merge.Key {
	k.Release, k.Pool = 0, 0
	return k
}

// oneSubPool takes the keys of all sub-pools for one.
func oneSubPool(k merge.Key) merge.Key {
	k.SubPool = 0
	return k
}

// abbc are the values of a first pool that the adversary knows, so that only the worlds of
// the others have to be counted.
var abbc = []int{0, 1, 1, 2}

// inPairs puts records 0 and 1 near each other, 2 and 3, and so on.
func inPairs(r int) equivclass.Row {
	x := []byte(strconv.Itoa(20*(r/2) + r%2))
	return equivclass.Row{x, x, nil}
}

func grows(p *state.Policy) { p.OnRefusal = state.GrowRefused }

// carried puts an ineligible pool into the next one.
func carried(p *play) {
	for _, end := range []int{4, 6, 8} {
		p.feed(end)
		if p.cut() == nil {
			p.m.CarryOver()
		}
	}
}

// wholeLoad asks rule I (infeasible) of all that waits, the remainder included.
func wholeLoad(p *play) {
	for _, end := range []int{4, 7, 8} {
		p.feed(end)
		if p.eligible(p.waiting()) {
			p.cut()
		}
	}
}

// allOrNothing publishes some of what waits only if the others are eligible.
func allOrNothing(p *play) {
	p.feed(4)
	p.cut()
	p.feed(8)
	waiting := p.waiting()
	p.saw(p.m.CutOf(func(class []state.RecordID) bool {
		return int32(class[0]) == waiting[0] && p.eligible(without(waiting, class))
	}))
	p.feed(10)
	p.cut()
}

// waits holds what cannot be published alone until there is more.
func waits(p *play) {
	for _, end := range []int{4, 6, 8} {
		p.feed(end)
		if p.eligible(p.waiting()) || end == 8 {
			p.cut()
		}
	}
}

// admitsAlone publishes the classes that are eligible alone.
func admitsAlone(p *play) {
	p.feed(4)
	p.cut()
	for _, end := range []int{6, 8} {
		p.feed(end)
		p.saw(p.m.CutOf(func(class []state.RecordID) bool { return p.eligible(rowsOf(class)) }))
	}
}

// tellsWaiting shows the largest share of one value among those who wait, as an audit at level L1 does.
func tellsWaiting(p *play) {
	p.feed(4)
	p.cut()
	p.feed(6)
	p.note(slices.Max(p.bag(p.waiting())))
	p.feed(8)
	p.cut()
}

// measuresOne measures numbers by the records that have value 0.
func measuresOne(p *play) {
	p.feed(4)
	p.cut()
	p.feed(8)
	var some []state.RecordID
	for r, v := range p.world {
		if v == 0 {
			some = append(some, state.RecordID(r))
		}
	}
	p.m.MeasureOf(some)
	p.cut()
}

// newcomersByValue counts those newcomers only who have value 0.
func newcomersByValue(p *play) {
	for _, v := range p.world[12:p.at] {
		if v == 0 {
			p.saw(p.m.Ask(1, [32]byte{}))
			return
		}
	}
	p.cut()
}

// byWaiting is a MinPool that looks at those who wait.
func byWaiting(p *play, _ merge.Bag) (int, bool) {
	if p.at > 4 && !p.eligible(p.waiting()) {
		return 4, true
	}
	return 2, true
}

func reopened(p *play) {
	for _, end := range []int{4, 6, 8} {
		p.feed(end)
		p.open() // which computes what the next pool needs
		p.cut()
	}
}

// nearest joins an ineligible class with the next one, as if it was the nearest.
func nearest(p *play) {
	p.feed(8)
	p.saw(p.m.CutAs(func(classes [][]state.RecordID) [][]int {
		holds := func(bucket []int) bool {
			var all []int32
			for _, c := range bucket {
				all = append(all, rowsOf(classes[c])...)
			}
			return p.eligible(all)
		}
		all, groups := []int{}, [][]int{}
		for i := range classes {
			all, groups = append(all, i), append(groups, []int{i})
		}
		if !holds(all) {
			return nil
		}
		for at := 0; at < len(groups); {
			if holds(groups[at]) {
				at++
				continue
			}
			next := (at + 1) % len(groups)
			groups[next] = append(groups[next], groups[at]...)
			groups, at = append(groups[:at:at], groups[at+1:]...), 0
		}
		return groups
	}))
}

// unaligned divides two sub-pools that had to be joined by a Merge of all their classes, and
// not by places (Theorem F).
func unaligned(p *play) {
	p.feed(8)
	p.saw(p.m.CutAs(func(classes [][]state.RecordID) (buckets [][]int) {
		values, order := make([]uint32, len(p.world)), merge.NewOrder([]string{"a", "b", "c"})
		for r, v := range p.world {
			values[r] = uint32(v)
		}
		divide := func(key merge.Key, these ...int) {
			var bags []merge.Bag
			for _, c := range these {
				bags = append(bags, merge.BagOf(order, values, classes[c]))
			}
			for _, g := range merge.Merge(bags, p.k, merge.Requirement{Caps: merge.Frequency(p.l)}, merge.AllDraws(key, p.drawn)) {
				var bucket []int
				for _, i := range g {
					bucket = append(bucket, these[i])
				}
				buckets = append(buckets, bucket)
			}
		}
		rows := func(a, b int) []int32 { return append(rowsOf(classes[a]), rowsOf(classes[b])...) }
		switch {
		case !p.eligible(append(rows(0, 2), rows(1, 3)...)):
		case p.eligible(rows(0, 2)) && p.eligible(rows(1, 3)):
			divide(merge.Key{SubPool: 1}, 0, 2)
			divide(merge.Key{SubPool: 2}, 1, 3)
		default:
			divide(merge.Key{}, 0, 1, 2, 3)
		}
		return buckets
	}))
}

func rowsOf(records []state.RecordID) (out []int32) {
	for _, r := range records {
		out = append(out, int32(r))
	}
	return out
}

// waiting are the records that have arrived and are in no class.
func (p *play) waiting() (out []int32) {
	published := map[int32]bool{}
	if i := p.m.Releases().Latest(); i != nil {
		v, err := p.m.Releases().View(i.Release)
		p.must(err)
		for _, b := range p.buckets(v) {
			for _, r := range b.members {
				published[r] = true
			}
		}
	}
	for r := range int32(p.at) {
		if !published[r] {
			out = append(out, r)
		}
	}
	return out
}

// without are the records that are not in a class.
func without(records []int32, class []state.RecordID) (out []int32) {
	for _, r := range records {
		if !slices.Contains(class, state.RecordID(r)) {
			out = append(out, r)
		}
	}
	return out
}

// TestBrokenMachines: what the enumeration says of machines that each break one condition
// of rule B (buckets). So it can tell. The highest posterior of the true machine is 1/l =
// 1/2 in all of these streams.
//
//	what is broken                              highest posterior   records whose posterior is the share
//	ties by number                              1                   3240 of 3576
//	draws known                                 1                   2772 of 2844
//	values by dictionary code                   1                   2928 of 3264
//	partner by distance                         1                   2316 of 3696
//	two pools share draws                       1                   912 of 984
//	sub-pools share draws                       1                   912 of 984
//	joined sub-pools are divided into classes   1                   3624 of 3912
//	an ineligible pool is carried over          1                   54 of 78
//	rule I over the whole load, with the rest   1                   54 of 90
//	all or nothing                              1                   372 of 492
//	a hold that looks at values                 1                   54 of 78
//	a value-dependent admission                 1                   66 of 90
//	newcomers are counted by value              1                   190 of 310
//	MinPool from the values of those who wait   1                   54 of 78
//	the top share among those who wait is shown 1                   48 of 96
//	a scale of those with one value             1                   24 of 160
//	a first pool that grows after a refusal     1                   420 of 636
//
// The machine cannot make mistakes that package merge enumerates: it has one call of
// merge.Pool for a pool, so that it neither divides joined sub-pools otherwise than by places
// nor merges a failed sub-pool again, and Merge, as the verifier, refuses parts of unequal
// size.
func TestBrokenMachines(t *testing.T) {
	tier.NotShort(t, "it enumerates worlds for each broken machine")
	t.Parallel()
	for i, s := range []*course{
		{name: "ties by number", n: 8, d: 3, k: 2, l: 2, play: batches(8), order: inOrder},
		{name: "draws known", n: 6, d: 3, k: 2, l: 2, play: batches(6), drawsKnown: true},
		{name: "values by dictionary code", n: 8, d: 3, k: 2, l: 2, play: batches(8), byCode: true, known: []int{0, 0}},
		{name: "values by dictionary code, all worlds", n: 6, d: 4, k: 2, l: 2, play: batches(6), byCode: true},
		{name: "partner by distance", n: 8, d: 3, k: 2, l: 2, play: nearest},
		{name: "pools share draws", n: 12, d: 3, k: 2, l: 2, play: batches(6, 12), key: onePool, known: []int{0, 0, 1, 2, 1, 2}},
		{name: "sub-pools share draws", n: 12, d: 3, k: 2, l: 2, subPool: 3, play: batches(12), key: oneSubPool, rows: inPairs,
			known: []int{0, 0, 1, 2, 1, 2}, apart: true},
		{name: "joined sub-pools are divided into classes", n: 8, d: 3, k: 2, l: 2, play: unaligned},
		{name: "an ineligible pool is carried over", n: 8, d: 3, k: 2, l: 2, play: carried, known: abbc},
		{name: "rule I over the whole load", n: 8, d: 3, k: 2, l: 2, play: wholeLoad, known: abbc},
		{name: "all or nothing", n: 10, d: 3, k: 2, l: 2, play: allOrNothing, known: abbc},
		{name: "a hold that looks at values", n: 8, d: 3, k: 2, l: 2, play: waits, known: abbc},
		{name: "a value-dependent admission", n: 8, d: 3, k: 2, l: 2, play: admitsAlone, known: abbc},
		{name: "newcomers are counted by value", n: 14, d: 2, k: 2, l: 2, need: asksFor(2), share: 1, play: slowing(newcomersByValue),
			policy: slowingPolicy, rows: slowingRow, known: slowingKnown},
		{name: "MinPool from waiting values", n: 8, d: 3, k: 2, l: 2, play: reopened, known: abbc, need: byWaiting},
		{name: "the top share among those who wait is shown", n: 8, d: 3, k: 2, l: 2, play: tellsWaiting, known: abbc},
		{name: "a scale of those with one value", n: 8, d: 3, k: 2, l: 2, play: measuresOne, known: abbc},
		{name: "a first pool that grows after a refusal", n: 6, d: 3, k: 2, l: 2, play: batches(4, 6), policy: grows},
	} {
		t.Run(s.name, func(t *testing.T) {
			if s.byCode || s.known == nil && i != 1 || s.n == 12 {
				tier.Heavy(t, "up to 100,000 plays")
			}
			v := s.enumerate(t)
			t.Log(v)
			assert.Positive(t, v.excess.Sign(), "nobody is above the share: the enumeration would not notice")
			if !s.byCode || s.known == nil { // otherwise all are in a bucket with those who are known
				assert.Positive(t, v.worst.Cmp(big.NewRat(1, int64(s.l))), "nobody is above 1/l")
			}
			assert.Less(t, v.exact[0], v.published)
		})
	}
}

// TestMachineRefusesBrokenBuckets: a decision of which a bucket is ineligible is not kept.
func TestMachineRefusesBrokenBuckets(t *testing.T) {
	s := &course{n: 4, d: 3, k: 2, l: 2, schema: plane(t, 2)}
	p := s.start(t, []int{0, 1, 0, 2}, &script{known: map[merge.Key][]int32{}})
	p.feed(4)
	_, err := p.m.CutAs(func(classes [][]state.RecordID) (buckets [][]int) {
		for i := range classes {
			buckets = append(buckets, []int{i})
		}
		return buckets
	})
	require.ErrorIs(t, err, incremental.ErrUnsafe)
}
