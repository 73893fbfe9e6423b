package wang

import (
	"math"
	"math/rand/v2"

	"anond/equivclass"
	"anond/lab/figures/dataset"
)

// The table of Wang, Xu and Sun's section V.B: "multi-dimensional data [that]
// obeys discrete normal distribution". They give neither mean nor spread.
const (
	levels = 20 // different values of an attribute
	spread = 6  // its domain spans this many standard deviations
)

// normal returns n records of d attributes of levels normally distributed
// values, cut off at the ends of the domain.
func normal(n, d, levels int, seed uint64) *equivclass.Pool {
	rng := rand.New(rand.NewPCG(seed, 0x57a6))
	top := float64(levels - 1)
	p := &equivclass.Pool{Space: &equivclass.Space{Dims: make([]equivclass.Dim, d)}, X: make([]float32, n*d), SA: make([]equivclass.Code, n)}
	for j := range d {
		p.Space.Dims[j] = equivclass.Dim{Kind: equivclass.Number, Width: top}
	}
	for i := range p.X {
		v := math.Round(top/2 + rng.NormFloat64()*top/spread)
		p.X[i] = float32(min(top, max(0, v)) / top)
	}
	return p
}

// adult returns the first n records of Adult over the six attributes of
// section V.C, each mapped to numbers as section III.B.a says.
func adult(s dataset.Source, n int) (*equivclass.Pool, error) {
	t, err := s.Adult(n, dataset.Column{Name: "age", Type: equivclass.Integer}, dataset.Column{Name: "sex", Type: equivclass.Categorical},
		dataset.Column{Name: "education-num", Type: equivclass.Integer},
		dataset.Column{Name: "native-country", Type: equivclass.Categorical}, dataset.Column{Name: "income", Type: equivclass.Categorical},
		dataset.Column{Name: "occupation", Type: equivclass.Categorical})
	if err != nil {
		return nil, err
	}
	p := t.Pool([]int{0, 1, 2, 3, 4, 5}, -1)
	for j := range p.Space.Dims {
		if dim := &p.Space.Dims[j]; dim.Kind != equivclass.Number {
			*dim = equivclass.Dim{Kind: equivclass.Number, Width: float64(max(1, dim.Size-1))}
		}
	}
	return p, nil
}
