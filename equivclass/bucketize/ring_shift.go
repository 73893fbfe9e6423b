package bucketize

import (
	"math/rand/v2"

	"anond/equivclass"
)

// RingRow is a published row of non-homogeneous generalization: the cells cover
// the rows Covers, the sensitive value is SA.
type RingRow struct {
	Covers []int32
	SA     equivclass.Code
}

// RingShift publishes rings. For each ring one shift of 0 to l-1 places is drawn
// from source, and the row of place i carries the sensitive value of place
// i + shift, which it covers. Over the draw each of the l values that a record's
// rows may carry has probability 1/l; within a ring the values are tied to each
// other. Cost: n x l.
func RingShift(p *equivclass.Pool, rings [][]int32, l int, source rand.Source) []RingRow {
	coin := rand.New(source)
	var out []RingRow
	for _, ring := range rings {
		width := max(1, min(l, len(ring)))
		shift := coin.IntN(width)
		for i, w := range RingWindows(ring, width) {
			out = append(out, RingRow{w, p.SA[ring[(i+shift)%len(ring)]]})
		}
	}
	return out
}
