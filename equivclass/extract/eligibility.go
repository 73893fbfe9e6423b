package extract

import (
	"anond/equivclass"
)

// eligibility tells which rows may be a class. Each worker has its own, for its scratch space.
type eligibility struct {
	pool  *equivclass.Pool
	k, l  int
	extra []equivclass.Principle
	value []int32        // sensitive value of a row, numbered 0.. by order of code
	tally []int32        // by value; zero between uses
	bag   equivclass.Bag // scratch of the extra principles
}

// newEligibility numbers the sensitive values densely.
func newEligibility(p *equivclass.Pool, want equivclass.Requirement) *eligibility {
	e := &eligibility{pool: p, k: max(2, want.K), l: max(1, want.L), extra: want.Extra, value: make([]int32, p.Len())}
	number := make(map[equivclass.Code]int32, 16)
	for i, v := range p.SA {
		n, ok := number[v]
		if !ok {
			n = int32(len(number))
			number[v] = n
		}
		e.value[i] = n
	}
	e.tally = make([]int32, len(number))
	return e
}

// worker returns the same with scratch space of its own.
func (e *eligibility) worker() *eligibility {
	w := *e
	w.bag, w.tally = equivclass.Bag{}, make([]int32, len(e.tally))
	return &w
}

// limit is how often one value may occur in a class of n records.
func (e *eligibility) limit(n int) int { return n / e.l }

// valid reports whether the rows may be a class. Cost: len(rows).
func (e *eligibility) valid(rows []int32) bool { return e.fitsWithout(rows, -1) }

// fitsWithout reports whether the rows without one of them (-1: all) may be a class.
func (e *eligibility) fitsWithout(rows []int32, out int32) bool {
	n := len(rows)
	if out >= 0 {
		n--
	}
	if n < e.k || e.largest(rows, out) > e.limit(n) {
		return false
	}
	return e.extraHold(rows, out, -1)
}

// largest returns how often the most frequent value occurs.
func (e *eligibility) largest(rows []int32, out int32) int {
	most := int32(0)
	for _, r := range rows {
		if r != out {
			v := e.value[r]
			e.tally[v]++
			most = max(most, e.tally[v])
		}
	}
	for _, r := range rows {
		e.tally[e.value[r]] = 0
	}
	return int(most)
}

// fitsWith reports whether a class stays valid when in joins it in place of out
// (-1: no row). Only the newcomer's value can have become too frequent.
func (e *eligibility) fitsWith(rows []int32, out, in int32) bool {
	n := len(rows)
	if out < 0 {
		n++
	}
	if e.times(rows, out, in)+1 > e.limit(n) || e.clash(rows, out, in) {
		return false
	}
	return e.extraHold(rows, out, in)
}

// times counts the rows without out that have the value of in.
func (e *eligibility) times(rows []int32, out, in int32) int {
	n, v := 0, e.value[in]
	for _, r := range rows {
		if r != out && e.value[r] == v {
			n++
		}
	}
	return n
}

// clash reports whether another record of in's subject is among the rows
// without out (rule S, one record of a subject in a class).
func (e *eligibility) clash(rows []int32, out, in int32) bool {
	if e.pool.Subject == nil || e.pool.Subject[in] == 0 {
		return false
	}
	for _, r := range rows {
		if r != out && e.pool.Subject[r] == e.pool.Subject[in] {
			return true
		}
	}
	return false
}

func (e *eligibility) extraHold(rows []int32, out, in int32) bool {
	if len(e.extra) == 0 {
		return true
	}
	b := &e.bag
	b.Counts, b.Total = b.Counts[:0], 0
	for _, r := range rows {
		if r != out {
			b.Add(e.pool.SA[r], 1)
		}
	}
	if in >= 0 {
		b.Add(e.pool.SA[in], 1)
	}
	for _, p := range e.extra {
		if !p.Holds(*b) {
			return false
		}
	}
	return true
}
