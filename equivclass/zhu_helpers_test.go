package equivclass

import (
	"math/rand/v2"
	"testing"
)

// zhuPool returns n rows of d dimensions of few values, skewed, whose sensitive
// value depends on the last dimension: the correlation that the papers use.
func zhuPool(rng *rand.Rand, n, d, grid, s int) *Pool {
	p := wangGrid(rng, n, d, grid, s)
	for i := range n {
		if rng.IntN(2) == 0 {
			p.SA[i] = Code(int(p.X[i*d+d-1]*float32(s)+0.5)) % Code(s)
		}
	}
	return p
}

// zhuBlock is one block: rows that agree in every dimension.
func zhuBlock(sa ...Code) *Pool {
	p := &Pool{Space: &Space{Dims: []Dim{{Kind: Number, Width: 1}}}, X: make([]float32, len(sa)), SA: sa}
	return p
}

// zhuEligible draws n sensitive values, low ones more often, of which none
// exceeds 1/l. s > l must hold.
func zhuEligible(rng *rand.Rand, n, s, l int) []Code {
	sa, count := make([]Code, n), make([]int, 2*s)
	for i := range sa {
		v := min(rng.IntN(s), rng.IntN(s))
		for count[v] == n/l {
			v = rng.IntN(2 * s)
		}
		count[v]++
		sa[i] = Code(v)
	}
	return sa
}

// zhuAdult is the experimental table of Zhu et al., section 5 (its table 1
// names relationship where the text says country), categories as such.
func zhuAdult(t testing.TB, n int) *Pool {
	t.Helper()
	names := []string{"age", "sex", "education-num", "marital-status", "race", "workclass", "relationship"}
	p := wangAdult(t, n, "occupation", names...)
	for j, name := range names {
		if name != "age" && name != "education-num" {
			p.Space.Dims[j] = Dim{Kind: Set, Size: int(p.Space.Dims[j].Width) + 1}
		}
	}
	return p
}

func zhuPartitioners() []Partitioner {
	return []Partitioner{ARP{}, ARPUp{}, AIP{}, Anatomy{}, Ring{}}
}
