package merge

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"

	"anond/equivclass/equivtest/tier"
)

// table is a pool of two attributes in classes of k records. A world's value is a pair: a x (values of b) + b. A requirement is a
// function of the pool's bag.
type table struct {
	n, k, a, b, subPools int
	requirement          func(bag Bag, people int) Requirement
}

// bValue is the number of the first value of b in a bag.
const bValue = 10

func (c table) views() []view {
	return []view{{c.a, func(v uint32) uint32 { return v / uint32(c.b) }}, {c.b, func(v uint32) uint32 { return v % uint32(c.b) }}}
}

// correlated takes a pair six times as often if the one attribute fits the other.
func (c table) correlated(values []uint32) uint64 {
	w := uint64(1)
	for _, v := range values {
		if v/uint32(c.b)%uint32(c.b) == v%uint32(c.b) {
			w *= 6
		}
	}
	return w
}

// product draws each attribute alone, skewed.
func (c table) product(values []uint32) uint64 {
	w := uint64(1)
	for _, v := range values {
		w *= []uint64{3, 1, 1}[v/uint32(c.b)] * []uint64{2, 1, 1}[v%uint32(c.b)]
	}
	return w
}

func (c table) enumeration() enumeration {
	return enumeration{c.n, c.a * c.b, c.views(), []prior{uniform, c.product, c.correlated, polya}}
}

// bags are those of the classes, of one attribute or, with -1, of both.
func (c table) bags(values []uint32, attribute int) (out []Bag) {
	for at := 0; at < c.n; at += c.k {
		var bag Bag
		for i, view := range c.views() {
			counts := make([]uint32, view.values)
			for _, v := range values[at : at+c.k] {
				counts[view.of(v)]++
			}
			for v, n := range counts {
				if n > 0 && (attribute < 0 || attribute == i) {
					bag = append(bag, Count{uint32(i*bValue + v), n})
				}
			}
		}
		out = append(out, bag)
	}
	return out
}

// real is the scheme of this package: one Merge over the bags of both attributes; both are shown in its buckets.
func (c table) real(values []uint32, draws Draws) ([][][]int32, string) {
	buckets := c.buckets(values, draws, -1)
	return [][][]int32{buckets, buckets}, ""
}

// buckets are those of one attribute, or of both; none if the pool is quarantined, as it is whole if one attribute is ineligible.
func (c table) buckets(values []uint32, draws Draws, attribute int) [][]int32 {
	both := sum(c.bags(values, -1))
	want := c.requirement(both, c.n)
	if !want.Holds(both, c.n) {
		return nil
	}
	groups, _ := Pool(c.bags(values, attribute), c.k, max(1, c.subPools), want, draws, Run{})
	return recordsOf(groups, c.k)
}

// halves asks that no value of either attribute has more than half of a bucket.
func halves(Bag, int) Requirement { return Requirement{Caps: Frequency(2)} }

// odds asks for no more than half of a, and of b that no value's odds are above twice those of the pool's own bag, and no share above 3/4.
func odds(bag Bag, people int) Requirement {
	r := Requirement{Caps: Frequency(2)}
	for v := range uint32(3) {
		n := int64(bag.count(bValue + v))
		c := Cap{Value: bValue + v, Num: 2 * n, Den: int64(people) + n} // 2n / (2n + (people - n))
		if !(c.Num*4 <= c.Den*3) {
			c.Num, c.Den = 3, 4
		}
		r.Caps = append(r.Caps, c)
	}
	return r
}

// open has no cap for value 0 of a, which stands for none. Of those who have a value of a, none has more than half, nor of b.
func open(Bag, int) Requirement {
	half := func(v uint32, partial bool) Cap { return Cap{Value: v, Num: 1, Den: 2, Partial: partial} }
	return Requirement{Caps: []Cap{{Value: 0, Num: 1, Den: 1}, half(1, true), half(2, true), half(bValue, false)}}
}

// TestTheoremT: with two attributes, correlated or not, the posterior of every value of either attribute of each published person is its
// share in the person's bucket: with l, with caps of the pool's own bag, and with missing values that have no cap.
func TestTheoremT(t *testing.T) {
	for _, c := range []struct {
		name string
		table
		most *big.Rat
	}{
		{"l", table{n: 6, k: 2, a: 3, b: 2, requirement: halves}, big.NewRat(1, 2)},
		{"odds", table{n: 6, k: 2, a: 3, b: 2, requirement: odds}, big.NewRat(3, 4)},
		{"missing", table{n: 6, k: 2, a: 3, b: 2, requirement: open}, nil},
		{"l in sub-pools", table{n: 8, k: 2, a: 2, b: 2, subPools: 2, requirement: halves}, big.NewRat(1, 2)},
		{"odds in sub-pools", table{n: 8, k: 2, a: 2, b: 2, subPools: 2, requirement: odds}, big.NewRat(3, 4)},
		{"l, 3x3 values", table{n: 6, k: 2, a: 3, b: 3, requirement: halves}, big.NewRat(1, 2)},
	}[:tier.Of(t, 2, 5, 6)] {
		t.Run(c.name, func(t *testing.T) {
			v := c.enumeration().run(c.real)
			t.Log(v)
			requireExact(t, v)
			assert.Positive(t, v.split, "everything was one bucket: the test shows nothing")
			if c.most != nil {
				assert.LessOrEqual(t, v.worst.Cmp(c.most), 0)
			}
		})
	}
}

// TestBrokenTwinsOfSeveralAttributes: what looks as good and is not, in the same enumeration.
func TestBrokenTwinsOfSeveralAttributes(t *testing.T) {
	tier.NotShort(t, "it counts all worlds of three broken rules")
	pairs := table{n: 6, k: 2, a: 3, b: 2, requirement: halves} // with two values each, nothing shows
	for name, run := range map[string]several{
		"a Merge for each attribute":          pairs.apart,
		"shared buckets refined by attribute": pairs.refined,
		"joined fields":                       pairs.joined, // each share is exact, but it may be 1
	} {
		t.Run(name, func(t *testing.T) {
			if name != "joined fields" {
				tier.Heavy(t, "half a minute")
			}
			v := pairs.enumeration().run(run)
			t.Log(v)
			assert.Positive(t, v.worst.Cmp(big.NewRat(1, 2)), "nobody is above 1/2: the enumeration would not notice")
		})
	}
}

func (c table) apart(values []uint32, draws Draws) (out [][][]int32, _ string) {
	for i := range 2 {
		draws.key.Purpose = []string{"a", "b"}[i]
		out = append(out, c.buckets(values, draws, i))
	}
	return out, ""
}

// refined divides each bucket of both attributes again, for each attribute alone.
func (c table) refined(values []uint32, draws Draws) ([][][]int32, string) {
	out := make([][][]int32, 2)
	for at, bucket := range c.buckets(values, draws, -1) {
		for i := range out {
			var part []Bag
			for _, class := range classesOf(bucket, c.k) {
				part = append(part, c.bags(values, i)[class])
			}
			draws.key.Purpose, draws.key.Node = []string{"a", "b"}[i], uint32(at)
			for _, g := range Merge(part, c.k, halves(nil, 0), draws) {
				var members []int32
				for _, p := range g {
					members = append(members, bucket[int(p)*c.k:(int(p)+1)*c.k]...)
				}
				out[i] = append(out[i], members)
			}
		}
	}
	return out, ""
}

// joined keeps l for the pair, as if it were one field.
func (c table) joined(values []uint32, draws Draws) ([][][]int32, string) {
	var bags []Bag
	order := NewOrder([]string{"a", "b", "c", "d", "e", "f"})
	for at := 0; at < c.n; at += c.k {
		bags = append(bags, BagOf(order, values, rows(at, c.k)))
	}
	if !halves(nil, 0).Holds(sum(bags), c.n) {
		return make([][][]int32, 2), ""
	}
	buckets := recordsOf(Merge(bags, c.k, halves(nil, 0), draws), c.k)
	return [][][]int32{buckets, buckets}, ""
}
