package merge

import "math/bits"

// oneIn is the bound on the probability that a pool of MinPool records is
// ineligible: one in a million.
const oneIn = 1_000_000

// MinPool returns the number of records that a pool needs, so that it is eligible for frequency l-diversity
// with probability 1 - 1e-6 if its values are drawn like those already published. It is what Enough says of the
// most frequent value: no other asks for more.
//
// possible is false where the top share reaches 1/l: then no pool is large enough.
// It is false as well for an empty histogram, which says nothing.
func MinPool(published Bag, l int) (records int, possible bool) {
	n := published.Total()
	if n == 0 {
		return 0, false
	}
	return Enough(published.Max(), n, Frequency(l)[0], len(published))
}

// Enough returns the number of people that a pool needs, so that a value that n of so many have does not exceed its cap a with
// probability 1 - 1e-6/capped, if the values are drawn like those:
//
//	ln(1e6 x capped) / KL(a, p),  KL(a, p) = a ln(a/p) + (1-a) ln((1-a)/(1-p)),  p = n/of
//
// By Chernoff's bound a value with share p has a share above a among m people with probability exp(-m KL(a, p)) at
// most. So a pool that is large enough for each of so many capped values is eligible with probability 1 - 1e-6, however the
// values depend on each other. Extra principles are not part of the bound.
//
// possible is false where the share reaches the cap. The numbers grow quickly as it comes close: 10 values with a top
// share of .13 need about 900 people at l = 5, with a top share of .19 about 50,000.
func Enough(n, of int, c Cap, capped int) (people int, possible bool) {
	if n == 0 || c.Num >= c.Den {
		return 1, true
	}
	a := c.within(mostDen)
	den, rest := uint64(a.den), uint64(a.den-a.num)
	if hi, lo := bits.Mul64(uint64(n), den); a.num == 0 || n >= of {
		return 0, false
	} else if mostHi, most := bits.Mul64(uint64(of), uint64(a.num)); hi > mostHi || hi == mostHi && lo >= most {
		return 0, false
	}
	cut := max(0, bits.Len64(den)-fullDen) // fractional bits that would not fit
	log := func(x uint64) int64 { return log2(x) >> cut }
	up := log(uint64(of)) - log(den)
	// den x KL(a, p) in bits.
	gain := a.num*(log(uint64(a.num))+up-log(uint64(n))) + int64(rest)*(log(rest)+up-log(uint64(of-n)))
	hi, lo := bits.Mul64(den, uint64(log(oneIn*uint64(capped))))
	if gain <= 0 || hi >= uint64(gain) {
		return 0, false // too close to the cap for any pool that can be counted
	}
	q, r := bits.Div64(hi, lo, uint64(gain))
	if r > 0 {
		q++
	}
	if q >= 1<<maxRecords {
		return 0, false
	}
	return int(q), true
}

const (
	mostDen = 1 << 12 // a cap is rounded down to a denominator of as much, so that sums of logarithms fit
	fullDen = 8       // binary digits of a denominator up to which logarithms have all their digits
)
