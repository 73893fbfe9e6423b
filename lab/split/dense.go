package split

import (
	"math"
	"slices"

	"anond/equivclass"
)

// OrderedBits maps floats to integers in the same order.
func OrderedBits(x float32) uint64 {
	b := math.Float32bits(x + 0) // -0 and 0 are one coordinate
	if b>>31 != 0 {
		return uint64(^b)
	}
	return uint64(b | 1<<31)
}

// Column is a column as small numbers: codes[i] < size for every row i.
type Column struct {
	Codes []int32
	Size  int
}

// Dimension numbers the values of dimension j in ascending order.
func Dimension(p *equivclass.Pool, j int) Column {
	keys := make([]uint64, p.Len())
	for i := range keys {
		keys[i] = OrderedBits(p.X[i*p.D()+j])<<32 | uint64(i)
	}
	return denseKeys(keys)
}

// Sensitive numbers the sensitive values in ascending order of code.
func Sensitive(p *equivclass.Pool) Column {
	keys := make([]uint64, p.Len())
	for i, c := range p.SA {
		keys[i] = uint64(c)<<32 | uint64(i)
	}
	return denseKeys(keys)
}

// denseKeys numbers keys of value<<32 | row by value.
func denseKeys(keys []uint64) Column {
	slices.Sort(keys)
	c := Column{Codes: make([]int32, len(keys))}
	for i, k := range keys {
		if i == 0 || k>>32 != keys[i-1]>>32 {
			c.Size++
		}
		c.Codes[uint32(k)] = int32(c.Size - 1)
	}
	return c
}
