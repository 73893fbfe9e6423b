package extract

import "anond/equivclass"

// Near puts classes into blocks of equal size whose classes lie near each other, for a
// decision that treats each block apart. The classes, of at least two rows each, must be a
// multiple of blocks. It returns the classes in an order in which class i is in block i
// modulo blocks. Like Classes it is given points, so no block depends on a value. Work that
// was stopped returns the classes as they were.
//
// Method: Blind on the centres of the classes' cells. Cost: that of Classes for so many
// records, with the classes of a block for k.
func (m Blind) Near(p equivclass.Points, classes [][]int32, blocks int) [][]int32 {
	each := len(classes) / max(1, blocks)
	if blocks < 2 || each < 2 {
		return classes
	}
	centres := equivclass.Points{Space: p.Space, X: make([]float32, 0, len(classes)*len(p.Space.Dims))}
	for _, c := range classes {
		centres.X = appendCentre(centres.X, p, c)
	}
	groups, rest := m.Classes(centres, each)
	if len(groups) != blocks || len(rest) > 0 {
		return classes // stopped
	}
	out := make([][]int32, len(classes))
	for b, g := range groups {
		for i, c := range g {
			out[i*blocks+b] = classes[c]
		}
	}
	return out
}

// appendCentre appends the centre of the cell of some rows.
func appendCentre(x []float32, p equivclass.Points, rows []int32) []float32 {
	for j, d := 0, len(p.Space.Dims); j < d; j++ {
		lo := p.X[int(rows[0])*d+j]
		hi := lo
		for _, r := range rows[1:] {
			at := p.X[int(r)*d+j]
			lo, hi = min(lo, at), max(hi, at)
		}
		x = append(x, (lo+hi)/2)
	}
	return x
}
