package bucketize

import (
	"math/rand/v2"

	"anond/equivclass"
)

// ringRow is a published row of non-homogeneous generalization: its cells cover
// the rows Covers, its sensitive value is SA.
type ringRow struct {
	Covers []int32
	SA     equivclass.Code
}

// RingShift publishes rings. For each ring one shift of 0 to l-1 places is
// drawn from source, and the row of place i has the sensitive value of place i
// + shift, which it covers. Over the draws, each of the l values that a record
// may have has probability 1/l; the values of one ring are not independent of
// each other. Cost: n x l.
func RingShift(p *equivclass.Pool, rings [][]int32, l int, source rand.Source) []ringRow {
	random := rand.New(source)
	var out []ringRow
	for _, ring := range rings {
		width := max(1, min(l, len(ring)))
		shift := random.IntN(width)
		for i, w := range RingWindows(ring, width) {
			out = append(out, ringRow{w, p.SA[ring[(i+shift)%len(ring)]]})
		}
	}
	return out
}
