package extract

import (
	"cmp"
	"math/bits"
	"slices"

	"anond/equivclass"
)

// placed is a row with as many of its first coordinates as 128 bits hold.
type placed struct {
	hi, lo uint64
	row    int32
}

// sortByCoordinates sorts rows by coordinates, attribute by attribute, and then by
// number. Cost: n log n, with few looks at the coordinates themselves.
func sortByCoordinates(p equivclass.Points, rows []int32) {
	d := len(p.Space.Dims)
	list := make([]placed, len(rows))
	for i, r := range rows {
		list[i].row = r
	}
	packed := 0
	for room := 128; packed < d; packed++ {
		width, coded := widthOf(p, packed)
		if room -= width; room < 0 {
			break
		}
		dim := &p.Space.Dims[packed]
		for i := range list {
			e, x := &list[i], p.X[int(list[i].row)*d+packed]
			v := uint64(key(x))
			if coded {
				v = uint64(dim.Code(x))
			}
			e.hi, e.lo = e.hi<<width|e.lo>>(64-width), e.lo<<width|v
		}
	}
	slices.SortFunc(list, func(a, b placed) int {
		switch {
		case a.hi != b.hi:
			return cmp.Compare(a.hi, b.hi)
		case a.lo != b.lo:
			return cmp.Compare(a.lo, b.lo)
		}
		for j := packed; j < d; j++ {
			if x, y := p.X[int(a.row)*d+j], p.X[int(b.row)*d+j]; x != y {
				return cmp.Compare(x, y)
			}
		}
		return int(a.row) - int(b.row)
	})
	for i := range list {
		rows[i] = list[i].row
	}
}

// widthOf is how many bits the coordinates of a dimension need to keep their order: those
// of the codes if every coordinate is that of its code, else all of their keys.
func widthOf(p equivclass.Points, j int) (width int, coded bool) {
	dim, d := &p.Space.Dims[j], len(p.Space.Dims)
	if dim.Kind == equivclass.Number || dim.Size < 2 {
		return 32, false
	}
	for at := j; at < len(p.X); at += d {
		if c := dim.Code(p.X[at]); p.X[at] != float32(float64(c)/float64(dim.Size-1)) || int(c) >= dim.Size {
			return 32, false
		}
	}
	return bits.Len(uint(dim.Size - 1)), true
}
