// Package audittest counts the worlds that fit a small chain of releases, one by
// one. It shares nothing with the auditor, so that tests may compare the two.
package audittest

import (
	"errors"
	"fmt"
)

// Chain is a chain of releases reduced to what the adversary of levels L0 and
// L1 knows: which records are in which class, and every class's bag.
type Chain struct {
	Records  int // number of records; they are named 0..Records-1
	Values   int // number of sensitive values; they are named 0..Values-1
	Releases []Release
}

// Release is one release of a Chain.
type Release struct{ Classes []Class }

// Class is one class: its members and the sensitive values it shows.
type Class struct {
	Members []int
	Bag     []int // one value per member, in any order
}

// Worlds is the result of enumerating all worlds.
type Worlds struct {
	Worlds    uint64
	Count     [][]uint64 // per record, per value: worlds in which the record has the value
	Published []bool     // per record: it occurs in some class
}

// P is the probability that a record has a value, given all releases.
func (w *Worlds) P(record, value int) float64 {
	return float64(w.Count[record][value]) / float64(w.Worlds)
}

// Max is the largest posterior of any published record and value.
func (w *Worlds) Max() float64 {
	top := 0.0
	for r, counts := range w.Count {
		for v := range counts {
			if w.Published[r] {
				top = max(top, w.P(r, v))
			}
		}
	}
	return top
}

var (
	errTooManyWorlds = errors.New("too many worlds to enumerate")
	errContradictory = errors.New("no assignment of values fits the releases")
)

// worldBudget bounds the nodes of the enumeration.
const worldBudget = 50_000_000

// Posteriors enumerates every assignment of values to records that fits all
// releases and counts, for each published record, how often it has each value.
// It is deliberately plain: one record after another, no symmetry, no sharing
// with the auditor's own method, so that tests may hold the two side by side.
// Records never published are unconstrained and are not counted.
//
// Cost: exponential; an error after a fixed budget.
func Posteriors(c Chain) (*Worlds, error) {
	w := &worlds{chain: &c, of: make([][]int, c.Records), budget: worldBudget}
	w.out = &Worlds{Count: make([][]uint64, c.Records), Published: make([]bool, c.Records)}
	for r := range w.out.Count {
		w.out.Count[r] = make([]uint64, c.Values)
	}
	for i, rel := range c.Releases {
		for j, class := range rel.Classes {
			if len(class.Members) != len(class.Bag) {
				return nil, fmt.Errorf("release %d class %d: members and bag differ in size", i+1, j+1)
			}
			left := make([]int, c.Values)
			for _, v := range class.Bag {
				left[v]++
			}
			for _, r := range class.Members {
				w.of[r] = append(w.of[r], len(w.left))
				w.out.Published[r] = true
			}
			w.left = append(w.left, left)
		}
	}
	w.value = make([]int, c.Records)
	if !w.assign(0) {
		return nil, errTooManyWorlds
	}
	if w.out.Worlds == 0 {
		return nil, errContradictory
	}
	return w.out, nil
}

type worlds struct {
	chain  *Chain
	of     [][]int // classes of each record
	left   [][]int // per class: what is still to be given out
	value  []int
	budget int
	out    *Worlds
}

// assign gives record r each value its classes still have.
func (w *worlds) assign(r int) bool {
	if w.budget--; w.budget < 0 {
		return false
	}
	for r < w.chain.Records && !w.out.Published[r] {
		r++
	}
	if r == w.chain.Records {
		w.out.Worlds++
		for x, v := range w.value {
			if w.out.Published[x] {
				w.out.Count[x][v]++
			}
		}
		return true
	}
	for v := range w.chain.Values {
		if !w.take(r, v) {
			continue
		}
		w.value[r] = v
		if !w.assign(r + 1) {
			return false
		}
		for _, c := range w.of[r] {
			w.left[c][v]++
		}
	}
	return true
}

// take gives value v to record r if every class of r has one left.
func (w *worlds) take(r, v int) bool {
	for _, c := range w.of[r] {
		if w.left[c][v] == 0 {
			return false
		}
	}
	for _, c := range w.of[r] {
		w.left[c][v]--
	}
	return true
}
