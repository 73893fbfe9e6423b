package estimate

import (
	"math"
	"slices"
)

// equations are the normal equations of a weighted ridge regression with several
// responses on the same features.
type equations struct {
	n, responses int
	square       []float64 // n x n, lower triangle
	right        []float64 // n x responses
}

func newEquations(n, responses int) *equations {
	return &equations{n: n, responses: responses, square: make([]float64, n*n), right: make([]float64, n*responses)}
}

// add adds an observation of some weight; seen is its responses times the weight.
func (e *equations) add(x features, weight float64, seen []float64) {
	for a, i := range x.at {
		row := e.square[int(i)*e.n : int(i+1)*e.n]
		for b, j := range x.at[:a+1] { // ascending
			row[j] += weight * x.w[a] * x.w[b]
		}
		subtract(e.rightOf(int(i)), seen, -x.w[a])
	}
}

func (e *equations) rightOf(feature int) []float64 { return rowOf(e.right, feature, e.responses) }

func rowOf(matrix []float64, i, width int) []float64 { return matrix[i*width : (i+1)*width] }

// plus adds other equations, times a factor.
func (e *equations) Plus(o *equations, factor float64) {
	subtract(e.square, o.square, -factor)
	subtract(e.right, o.right, -factor)
}

// solve returns the coefficients, feature x response, under a penalty on the
// square of each, and a larger one on the difference of coupled features (the
// first the larger number). Cost: n^3/6 + n^2 x responses.
func (e *equations) solve(penalty float64, coupled [][2]int) []float64 {
	n, a := e.n, slices.Clone(e.square)
	for i := range n {
		a[i*n+i] += penalty
	}
	for _, c := range coupled {
		i, j := c[0], c[1]
		a[i*n+i] += penaltyCouple * penalty
		a[j*n+j] += penaltyCouple * penalty
		a[i*n+j] -= penaltyCouple * penalty
	}
	factorize(a, n)
	x := slices.Clone(e.right)
	for i := range n {
		row := rowOf(x, i, e.responses)
		for j := range i {
			subtract(row, rowOf(x, j, e.responses), a[i*n+j])
		}
		multiply(row, 1/a[i*n+i])
	}
	for i := n - 1; i >= 0; i-- {
		row := rowOf(x, i, e.responses)
		for j := i + 1; j < n; j++ {
			subtract(row, rowOf(x, j, e.responses), a[j*n+i])
		}
		multiply(row, 1/a[i*n+i])
	}
	return x
}

// loss is the sum of squares that coefficients leave, less a constant.
func (e *equations) loss(slope []float64) (out float64) {
	for i := range e.n {
		for j := range i + 1 {
			w := e.square[i*e.n+j]
			if w == 0 {
				continue
			}
			if i != j {
				w *= 2
			}
			out += w * product(rowOf(slope, i, e.responses), rowOf(slope, j, e.responses))
		}
		out -= 2 * product(rowOf(slope, i, e.responses), e.rightOf(i))
	}
	return out
}

// factorize makes the lower triangle of a positive definite matrix its Cholesky
// factor.
func factorize(a []float64, n int) {
	for i := range n {
		for j := range i + 1 {
			sum := a[i*n+j] - product(a[i*n:i*n+j], a[j*n:j*n+j])
			if i == j {
				a[i*n+i] = math.Sqrt(max(sum, 1e-12))
			} else {
				a[i*n+j] = sum / a[j*n+j]
			}
		}
	}
}

func product(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

func subtract(row, other []float64, times float64) {
	if times == 0 {
		return
	}
	for i, v := range other {
		row[i] -= times * v
	}
}

func multiply(row []float64, by float64) {
	for i := range row {
		row[i] *= by
	}
}
