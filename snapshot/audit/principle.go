package audit

import (
	"math"
	"slices"
)

// holds tests one principle on the multiplicities of a class (reordered here):
//
//	frequency l:      max <= |class|/l
//	distinct l:       at least l different values
//	entropy l:        -sum p log p >= log l
//	recursive (c,l):  r1 < c (r_l + ... + r_m), counts in descending order
//
// Source: Machanavajjhala et al., l-diversity, TKDD 2007. Cost O(m log m).
func (p principle) holds(counts []int, size int) bool {
	switch p.Kind {
	case "distinct":
		return float64(len(counts)) >= p.L
	case "frequency":
		return float64(slices.Max(counts))*p.L <= float64(size)
	case "entropy":
		h := 0.0
		for _, n := range counts {
			q := float64(n) / float64(size)
			h -= q * math.Log(q)
		}
		return h >= math.Log(p.L)-1e-9
	}
	slices.SortFunc(counts, func(a, b int) int { return b - a })
	tail := 0
	for i := int(p.L) - 1; i < len(counts); i++ {
		tail += counts[i]
	}
	return float64(counts[0]) < p.C*float64(tail)
}
