package incremental_test

import (
	"anond/equivclass/equivtest"
	"anond/equivclass/merge"
)

// script answers each key with one of its orders, and the same key with the same one.
type script struct {
	choices, outcomes []int
	used              int
	known             map[merge.Key][]int32
}

// scale is a multiple of the number of outcomes that a run's draws have.
const scale = 1 << 10 * 81

// eachDraw calls do with every outcome of the draws that it makes.
func eachDraw(do func(s *script)) {
	s := &script{}
	for more := true; more; more = s.next() {
		s.used, s.known = 0, map[merge.Key][]int32{}
		do(s)
	}
}

// next goes on to the next outcome of the last draw that has one left.
func (s *script) next() bool {
	for i := s.used - 1; i >= 0; i-- {
		if s.choices[i]++; s.choices[i] < s.outcomes[i] {
			s.choices, s.outcomes = s.choices[:i+1], s.outcomes[:i+1]
			return true
		}
	}
	return false
}

func (s *script) order(k merge.Key, m int) []int32 {
	o, known := s.known[k]
	switch {
	case known && len(o) != m:
		panic("one key for lists of different length")
	case known:
		return o
	}
	if s.used == len(s.choices) {
		s.choices, s.outcomes = append(s.choices, 0), append(s.outcomes, len(orders[m]))
	}
	o = orders[m][s.choices[s.used]]
	s.used++
	s.known[k] = o
	return o
}

// probability is that of the outcomes of a run, times scale.
func (s *script) probability() uint64 {
	all := 1
	for _, n := range s.outcomes[:s.used] {
		all *= n
	}
	if scale%all != 0 {
		panic("scale is too course for these draws")
	}
	return uint64(scale / all)
}

// orders of 0..m-1, by m.
var orders = func() (out [6][][]int32) {
	for m := range out {
		equivtest.EachPermutation(m, func(p []int) {
			order := make([]int32, m)
			for i, x := range p {
				order[i] = int32(x)
			}
			out[m] = append(out[m], order)
		})
	}
	return out
}()
