package merge

import (
	"math"
	"math/big"
	"math/bits"
)

// Fixed-point numbers. Every decision of this package is made on integers, so
// that all processors decide alike. Processors may round a floating-point
// product and sum in one step or in two, and logarithms differ in the last bit.

const (
	logBits  = 48 // fractional bits of log2
	unitBits = 16 // fractional bits of energies and of what a principle lacks
	unit     = 1 << unitBits
	// shareBits are the fractional bits of a share or a distance. Comparisons of
	// these allow for shareMargin: less than the 1e-9 that other parts of the
	// program allow, so that what holds here holds there, too.
	shareBits   = 32
	shareMargin = 2
)

// log2 returns the logarithm of x > 0 to the base 2, rounded down, with logBits
// fractional bits: one squaring gives one bit.
func log2(x uint64) int64 {
	whole := bits.Len64(x) - 1
	m := x << (63 - whole) // in [1,2), 63 fractional bits
	out := int64(whole) << logBits
	for b := logBits - 1; b >= 0; b-- {
		hi, lo := bits.Mul64(m, m)
		if hi>>63 == 1 {
			m, out = hi, out|1<<b
		} else {
			m = hi<<1 | lo>>63
		}
	}
	return out
}

// ratio returns a/b, rounded down, with so many fractional bits. The result must
// fit 63 bits.
func ratio(a, b uint64, fraction int) int64 {
	hi, lo := bits.Mul64(a, 1<<fraction)
	q, _ := bits.Div64(hi, lo, b)
	return int64(q)
}

// exact returns a setting, given as a floating-point number, with shareBits
// fractional bits, rounded down. The same float64 gives the same integer on
// every processor.
func exact(setting float64) int64 {
	r := new(big.Rat)
	if r.SetFloat64(setting) == nil || r.Sign() < 0 {
		return 0
	}
	r.Mul(r, new(big.Rat).SetInt64(1<<shareBits))
	q := new(big.Int).Quo(r.Num(), r.Denom())
	if !q.IsInt64() {
		return math.MaxInt64
	}
	return q.Int64()
}
