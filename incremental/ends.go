package incremental

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
// Without it chunks of several partitions, which end by bytes, are applied as they come: a longer value of one
// person moves others into another pool.

// Ends returns where the present round ends.
func (m *Machine) Ends() map[Partition]int64 { return m.head.Ends }

// SetEnds begins a round.
func (m *Machine) SetEnds(ends map[Partition]int64) { m.head.Ends, m.head.changed = ends, true }

// EndsReached reports whether the present round is complete.
func (m *Machine) EndsReached() bool { return m.intake.offsets.reached(m.head.Ends) }
