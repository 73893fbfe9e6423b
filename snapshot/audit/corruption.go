package audit

import (
	"math/big"
	"slices"
)

// corruption is the largest posterior of any record once one other record's
// value is revealed. For a pure component the values of the signature are
// interchangeable, so revealing one value per type is enough; for others the
// result is a lower bound over the values tried.
// Cost: one exact enumeration per type, spent from budget.
func (p *problem) corruption(budget *int) (float64, error) {
	top := 0.0
	for t := range p.n {
		q, ok := p.reveal(t)
		if !ok {
			continue
		}
		limit := min(maxSteps, *budget)
		post, err := q.exactPosteriors(limit)
		if err != nil {
			*budget -= limit
			return 0, err
		}
		*budget -= post.steps
		for u, n := range q.n {
			if n == 0 {
				continue
			}
			whole := new(big.Int).Mul(post.worlds, big.NewInt(int64(n)))
			for _, num := range post.num[u] {
				x, _ := new(big.Rat).SetFrac(num, whole).Float64()
				top = max(top, x)
			}
		}
	}
	return top, nil
}

// reveal removes one record of type t that turned out to carry the first value
// all its classes have.
func (p *problem) reveal(t int) (*problem, bool) {
	q := &problem{values: p.values, direct: p.direct, n: slices.Clone(p.n)}
	q.n[t]--
	value := -1
	for v := range p.values {
		possible := true
		for i := range p.direct {
			possible = possible && (!p.sets[i].has(t) || p.sets[i].bag[v] > 0)
		}
		if possible {
			value = v
			break
		}
	}
	if value < 0 {
		return nil, false
	}
	for i := range p.direct {
		s := knownSet{types: p.sets[i].types, bag: slices.Clone(p.sets[i].bag)}
		if s.has(t) {
			s.bag[value]--
		}
		q.sets = append(q.sets, s)
	}
	return q, true
}

func (s *knownSet) has(t int) bool {
	_, ok := slices.BinarySearch(s.types, t)
	return ok
}
