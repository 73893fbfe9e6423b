package incremental

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"slices"
)

// offsets is how far every partition of the source has been read. Partitions are
// numbered in order of first appearance; records refer to the number.
type offsets struct {
	at      map[Partition]Position
	changed map[Partition]bool // since the last commit
}

func newOffsets() offsets {
	return offsets{at: map[Partition]Position{}, changed: map[Partition]bool{}}
}

var errTooManyPartitions = errors.New("the state numbers at most 65,535 partitions")

// numbered reports that a partition has a number, or that one is left for it.
func (o *offsets) numbered(p Partition) error {
	if _, known := o.at[p]; !known && len(o.at) > math.MaxUint16 {
		return errTooManyPartitions
	}
	return nil
}

// position returns the position of a partition, numbering a new one.
func (o *offsets) position(p Partition) Position {
	if pos, ok := o.at[p]; ok {
		return pos
	}
	return Position{Number: uint16(len(o.at)), Last: -1}
}

func (o *offsets) set(p Partition, pos Position) {
	o.at[p] = pos
	o.changed[p] = true
}

// applied reports whether an offset was applied before.
func (o *offsets) applied(p Partition, offset int64) bool { return offset < o.at[p].Next }

// advance passes a record and returns the number of its partition.
func (o *offsets) advance(p Partition, offset int64) uint16 {
	pos := o.position(p)
	pos.Next, pos.Last = offset+1, offset
	o.set(p, pos)
	return pos.Number
}

// pass moves on over offsets that hold no record.
func (o *offsets) pass(p Partition, next int64) {
	if pos := o.position(p); next > pos.Next {
		pos.Next = next
		o.set(p, pos)
	}
}

// witness notes the keyed digest of the last record applied.
func (o *offsets) witness(p Partition, d Digest) {
	pos := o.position(p)
	pos.Digest = d
	o.set(p, pos)
}

// reached reports whether every partition has been read up to its end.
func (o *offsets) reached(ends map[Partition]int64) bool {
	for p, end := range ends {
		if o.at[p].Next < end {
			return false
		}
	}
	return true
}

// changes returns the positions that changed since the last commit, in order of
// source and number, so that a delta does not depend on the order of a map.
func (o *offsets) changes() (out []PartitionPosition) {
	for _, p := range slices.SortedFunc(maps.Keys(o.changed), func(a, b Partition) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.ID, b.ID))
	}) {
		out = append(out, PartitionPosition{p, o.at[p]})
	}
	return out
}
