package equivclass

import (
	"fmt"
	"math"
	"slices"
)

// Principle is a privacy principle that a class satisfies or not, judged by its
// bag alone. Implementations ignore the order of records and the identity of
// values, apart from distances between values.
type Principle interface {
	// Name is how the configuration and the manifest write the principle.
	Name() string
	// Holds reports whether a class with this bag satisfies the principle.
	Holds(b Bag) bool
}

// FrequencyL is frequency l-diversity: no value has more than 1/L of the class.
// Promise SA (the posterior of a value is at most 1/l) rests on it; Xiao and
// Tao 2006 call it eligibility.
type FrequencyL struct{ L int }

// Name returns frequency(l).
func (p FrequencyL) Name() string { return fmt.Sprintf("frequency(%d)", p.L) }

// Holds reports max count * L <= size.
func (p FrequencyL) Holds(b Bag) bool { return b.Eligible(p.L) }

// DistinctL is distinct l-diversity, also called p-sensitivity: at least L
// different values (Machanavajjhala et al., TKDD 2007; Truta and Vinay 2006).
type DistinctL struct{ L int }

// Name returns distinct(l).
func (p DistinctL) Name() string { return fmt.Sprintf("distinct(%d)", p.L) }

// Holds reports at least L different values.
func (p DistinctL) Holds(b Bag) bool { return len(b.Counts) >= p.L }

// EntropyL is entropy l-diversity: the entropy of the value shares is at least
// log L (Machanavajjhala et al., TKDD 2007, Definition 4.1).
type EntropyL struct{ L float64 }

// Name returns entropy(l).
func (p EntropyL) Name() string { return fmt.Sprintf("entropy(%g)", p.L) }

// Holds reports exp(entropy) >= L, with a margin of 1e-9 for rounding, so that
// L equally frequent values satisfy entropy(L).
func (p EntropyL) Holds(b Bag) bool { return b.Total > 0 && Entropy(b) >= math.Log(p.L)-1e-9 }

// Entropy returns the entropy of the value shares in nats.
func Entropy(b Bag) float64 {
	var h float64
	for _, c := range b.Counts {
		s := float64(c.N) / float64(b.Total)
		h -= s * math.Log(s)
	}
	return h
}

// RecursiveL is recursive (c,l)-diversity: with counts r1 >= r2 >= ...,
// r1 < C * (rL + rL+1 + ...) (Machanavajjhala et al., TKDD 2007, Definition 4.2).
type RecursiveL struct {
	C float64
	L int
}

// Name returns recursive(c,l).
func (p RecursiveL) Name() string { return fmt.Sprintf("recursive(%g,%d)", p.C, p.L) }

// Holds reports r1 < C * sum of counts from rank L on.
func (p RecursiveL) Holds(b Bag) bool {
	if len(b.Counts) < p.L {
		return false
	}
	n := make([]int, len(b.Counts))
	for i, c := range b.Counts {
		n[i] = c.N
	}
	slices.SortFunc(n, func(a, b int) int { return b - a })
	tail := 0
	for _, c := range n[p.L-1:] {
		tail += c
	}
	return float64(n[0]) < p.C*float64(tail)
}

// Requirement is what every class must satisfy: at least K records, frequency
// l-diversity, and the extra principles.
type Requirement struct {
	K, L  int
	Extra []Principle
}

// Holds reports whether a class with this bag may be published.
func (r Requirement) Holds(b Bag) bool {
	if b.Total < r.K || !b.Eligible(r.L) {
		return false
	}
	for _, p := range r.Extra {
		if !p.Holds(b) {
			return false
		}
	}
	return true
}
