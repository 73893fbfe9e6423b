package table

import (
	"slices"
)

// Roster lists the records of each class of a release.
type Roster struct {
	start []uint32
	rec   []uint32
}

// NewRoster sorts records by class by counting. Cost O(records + classes).
func NewRoster(classOf []uint32, m int) Roster {
	start := make([]uint32, m+2)
	for _, c := range classOf {
		if c > 0 {
			start[c]++
		}
	}
	for c := 1; c < len(start); c++ {
		start[c] += start[c-1]
	}
	rec := make([]uint32, start[m])
	at := slices.Clone(start)
	for r, c := range classOf {
		if c > 0 {
			rec[at[c-1]] = uint32(r)
			at[c-1]++
		}
	}
	return Roster{start: start, rec: rec}
}

func (r *Roster) Of(c int) []uint32 { return r.rec[r.start[c]:r.start[c+1]] }
