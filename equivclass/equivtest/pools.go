package equivtest

import (
	"math/rand/v2"

	"anond/equivclass"
)

// EachPermutation calls f with all permutations of 0..n-1, in one slice.
func EachPermutation(n int, f func([]int)) {
	perm := make([]int, n)
	for i := range perm {
		perm[i] = i
	}
	var rec func(int)
	rec = func(at int) {
		if at == n {
			f(perm)
			return
		}
		for i := at; i < n; i++ {
			perm[at], perm[i] = perm[i], perm[at]
			rec(at + 1)
			perm[at], perm[i] = perm[i], perm[at]
		}
	}
	rec(0)
}

// Pool returns a pool of numeric dimensions in [0,1] from its rows.
func Pool(rows ...[]float32) *equivclass.Pool {
	p := &equivclass.Pool{Space: &equivclass.Space{Dims: make([]equivclass.Dim, len(rows[0]))}, SA: make([]equivclass.Code, len(rows))}
	for j := range p.Space.Dims {
		p.Space.Dims[j] = equivclass.Dim{Kind: equivclass.Number, Width: 1}
	}
	for _, r := range rows {
		p.X = append(p.X, r...)
	}
	return p
}

// Grid returns n rows at random points of a grid, so that equal points and
// equal coordinates are frequent, with s sensitive values of falling frequency.
func Grid(rng *rand.Rand, n, d, grid, s int) *equivclass.Pool {
	rows := make([][]float32, n)
	for i := range rows {
		rows[i] = make([]float32, d)
		for j := range rows[i] {
			rows[i][j] = float32(rng.IntN(grid+1)) / float32(grid)
		}
	}
	p := Pool(rows...)
	for i := range p.SA {
		p.SA[i] = equivclass.Code(min(rng.IntN(s), rng.IntN(s)))
	}
	return p
}

// Rows returns the numbers 0 to n-1.
func Rows(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

// Clustered returns n rows of d dimensions with as many different values as
// Adult's, half of the mass of each on a fifth of its domain.
func Clustered(n, d, s int) *equivclass.Pool {
	rng := rand.New(rand.NewPCG(uint64(n), 99))
	domain := []int{73, 7, 16, 7, 14, 5, 2, 41}
	p := Grid(rng, n, d, 1, s)
	for i := range n {
		for j := range d {
			size := domain[j%len(domain)]
			v := rng.IntN(size)
			if rng.IntN(2) == 0 {
				v = rng.IntN(max(1, size/5))
			}
			p.X[i*d+j] = float32(v) / float32(max(1, size-1))
		}
	}
	return p
}

// Correlated returns n rows of d dimensions of few values, skewed, whose sensitive
// value depends on the last dimension: the correlation that the papers use.
func Correlated(rng *rand.Rand, n, d, grid, s int) *equivclass.Pool {
	p := Grid(rng, n, d, grid, s)
	for i := range n {
		if rng.IntN(2) == 0 {
			p.SA[i] = equivclass.Code(int(p.X[i*d+d-1]*float32(s)+0.5)) % equivclass.Code(s)
		}
	}
	return p
}

// Block is one block: rows that agree in every dimension.
func Block(sa ...equivclass.Code) *equivclass.Pool {
	p := &equivclass.Pool{Space: &equivclass.Space{Dims: []equivclass.Dim{{Kind: equivclass.Number, Width: 1}}}, X: make([]float32, len(sa)),
		SA: sa}
	return p
}
