package equivclass

// Partitioner cuts a pool into classes that each satisfy the requirement.
//
// Guarantee of every implementation: groups are disjoint, each satisfies the
// requirement and holds at most one record of a subject; rest is the records
// that are in none. The result is a function of the pool's content and order
// alone: no clock, no global randomness. The pool stays as it is. equivtest.Run holds an
// implementation to this.
type Partitioner interface {
	// Name is how initial.partitioner and --method write the partitioner.
	Name() string
	Partition(p *Pool, want Requirement) (groups [][]int32, rest []int32)
}

// Drawing is a partitioner that draws: its result is a function of the seed too.
type Drawing interface {
	Partitioner
	// WithSeed returns the partitioner with another seed.
	WithSeed(seed uint64) Partitioner
}

// Stoppable is a partitioner whose work can be ended early. Once stop answers
// true, Partition returns soon; what it returns then means nothing and must be
// thrown away. As long as stop answers false it has no influence on the groups.
type Stoppable interface {
	Partitioner
	WithStop(stop func() bool) Partitioner
}
