package incremental

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"anond/incremental/state"
	"anond/internal/fault"
)

// offsets is how far every partition of the source has been read. Partitions are
// numbered in order of first appearance; records refer to the number.
type offsets struct {
	at       map[state.Partition]*reach
	byNumber []*reach
	// newest is the partition that was asked for last. Records come in chunks of one
	// partition, so that the map is asked once a chunk.
	newest state.Partition
	reach  *reach // of newest; nil: it was never read
}

// reach is how far one partition has been read.
type reach struct {
	state.Position
	changed bool // since the last commit
}

func newOffsets() offsets { return offsets{at: map[state.Partition]*reach{}} }

// MostPartitions is how many partitions a state numbers. The links of a repartitioned topic count: each
// partition of it with each partition of the topic that was read.
const MostPartitions = math.MaxUint16 + 1

// ErrTooManyPartitions: there is no number left for a partition.
var ErrTooManyPartitions = fault.Errorf(fault.Config, "each file, each run of standard input and each partition needs a number, in a "+
	"repartitioned topic also each of its partitions with each one of the topic that anond repartition reads: more shards, or a "+
	"target of fewer partitions (--to), before the dataset begins",
	"the state numbers at most 65,536 partitions")

// find returns how far a partition was read, nil if it never was.
func (o *offsets) find(p state.Partition) *reach {
	if o.reach == nil || p != o.newest {
		o.newest, o.reach = p, o.at[p]
	}
	return o.reach
}

// restore takes in the position of a partition that state kept.
func (o *offsets) restore(p state.Partition, pos state.Position) { o.add(p, &reach{Position: pos}) }

func (o *offsets) add(p state.Partition, r *reach) {
	o.at[p] = r
	o.byNumber = append(o.byNumber, make([]*reach, max(0, int(r.Number)+1-len(o.byNumber)))...)
	o.byNumber[r.Number] = r
}

// ends are the first offsets that were not read, by partition.
func (o *offsets) ends() map[state.Partition]int64 {
	out := make(map[state.Partition]int64, len(o.at))
	for p, r := range o.at {
		out[p] = r.Next
	}
	return out
}

// timeOf is the log's time in the partition with a number.
func (o *offsets) timeOf(number uint16) int64 {
	if int(number) < len(o.byNumber) && o.byNumber[number] != nil {
		return o.byNumber[number].Time
	}
	return 0
}

// known returns the position of a partition that was read before.
func (o *offsets) known(p state.Partition) (pos state.Position, known bool) {
	if r := o.find(p); r != nil {
		return r.Position, true
	}
	return state.Position{}, false
}

// numbered reports that a partition has a number, or that one is left for it.
func (o *offsets) numbered(p state.Partition) error {
	if o.find(p) == nil && len(o.at) >= MostPartitions {
		return fmt.Errorf("%w: %s, partition %d, is one more", ErrTooManyPartitions, p.Source, p.ID)
	}
	return nil
}

// position returns the position of a partition, which changes, numbering a new one.
func (o *offsets) position(p state.Partition) *state.Position {
	r := o.find(p)
	if r == nil {
		r = &reach{Position: state.Position{Number: uint16(len(o.at)), Last: -1}}
		o.add(p, r)
		o.reach = r
	}
	r.changed = true
	return &r.Position
}

// applied reports whether an offset was applied before.
func (o *offsets) applied(p state.Partition, offset int64) bool { return offset < o.next(p) }

// next returns the first offset of a partition that is not applied.
func (o *offsets) next(p state.Partition) int64 {
	if r := o.find(p); r != nil {
		return r.Next
	}
	return 0
}

// advance passes a record and returns the number of its partition.
func (o *offsets) advance(p state.Partition, offset int64) uint16 {
	pos := o.position(p)
	pos.Next, pos.Last = offset+1, offset
	return pos.Number
}

// stamp notes the time stamp of a record, 0: it has none, and returns the time that it counts with.
func (o *offsets) stamp(p state.Partition, t int64) int64 {
	pos := o.position(p)
	pos.Time = max(pos.Time, t)
	return pos.Time
}

// pass moves on over offsets that hold no record.
func (o *offsets) pass(p state.Partition, next int64) {
	if next > o.next(p) {
		o.position(p).Next = next
	}
}

// witness notes the keyed digest of the last record applied.
func (o *offsets) witness(p state.Partition, d state.Digest) { o.position(p).Digest = d }

// reached reports whether every partition has been read up to its end.
func (o *offsets) reached(ends map[state.Partition]int64) bool {
	for p, end := range ends {
		if o.next(p) < end {
			return false
		}
	}
	return true
}

// positions returns a copy of the positions of all known partitions.
func (o *offsets) positions() map[state.Partition]state.Position {
	out := make(map[state.Partition]state.Position, len(o.at))
	for p, r := range o.at {
		out[p] = r.Position
	}
	return out
}

// changes returns the positions that changed since the last commit, in order of
// source and number, so that a delta does not depend on the order of a map.
func (o *offsets) changes() (out []state.PartitionPosition) {
	for p, r := range o.at {
		if r.changed {
			out = append(out, state.PartitionPosition{Partition: p, Position: r.Position})
		}
	}
	slices.SortFunc(out, func(a, b state.PartitionPosition) int {
		return cmp.Or(cmp.Compare(a.Partition.Source, b.Partition.Source), cmp.Compare(a.Partition.ID, b.Partition.ID))
	})
	return out
}

// committed forgets what changed: the store has it.
func (o *offsets) committed() {
	for _, r := range o.at {
		r.changed = false
	}
}
