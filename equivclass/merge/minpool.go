package merge

import "math/bits"

// oneIn is the bound on the probability that a pool of MinPool records is
// ineligible: one in a million.
const oneIn = 1_000_000

// MinPool returns the number of records that a pool needs, so that it is eligible
// with probability 1 - 1e-6 if its values are drawn like those already published:
//
//	ln(1e6 x number of values) / KL(1/l, p),  KL(a, p) = a ln(a/p) + (1-a) ln((1-a)/(1-p))
//
// where p is the top share in the published histogram. By Chernoff's bound a value
// with share p has at least n/l of n records with probability exp(-n KL(1/l, p)) at
// most, and no other value has a larger share. The extra principles of a
// requirement are not part of the bound.
//
// possible is false where the top share reaches 1/l: then no pool is large enough.
// It is false as well for an empty histogram, which says nothing.
//
// The numbers grow quickly as the top share comes close to 1/l: 10 values with a top
// share of .13 need about 900 records at l = 5, with a top share of .19 about 50,000.
func MinPool(published Bag, l int) (records int, possible bool) {
	n, top := uint64(published.Total()), uint64(published.Max())
	if n == 0 {
		return 0, false
	}
	if l < 2 {
		return 1, true // every pool is eligible
	}
	if top*uint64(l) >= n {
		return 0, false
	}
	logN, logL := log2(n), log2(uint64(l))
	// l x KL(1/l, p) in bits.
	gain := logN - logL - log2(top) + int64(l-1)*(log2(uint64(l-1))+logN-logL-log2(n-top))
	hi, lo := bits.Mul64(uint64(l), uint64(log2(oneIn*uint64(len(published)))))
	if gain <= 0 || hi >= uint64(gain) {
		return 0, false // too close to 1/l for any pool that can be counted
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
