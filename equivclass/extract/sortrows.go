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

// sorted are rows in the order of their coordinates.
type sorted struct {
	p      equivclass.Points
	list   []placed
	packed int // coordinates in hi and lo
}

// sortByCoordinates sorts rows, which ascend, by coordinates, attribute by attribute, and then by
// number. Cost: linear, but for rows that 128 bits do not tell apart.
func sortByCoordinates(p equivclass.Points, rows []int32) sorted {
	d := len(p.Space.Dims)
	s := sorted{p: p, list: make([]placed, len(rows))}
	for i, r := range rows {
		s.list[i].row = r
	}
	used := 0
	for ; s.packed < d; s.packed++ {
		number, width := ranks(p, s.packed, rows)
		if used+width > 128 {
			break
		}
		used += width
		for i := range s.list {
			e := &s.list[i]
			e.hi, e.lo = e.hi<<width|e.lo>>(64-width), e.lo<<width|uint64(number(p.X[int(e.row)*d+s.packed]))
		}
	}
	s.list = radixSort(s.list, used)
	for begin := 0; begin < len(s.list) && s.packed < d; {
		end := begin + 1
		for end < len(s.list) && s.list[begin].hi == s.list[end].hi && s.list[begin].lo == s.list[end].lo {
			end++
		}
		slices.SortFunc(s.list[begin:end], func(a, b placed) int {
			return cmp.Or(slices.Compare(s.rest(a), s.rest(b)), cmp.Compare(a.row, b.row))
		})
		begin = end
	}
	return s
}

// rest are the coordinates of a row that hi and lo do not hold.
func (s *sorted) rest(a placed) []float32 {
	d := len(s.p.Space.Dims)
	return s.p.X[int(a.row)*d+s.packed : int(a.row+1)*d]
}

func (s *sorted) equal(i, j int) bool {
	a, b := s.list[i], s.list[j]
	return a.hi == b.hi && a.lo == b.lo && slices.Equal(s.rest(a), s.rest(b))
}

// digit is how many bits a pass of radixSort looks at.
const digit = 11

// radixSort sorts by the lowest bits of hi and lo, and keeps the order of equals. Cost: linear for each digit.
func radixSort(list []placed, width int) []placed {
	other := make([]placed, len(list))
	for shift := uint(0); shift < uint(width); shift += digit {
		var next [1 << digit]int
		at := func(e *placed) uint64 {
			v := e.lo>>shift | e.hi<<(64-shift)
			if shift >= 64 {
				v = e.hi >> (shift - 64)
			}
			return v & (1<<digit - 1)
		}
		for i := range list {
			next[at(&list[i])]++
		}
		sum := 0
		for i, n := range next {
			next[i] = sum
			sum += n
		}
		for i := range list {
			to := &next[at(&list[i])]
			other[*to] = list[i]
			*to++
		}
		list, other = other, list
	}
	return list
}

// mostRanks is how many coordinates of a dimension may differ and still be numbered.
const mostRanks = 1 << digit

// ranks numbers the coordinates of a dimension by their order, and tells how many bits a number needs. Where
// too many differ, their keys are the numbers.
func ranks(p equivclass.Points, j int, rows []int32) (number func(float32) uint32, width int) {
	const slots = 4 * mostRanks
	var (
		table [slots]uint32 // a place in found, 0 for none
		found = []uint32{0} // keys
		rank  []uint32
		d     = len(p.Space.Dims)
	)
	slot := func(k uint32) *uint32 {
		at := k * 0x9e3779b1 >> (32 - 13)
		for table[at] != 0 && found[table[at]] != k {
			at = (at + 1) % slots
		}
		return &table[at]
	}
	for _, r := range rows {
		k := key(p.X[int(r)*d+j] + 0) // -0 is 0
		if s := slot(k); *s == 0 {
			if len(found) > mostRanks {
				return func(v float32) uint32 { return key(v + 0) }, 32
			}
			*s = uint32(len(found))
			found = append(found, k)
		}
	}
	order := slices.Clone(found[1:])
	slices.Sort(order)
	rank = make([]uint32, len(found))
	for i, k := range order {
		rank[*slot(k)] = uint32(i)
	}
	return func(v float32) uint32 { return rank[*slot(key(v + 0))] }, bits.Len(uint(max(1, len(order)-1)))
}
