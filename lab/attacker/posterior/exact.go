package posterior

import (
	"errors"
	"math"
	"math/big"
	"slices"
)

// Work is counted in steps of the enumeration (about a microsecond each). One component
// may take maxSteps, a whole search exactBudget; what does not fit is undecided, never
// guessed.
const (
	maxSteps    = 400_000
	exactBudget = 20_000_000
)

var (
	errTooLarge      = errors.New("component is too large for exact enumeration")
	errContradictory = errors.New("no assignment of values fits the releases")
)

// posterior holds exact counts: P(type t has value v) = num[t][v]/(n[t]*worlds).
type posterior struct {
	worlds *big.Int
	num    [][]*big.Int
	steps  int // work it took
}

// exactPosteriors counts all worlds by dynamic programming over types. A state
// is what is still to be filled of every class's bag; a step gives one type its
// row x[t][.], which n[t]!/prod(x!) assignments of its records realise. Ways to
// reach a state times ways to finish from it give the expectation of every cell.
//
// Guarantee: the posteriors at level L0, as exact fractions, or errTooLarge.
// Cost: number of steps between reachable states, at most limit.
func (p *problem) exactPosteriors(limit int) (*posterior, error) {
	if p.records() > math.MaxUint16 {
		return nil, errTooLarge // residuals are kept in 16 bits
	}
	e := &enumeration{p: p, limit: limit, holds: make([][]int, len(p.n))}
	for i := range p.direct {
		for _, t := range p.sets[i].types {
			e.holds[t] = append(e.holds[t], i)
		}
	}
	if err := e.forward(); err != nil {
		return nil, err
	}
	post, err := e.backward()
	if err == nil {
		post.steps = e.steps
	}
	return post, err
}

type enumeration struct {
	p      *problem
	limit  int
	holds  [][]int // per type: classes it is in
	layers [][]*state
	steps  int
}

// state is the residual of every class before a type is placed.
type state struct {
	left []uint16 // class-major, per value
	ways *big.Int // weighted ways to get here
	rest *big.Int // weighted ways to finish
	next []transition
}

type transition struct {
	to     *state
	row    []uint16
	weight *big.Int
}

func (e *enumeration) forward() error {
	width := len(e.p.values)
	start := &state{left: make([]uint16, e.p.direct*width), ways: big.NewInt(1)}
	for i := range e.p.direct {
		for v, n := range e.p.sets[i].bag {
			start.left[i*width+v] = uint16(n)
		}
	}
	e.layers = [][]*state{{start}}
	for t := range e.p.n {
		known := map[string]*state{}
		var layer []*state
		for _, s := range e.layers[t] {
			row := make([]uint16, width)
			if err := e.place(s, t, 0, e.p.n[t], row, known, &layer); err != nil {
				return err
			}
		}
		e.layers = append(e.layers, layer)
	}
	return nil
}

// place enumerates the rows of type t, value by value.
func (e *enumeration) place(s *state, t, v, left int, row []uint16, known map[string]*state, layer *[]*state) error {
	width := len(row)
	if e.steps++; e.steps > e.limit {
		return errTooLarge
	}
	switch {
	case left == 0: // what follows v in row is zero
		e.reach(s, t, row, known, layer)
		return nil
	case v == width:
		return nil
	}
	most := left
	for _, c := range e.holds[t] {
		most = min(most, int(s.left[c*width+v]))
	}
	for n := 0; n <= most; n++ {
		row[v] = uint16(n)
		if err := e.place(s, t, v+1, left-n, row, known, layer); err != nil {
			return err
		}
	}
	row[v] = 0
	return nil
}

// reach records the step from s by row, merging equal residuals.
func (e *enumeration) reach(s *state, t int, row []uint16, known map[string]*state, layer *[]*state) {
	left := slices.Clone(s.left)
	for _, c := range e.holds[t] {
		for v, n := range row {
			left[c*len(row)+v] -= n
		}
	}
	key := make([]byte, 0, 2*len(left))
	for _, n := range left {
		key = append(key, byte(n), byte(n>>8))
	}
	to := known[string(key)]
	if to == nil {
		to = &state{left: left, ways: new(big.Int)}
		known[string(key)] = to
		*layer = append(*layer, to)
	}
	weight := multinomial(e.p.n[t], row)
	to.ways.Add(to.ways, new(big.Int).Mul(s.ways, weight))
	s.next = append(s.next, transition{to, slices.Clone(row), weight})
}

// multinomial is n! / prod(row!).
func multinomial(n int, row []uint16) *big.Int {
	w, b := big.NewInt(1), new(big.Int)
	for _, x := range row {
		w.Mul(w, b.Binomial(int64(n), int64(x)))
		n -= int(x)
	}
	return w
}

func (e *enumeration) backward() (*posterior, error) {
	last := e.layers[len(e.layers)-1]
	for _, s := range last {
		s.rest = new(big.Int)
		if !slices.ContainsFunc(s.left, func(n uint16) bool { return n > 0 }) {
			s.rest.SetInt64(1)
		}
	}
	out := &posterior{worlds: new(big.Int), num: make([][]*big.Int, len(e.p.n))}
	through, product := new(big.Int), new(big.Int)
	for t := len(e.p.n) - 1; t >= 0; t-- {
		out.num[t] = make([]*big.Int, len(e.p.values))
		for v := range out.num[t] {
			out.num[t][v] = new(big.Int)
		}
		for _, s := range e.layers[t] {
			s.rest = new(big.Int)
			for _, step := range s.next {
				product.Mul(step.weight, step.to.rest)
				s.rest.Add(s.rest, product)
				through.Mul(s.ways, product)
				for v, n := range step.row {
					if n > 0 {
						product.Mul(through, big.NewInt(int64(n)))
						out.num[t][v].Add(out.num[t][v], product)
					}
				}
			}
		}
	}
	out.worlds.Set(e.layers[0][0].rest)
	if out.worlds.Sign() == 0 {
		return nil, errContradictory
	}
	return out, nil
}

// fromExact turns exact posteriors into findings.
func (f *finding) fromExact(p *problem, post *posterior, l int) {
	f.exact = true
	for t, n := range p.n {
		whole := new(big.Int).Mul(post.worlds, big.NewInt(int64(n)))
		for _, num := range post.num[t] {
			scaled := new(big.Int).Mul(num, big.NewInt(int64(l)))
			f.exposed[t] = f.exposed[t] || scaled.Cmp(whole) > 0
			share, _ := new(big.Rat).SetFrac(num, whole).Float64()
			f.max = max(f.max, share)
		}
		f.safe[t] = !f.exposed[t]
	}
}
