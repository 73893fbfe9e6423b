package incremental

import "anond/incremental/state"

// Rounds: in which order records of several partitions are applied.
//
// Claim. Which records are applied before a cut, and in which order, is a function of offsets and of how far the
// partitions went when somebody looked: never of the bytes of a record (rule B, buckets).
//
// Proof. A round is a vector of ends, fixed before the first record of it is applied and kept in the state. Its records
// are applied partition after partition, each in the order of its offsets, and none behind an end before all ends are reached.
// So the order of all records is one of offsets within the vectors. A vector follows from the positions at which the
// last one ended, from the ends that the source told then, and from the count of records to the next cut (UntilCut).
// A cut by count lies behind a record of that order; a cut by time between two rounds.  QED
//
// A partition that is read as a whole, before all others, is one round whose end has no number: its own order is that of all
// records until then.
//
// Without it chunks of several partitions, which end by bytes, are applied as they come: a longer value of one
// person moves others into another pool.

// recordSource is how far the source is to be read: the present round, and what the state knows of
// the source itself.
type recordSource struct {
	head    *state.Head
	offsets *offsets
}

// recordSource returns how far the source is to be read.
func (m *Machine) Source() recordSource { return recordSource{&m.s.Head, &m.intake.offsets} }

// Ends returns where the present round ends.
func (s recordSource) Ends() map[state.Partition]int64 { return s.head.Ends }

// SetEnds begins a round: it fixes the offset up to which each partition is read before the next cut.
func (s recordSource) SetEnds(ends map[state.Partition]int64) {
	s.head.Ends, s.head.Changed = ends, true
}

// Reached reports whether the present round is complete.
func (s recordSource) Reached() bool { return s.offsets.reached(s.head.Ends) }

// ReadBefore returns how far partitions had been read before the state was reset.
func (s recordSource) ReadBefore() map[state.Partition]int64 { return s.head.Read }

// Partitions is the number of partitions that the topic of a shard had when it was first read;
// 0: it was not, or the state is of no shard.
func (s recordSource) Partitions() int { return s.head.Partitions }

// SetPartitions keeps that number, once, with the next commit.
func (s recordSource) SetPartitions(n int) {
	if s.head.Partitions == 0 && n > 0 {
		s.head.Partitions, s.head.Changed = n, true
	}
}
