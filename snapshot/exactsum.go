package snapshot

import "math"

// exactSum adds numbers without rounding, so that a sum is the same in whatever
// order its terms come and go: what was carried from release to release equals
// what is counted anew after a restart. It holds the sum as numbers that do not
// overlap (Shewchuk 1997).
type exactSum []float64

func (s *exactSum) add(x float64) {
	kept := (*s)[:0]
	for _, y := range *s {
		if math.Abs(x) < math.Abs(y) {
			x, y = y, x
		}
		high := x + y
		if low := y - (high - x); low != 0 {
			kept = append(kept, low)
		}
		x = high
	}
	*s = append(kept, x)
}

// value is the sum, correctly rounded once.
func (s exactSum) value() float64 {
	n := len(s) - 1
	if n < 0 {
		return 0
	}
	high, low := s[n], 0.0
	for n > 0 && low == 0 {
		n--
		x, y := high, s[n]
		high = x + y
		low = y - (high - x)
	}
	// Halfway between two numbers: what is left over decides.
	if n > 0 && (low < 0 && s[n-1] < 0 || low > 0 && s[n-1] > 0) {
		if x := high + 2*low; 2*low == x-high {
			high = x
		}
	}
	return high
}
