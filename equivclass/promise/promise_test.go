package promise

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/merge"
)

func ratio(t testing.TB, text string) Ratio {
	r, err := Parse(text)
	require.NoError(t, err, text)
	return r
}

func TestRatiosAreReadExactly(t *testing.T) {
	for text, want := range map[string]*big.Rat{
		"0": big.NewRat(0, 1), "2": big.NewRat(2, 1), "0.5": big.NewRat(1, 2), "0.500": big.NewRat(1, 2), "1.001": big.NewRat(1001, 1000),
		"0.125": big.NewRat(1, 8), "999999.999": big.NewRat(999_999_999, 1000), "007.10": big.NewRat(71, 10), "10": big.NewRat(10, 1),
	} {
		r := ratio(t, text)
		assert.Zero(t, want.Cmp(big.NewRat(r.Num(), r.Den())), text)
		again := ratio(t, r.String())
		assert.Equal(t, r, again, text)
	}
	for _, text := range []string{"", ".", ".5", "1.", "0.1234", "-1", "+1", "1e3", "1,5", " 1", "0x1", "1000000", "1.2.3", "NaN", "١"} {
		_, err := Parse(text)
		assert.Error(t, err, text)
	}
	assert.Equal(t, "6/7", NewRatio(6, 7).String())
}

// plain is a second reading of a promise, in rationals and by words.
type plain struct {
	l          int
	gain, most *big.Rat
	atMost     map[string]*big.Rat
	reference  map[string]int64
	open       bool
	missing    string
	values     []string
	pool       map[string]int64
}

// cap reads: "odds at most c times those of the reference; the larger of that and 1/l; the smallest of it and what is said besides".
func (p *plain) cap(value string) *big.Rat {
	one := big.NewRat(1, 1)
	share := func(counts map[string]int64) *big.Rat {
		var all int64
		for v, n := range counts {
			if !p.open || v != p.missing {
				all += n
			}
		}
		return big.NewRat(counts[value], all)
	}
	out := one
	if p.gain != nil {
		q := share(p.pool)
		if p.reference != nil {
			q = share(p.reference)
		}
		if q.Cmp(one) < 0 {
			odds := new(big.Rat).Mul(p.gain, new(big.Rat).Quo(q, new(big.Rat).Sub(one, q)))
			out = new(big.Rat).Quo(odds, new(big.Rat).Add(one, odds))
		}
		if least := big.NewRat(1, int64(max(1, p.l))); p.l > 0 && least.Cmp(out) > 0 {
			out = least
		}
	} else if p.l > 0 {
		out = big.NewRat(1, int64(p.l))
	}
	if m := p.atMost[value]; m != nil && m.Cmp(out) < 0 {
		out = m
	}
	if p.most != nil && p.most.Cmp(out) < 0 {
		out = p.most
	}
	return out
}

// holds asks every value of a bucket.
func (p *plain) holds(bucket map[string]int64) bool {
	var valued int64
	for v, n := range bucket {
		if !p.open || v != p.missing {
			valued += n
		}
	}
	for v, n := range bucket {
		if n > 0 && (!p.open || v != p.missing) && big.NewRat(n, valued).Cmp(p.cap(v)) > 0 {
			return false
		}
	}
	return true
}

// drawn draws an attribute with a promise, in both readings, and its counts in a pool of so many people.
func drawn(t testing.TB, rng *rand.Rand, people int) (Attribute, *plain, []uint32) {
	text := func(lo, hi int) string { return thousandths(int64(lo + rng.IntN(hi-lo))).String() }
	rat := func(text string) *big.Rat {
		r, ok := new(big.Rat).SetString(text)
		require.True(t, ok)
		return r
	}
	values := strings.Split("?abcdefg", "")[:2+rng.IntN(6)]
	a, p := Attribute{Promise: &Promise{}, Values: values, Missing: "?"}, &plain{missing: "?", values: values, pool: map[string]int64{}}
	if rng.IntN(2) == 0 {
		p.l = 2 + rng.IntN(4)
		a.Promise.L = p.l
	}
	if rng.IntN(3) > 0 {
		s := text(1001, 6000)
		a.Promise.Gain, p.gain = ratio(t, s), rat(s)
	}
	if rng.IntN(3) == 0 {
		s := text(100, 1001)
		a.Promise.Most, p.most = ratio(t, s), rat(s)
	}
	for _, v := range values {
		if rng.IntN(4) == 0 {
			s := text(1, 1001)
			if a.Promise.AtMost == nil {
				a.Promise.AtMost, p.atMost = map[string]Ratio{}, map[string]*big.Rat{}
			}
			a.Promise.AtMost[v], p.atMost[v] = ratio(t, s), rat(s)
		}
	}
	a.Promise.Open = rng.IntN(3) == 0
	p.open = a.Promise.Open
	if rng.IntN(3) == 0 {
		a.Promise.Reference, p.reference = map[string]int64{}, map[string]int64{}
		for _, v := range values {
			if !p.open || v != "?" {
				n := rng.Int64N(1 << (1 + rng.IntN(30)))
				if rng.IntN(8) == 0 {
					n = 0
				}
				a.Promise.Reference[v], p.reference[v] = n, n
			}
		}
		a.Promise.Reference[values[1]]++
		p.reference[values[1]]++
	}
	counts := make([]uint32, len(values))
	for range people {
		counts[min(rng.IntN(len(values)), rng.IntN(len(values)))]++
	}
	for i, n := range counts {
		p.pool[values[i]] = int64(n)
	}
	return a, p, counts
}

func bagOf(lists ...[]uint32) (bag merge.Bag) {
	var value uint32
	for _, counts := range lists {
		for _, n := range counts {
			if n > 0 {
				bag = append(bag, merge.Count{Value: value, N: n})
			}
			value++
		}
	}
	return bag
}

// TestCapsAreThoseOfRationals: on random promises, pools and buckets, of two attributes, the caps, and whether a bucket keeps them,
// are those of a plain reading in rationals.
func TestCapsAreThoseOfRationals(t *testing.T) {
	kept, broken, partial := 0, 0, 0
	for trial := range uint64(tier.Of(t, 2_000, 50_000, 250_000)) {
		rng := equivtest.Rand(trial)
		people := 2 + rng.IntN(1<<(1+rng.IntN(8)))
		var all Attributes
		var plains []*plain
		var counts [][]uint32
		for range 1 + rng.IntN(2) {
			a, p, n := drawn(t, rng, people)
			all, plains, counts = append(all, a), append(plains, p), append(counts, n)
			if n[0] > 0 && p.open {
				partial++
			}
		}
		require.NoError(t, check(all))
		requirement := merge.Requirement{Caps: all.Caps(bagOf(counts...), people)}
		for i, v := range all.Verdicts(bagOf(counts...), people) {
			require.Equal(t, plains[i].holds(plains[i].pool), v.Holds, "trial %d, attribute %d", trial, i)
		}
		for range 4 {
			size := 1 + rng.IntN(people)
			of, want := make([][]uint32, len(all)), true
			for i, n := range counts {
				of[i] = make([]uint32, len(n))
				left := slices.Clone(n)
				bucket := map[string]int64{}
				for range size {
					v := rng.IntN(len(left))
					for left[v] == 0 {
						v = (v + 1) % len(left)
					}
					left[v]--
					of[i][v]++
					bucket[plains[i].values[v]]++
				}
				want = want && plains[i].holds(bucket)
			}
			require.Equal(t, want, requirement.Holds(bagOf(of...), size), "trial %d: %v of %v, %+v", trial, of, counts, all[0].Promise)
			if want {
				kept++
			} else {
				broken++
			}
		}
	}
	assert.Greater(t, kept, broken/10)
	assert.Greater(t, broken, kept/10)
	assert.Positive(t, partial)
}

func check(all Attributes) error {
	for _, a := range all {
		if p := *a.Promise; p.L+len(p.AtMost) > 0 || p.Gain != (Ratio{}) || p.Most != (Ratio{}) {
			if err := p.Check(); err != nil {
				return err
			}
		}
	}
	return nil
}

// TestGainBoundsOdds: the numbers that the documents show.
func TestGainBoundsOdds(t *testing.T) {
	for _, c := range []struct {
		gain string
		n    int64
		want Ratio
	}{{"2", 10, NewRatio(20, 110)}, {"2", 75, NewRatio(150, 175)}, {"1.5", 50, NewRatio(75, 125)}, {"2", 0, Ratio{}}, {"2", 100, one}} {
		p := Promise{Gain: ratio(t, c.gain)}
		got := p.Cap("", c.n, 100)
		assert.False(t, got.Less(c.want) || c.want.Less(got), "%s of %d: %s", c.gain, c.n, got)
	}
	p := Promise{Gain: ratio(t, "1000"), Reference: map[string]int64{"a": 1<<34 - 2, "b": 1}}
	require.NoError(t, p.Check())
	c := p.Cap("a", 0, 1)
	assert.True(t, c.Less(one))
	assert.Less(t, c.Den(), int64(1)<<55)
}

func TestContradictionsInAPromise(t *testing.T) {
	for text, p := range map[string]Promise{
		"nothing is promised": {},
		"l is 1":              {L: 1},
		"gain is 1:":          {Gain: one},
		"gain is 1000.001":    {Gain: NewRatio(1_000_001, 1000)},
		"a share is 0":        {AtMost: map[string]Ratio{"a": {}}},
		"a share is 1.5":      {AtMost: map[string]Ratio{"a": NewRatio(15, 10)}},
		"at_most is 2":        {Most: NewRatio(2, 1)},
		"below 2^34":          {L: 2, Reference: map[string]int64{"a": 1 << 34}},
		"has nobody":          {L: 2, Reference: map[string]int64{}},
	} {
		assert.ErrorContains(t, p.Check(), text)
	}
	assert.NoError(t, Frequency(5).Check())
}

// TestNeed compares with the formula, and says which attribute asks most.
func TestNeed(t *testing.T) {
	diagnosis := Attribute{Name: "diagnosis", Promise: Frequency(5), Values: strings.Split("abcdefgh", "")}
	hiv := Attribute{Name: "hiv", Values: []string{"no", "yes"}, Promise: &Promise{Gain: ratio(t, "2"),
		AtMost: map[string]Ratio{"yes": ratio(t, "0.5")}}}
	all := Attributes{diagnosis, hiv}
	bag := bagOf([]uint32{150, 150, 150, 150, 100, 100, 100, 100}, []uint32{900, 100})
	kl := func(a, p float64) float64 { return a*math.Log(a/p) + (1-a)*math.Log((1-a)/(1-p)) }
	got := all.Need(bag, 1000)
	assert.Equal(t, Need{int(math.Ceil(math.Log(1e6*9) / kl(.2, .15))), true, true, "diagnosis"}, got)
	alone := Attributes{hiv}.Need(bagOf([]uint32{900, 100}), 1000)
	assert.Equal(t, Need{int(math.Ceil(math.Log(1e6) / kl(.5, .1))), true, true, "hiv"}, alone, "the pool's own reference asks for nothing")

	now, before := Attributes{diagnosis}.Need(bagOf([]uint32{150, 150, 150, 150, 100, 100, 100, 100}), 1000), 0
	before, _ = merge.MinPool(bagOf([]uint32{150, 150, 150, 150, 100, 100, 100, 100}), 5)
	assert.Equal(t, before, now.People)

	all[1].Promise = &Promise{AtMost: map[string]Ratio{"yes": ratio(t, "0.1")}}
	assert.Equal(t, Need{Attribute: "hiv"}, all.Need(bag, 1000), "the share has reached its cap")
	assert.Equal(t, Need{}, all.Need(nil, 0))
	all[1].Promise = &Promise{Gain: ratio(t, "2")}
	assert.Equal(t, "diagnosis", all.Need(bag, 1000).Attribute)

	open := Attributes{{Name: "hiv", Values: []string{"?", "no", "yes"}, Missing: "?",
		Promise: &Promise{Open: true, AtMost: map[string]Ratio{"yes": ratio(t, "0.5")}}}}
	assert.Equal(t, 2*alone.People, open.Need(bagOf([]uint32{1000, 900, 100}), 2000).People, "half of a pool has a value")
}

// TestNeedIsEnough: pools that are drawn like what is published are eligible, of the size that Need says and far below the bound.
func TestNeedIsEnough(t *testing.T) {
	all := Attributes{{Name: "income", Values: []string{"high", "low"}, Promise: &Promise{Gain: ratio(t, "2"),
		Reference: map[string]int64{"high": 249, "low": 751}}}}
	need := all.Need(bagOf([]uint32{249, 751}), 1000)
	require.True(t, need.Possible)
	failed := func(people int) (n int) {
		for trial := range uint64(200) {
			rng, counts := equivtest.Rand(trial), make([]uint32, 2)
			for range people {
				if rng.IntN(1000) < 249 {
					counts[0]++
				} else {
					counts[1]++
				}
			}
			bag := bagOf(counts)
			if !(merge.Requirement{Caps: all.Caps(bag, people)}).Holds(bag, people) {
				n++
			}
		}
		return n
	}
	assert.Zero(t, failed(need.People))
	assert.Positive(t, failed(need.People/20))
}

func TestLeastPromises(t *testing.T) {
	shares := bagOf([]uint32{249, 751})
	gain, ok := LeastGain(shares, 1000, 500)
	require.True(t, ok)
	for c, want := range map[Ratio]bool{gain: true, thousandths(gain.Num()*1000/gain.Den() - 1): false} {
		all := Attributes{{Values: []string{"high", "low"}, Promise: &Promise{Gain: c, Reference: map[string]int64{"high": 249, "low": 751}}}}
		need := all.Need(shares, 1000)
		assert.Equal(t, want, need.Possible && need.People <= 500, c)
	}
	_, ok = LeastGain(shares, 1000, 2)
	assert.False(t, ok)
	most, ok := LeastCap(249, 1000, 1, 500)
	require.True(t, ok)
	assert.True(t, NewRatio(249, 1000).Less(most) && most.Less(NewRatio(4, 10)), most)
	assert.Equal(t, 3, ReachableL(bagOf([]uint32{300, 300, 400, 400, 400}), 1800, 5000))
	assert.Equal(t, 1, ReachableL(shares, 1000, 5000))
}
