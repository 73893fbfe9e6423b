package query

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"anond/equivclass"
)

// TestStepLossOnBorders: the loss of a pool's class is that of the cell that a
// release shows, also where values lie on the border of a step.
func TestStepLossOnBorders(t *testing.T) {
	a := equivclass.Attribute{Name: "weight", Role: equivclass.Quasi, Type: equivclass.Decimal, Digits: 1,
		Steps: []int64{25, 100}}
	d := equivclass.NewDictionary(a)
	for i := range 400 {
		d.Encode([]byte(strconv.FormatFloat(float64(i)/10, 'f', -1, 64)))
	}
	s := equivclass.NewSpace([]*equivclass.Dictionary{d})
	for lo := range equivclass.Code(400) {
		hi := min(399, lo+7)
		cell := CellOf(d, []equivclass.Code{lo, hi})
		want := min(1, (cell.Hi-cell.Lo)/s.Dims[0].Unit/s.Dims[0].Width)
		assert.InDelta(t, want, s.Dims[0].RangeLoss(s.Coord(0, d, lo), s.Coord(0, d, hi)), 1e-5, "%d to %d", lo, hi)
	}
}
