package nearest

import (
	"math"
	"math/bits"
)

// Distances are whole numbers, so that a sum does not depend on the order of its parts,
// nor on how coordinates are packed: squares of gaps in units of 1/unit, of which at most
// two count.
const (
	unit = 1 << 26
	most = 2 * unit
	far  = math.MaxUint64
)

// metric measures packed points and boxes of one layout under one scale.
type metric struct {
	guards []uint64
	counts []uint64 // by word: the guard bits of dimensions whose gaps count
	sides  []side   // by word and place of the guard bit: word*64 + place
}

// side is one dimension as a metric sees it.
type side struct {
	shift uint
	carry uint64 // the guard bit, shifted to the lane's own place
	gauge
}

// newMetric measures coordinates that are multiplied by times.
func newMetric(l *layout, scale []float64, times float64) metric {
	m := metric{guards: l.guards, counts: make([]uint64, len(l.guards)), sides: make([]side, 64*len(l.guards))}
	for j := range l.lanes {
		a := &l.lanes[j]
		m.sides[a.word*64+int(a.shift+a.bits+1)] = side{a.shift, 1 << (a.bits + 1), newGauge(scale[j] / times)}
		if scale[j] > 0 {
			m.counts[a.word] |= a.guard()
		}
	}
	return m
}

// apart is the squared distance of a point to a box, or some number above limit if it is
// farther than that.
func (m *metric) apart(box, at []uint64, limit uint64) (sum uint64) {
	words := len(m.guards)
	for w, g := range m.guards {
		above, below := (at[w]|g)-box[w], (box[words+w]|g)-at[w]
		if out := m.counts[w] &^ (above & below); out != 0 {
			if sum += m.outside(w, out, above, below); sum > limit {
				return sum
			}
		}
	}
	return sum
}

// outside adds up the dimensions of a word whose guard bits are in out: one of the
// differences borrowed there.
func (m *metric) outside(w int, out, above, below uint64) (sum uint64) {
	sides := m.sides[w<<6 : w<<6+64]
	for ; out != 0; out &= out - 1 {
		s := &sides[bits.TrailingZeros64(out)&63]
		t := below
		if above&(out&-out) == 0 {
			t = above
		}
		sum += s.square(s.carry - t>>(s.shift&63)&(s.carry-1))
	}
	return sum
}

// gauge turns steps into distance.
type gauge struct{ limit, scale, least uint64 }

// fraction is how many bits of a gauge's scale stand behind the point.
const fraction = 20

func newGauge(scale float64) gauge {
	if !(scale > 0) {
		return gauge{}
	}
	return gauge{uint64(min(2/scale, 1<<62)) + 1, uint64(math.Round(scale * (unit << fraction))), 1}
}

// square is what a gap of so many steps, at least one, adds to a distance: 0 only if the
// dimension does not count.
func (g *gauge) square(steps uint64) uint64 {
	gap := min(min(steps, g.limit)*g.scale>>fraction+g.least, most)
	return gap * gap
}
