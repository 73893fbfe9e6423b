package cut

import (
	"math/bits"

	"anond/equivclass"
)

// Shuffle permutes xs uniformly (Fisher and Yates; Durstenfeld's form).
func Shuffle(xs []int32, src equivclass.Source) {
	for i := len(xs) - 1; i > 0; i-- {
		j := Below(src, uint64(i+1))
		xs[i], xs[j] = xs[j], xs[i]
	}
}

// Below returns a uniform number below n, without bias (Lemire, "Fast Random
// Integer Generation in an Interval", TOMACS 2019).
func Below(src equivclass.Source, n uint64) int {
	hi, lo := bits.Mul64(src.Uint64(), n)
	if lo < n {
		for reject := -n % n; lo < reject; {
			hi, lo = bits.Mul64(src.Uint64(), n)
		}
	}
	return int(hi)
}
