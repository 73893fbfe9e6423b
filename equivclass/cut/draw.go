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

// SplitMix is a small generator (Steele, Lea and Flood, OOPSLA 2014) for the
// orders in which rows are tried. It is not for anything that must be secret.
type SplitMix uint64

// Uint64 returns the next number.
func (s *SplitMix) Uint64() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
