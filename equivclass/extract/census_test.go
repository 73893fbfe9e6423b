package extract

import (
	"math/rand/v2"

	"anond/equivclass"
)

// censusPool makes records of the shape of UCI Adult: two numbers and five categories
// without a hierarchy, skewed, and a value that depends on one of the numbers.
func censusPool(seed uint64, n int) *equivclass.Pool {
	rng := rand.New(rand.NewPCG(seed, 1))
	skewed := func(n int) int { return min(rng.IntN(n), rng.IntN(n), rng.IntN(n)) }
	sizes := []int{74, 8, 16, 7, 5, 2, 41}
	p := &equivclass.Pool{Space: &equivclass.Space{}}
	for j, size := range sizes {
		dim := equivclass.Dim{Kind: equivclass.Set, Size: size}
		if j == 0 || j == 2 {
			dim = equivclass.Dim{Kind: equivclass.Number, Width: float64(size - 1)}
		}
		p.Space.Dims = append(p.Space.Dims, dim)
	}
	for range n {
		education := rng.IntN(16)
		for j, v := range []int{skewed(74), skewed(8), education, rng.IntN(7), skewed(5), rng.IntN(2), skewed(41)} {
			p.X = append(p.X, float32(float64(v)/float64(sizes[j]-1)))
		}
		p.SA = append(p.SA, equivclass.Code((education/3+rng.IntN(11))%14))
	}
	return p
}
