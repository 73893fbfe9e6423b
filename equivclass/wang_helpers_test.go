package equivclass

import "math/rand/v2"

// wangPool returns a pool of numeric dimensions in [0,1] from its rows.
func wangPool(rows ...[]float32) *Pool {
	p := &Pool{Space: &Space{Dims: make([]Dim, len(rows[0]))}, SA: make([]Code, len(rows))}
	for j := range p.Space.Dims {
		p.Space.Dims[j] = Dim{Kind: Number, Width: 1}
	}
	for _, r := range rows {
		p.X = append(p.X, r...)
	}
	return p
}

// wangGrid returns n rows at random points of a grid, so that equal points and
// equal coordinates are frequent, with s sensitive values of falling frequency.
func wangGrid(rng *rand.Rand, n, d, grid, s int) *Pool {
	rows := make([][]float32, n)
	for i := range rows {
		rows[i] = make([]float32, d)
		for j := range rows[i] {
			rows[i][j] = float32(rng.IntN(grid+1)) / float32(grid)
		}
	}
	p := wangPool(rows...)
	for i := range p.SA {
		p.SA[i] = Code(min(rng.IntN(s), rng.IntN(s)))
	}
	return p
}

func wangRows(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

// wangClustered returns n rows of d dimensions with as many different values as
// Adult's, half of the mass of each on a fifth of its domain.
func wangClustered(n, d, s int) *Pool {
	rng := rand.New(rand.NewPCG(uint64(n), 99))
	domain := []int{73, 7, 16, 7, 14, 5, 2, 41}
	p := wangGrid(rng, n, d, 1, s)
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
