package equivclass

// Partitioner cuts a pool into classes that each satisfy the requirement.
//
// Guarantee of every implementation: groups are disjoint, and each satisfies
// the requirement and has at most one record of a subject; rest is the records
// that are in no group. The result is a function of the content and the order
// of the pool alone: no clock, no global randomness. The pool is not changed.
// equivtest.Run tests an implementation for this.
type Partitioner interface {
	// Name is how --method of anond-lab writes the partitioner.
	Name() string
	Partition(p *Pool, want Requirement) (groups [][]int32, rest []int32)
}

// Drawing is a partitioner with random draws: its result is also a function of
// the seed.
type Drawing interface {
	Partitioner
	// WithSeed returns the partitioner with another seed.
	WithSeed(seed uint64) Partitioner
}

// Reporting is a partitioner that says how far it is: tell is called by several goroutines
// with how much of all is done, in records, and once with all of them at the end. It has no
// influence on the groups.
type Reporting interface {
	Partitioner
	WithProgress(tell func(done, all int)) Partitioner
}

// Stoppable is a partitioner whose work can be ended early. Once stop returns
// true, Partition returns soon, and its result must be discarded. As long as
// stop returns false it has no influence on the groups.
type Stoppable interface {
	Partitioner
	WithStop(stop func() bool) Partitioner
}

// Source is where random numbers come from: 64 independent uniform bits for
// each call. Releases pass a generator keyed from the secret seed in state,
// one-off tools crypto/rand.
type Source interface{ Uint64() uint64 }
