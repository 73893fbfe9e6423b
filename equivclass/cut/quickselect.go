package cut

import (
	"cmp"
	"slices"
)

// Nth reorders xs so that xs[n] is the value that sorting would put there and
// returns it: Hoare's quickselect with a median of three, and a sort instead
// once the parts stop shrinking, so that no input costs more than n log n.
// Expected cost: linear.
func Nth[T cmp.Ordered](xs []T, n int) T {
	lo, hi, budget := 0, len(xs)-1, 4*len(xs)
	for lo < hi {
		if budget -= hi - lo; budget < 0 {
			slices.Sort(xs[lo : hi+1])
			break
		}
		pivot := middleOf(xs[lo], xs[(lo+hi)/2], xs[hi])
		i, j := lo, hi
		for i <= j {
			for xs[i] < pivot {
				i++
			}
			for xs[j] > pivot {
				j--
			}
			if i <= j {
				xs[i], xs[j] = xs[j], xs[i]
				i++
				j--
			}
		}
		switch {
		case n <= j:
			hi = j
		case n >= i:
			lo = i
		default:
			return xs[n]
		}
	}
	return xs[n]
}

func middleOf[T cmp.Ordered](a, b, c T) T { return max(min(a, b), min(max(a, b), c)) }
