package figures

import (
	"math"
	"slices"
)

// Mean is the mean, and 0 of nothing.
func Mean(xs []float64) float64 {
	var sum float64
	for _, x := range xs {
		sum += x
	}
	return sum / float64(max(1, len(xs)))
}

// Median is the middle, of an even number the mean of both middles, and 0 of
// nothing.
func Median(xs []float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(xs))
	return (sorted[(len(xs)-1)/2] + sorted[len(xs)/2]) / 2
}

// StandardError is that of the mean, and 0 of fewer than two.
func StandardError(xs []float64) float64 {
	if len(xs) < 2 {
		return 0
	}
	m, sum := Mean(xs), 0.0
	for _, x := range xs {
		sum += (x - m) * (x - m)
	}
	return math.Sqrt(sum / float64(len(xs)-1) / float64(len(xs)))
}

// Exponent is e in y = c x^e through the first and the last point.
func Exponent(xs, ys []float64) float64 {
	last := len(xs) - 1
	return math.Log(ys[last]/ys[0]) / math.Log(xs[last]/xs[0])
}

// ratio is a/b, and 1 of equals, so of two zeros.
func ratio(a, b float64) float64 {
	if a == b {
		return 1
	}
	return a / b
}
