package merge

import (
	"sync"
	"sync/atomic"
)

// Run says how Pool works, not what it decides.
type Run struct {
	Workers int         // goroutines; less than 2 means one
	Stop    func() bool // asked now and then; nil: never
}

// SubPoolClasses is a good number of classes for a sub-pool, if MinPool asks for no
// more: larger ones take more time for each class, for hardly finer buckets.
const SubPoolClasses = 1000

// Blocks divides a pool into sub-pools of equal size, each of at least so many
// classes (SubPoolClasses, and as many as MinPool asks for): it returns the number of sub-pools and the classes of each. The
// remaining classes, fewer than there are sub-pools, do not fit: they wait for the
// next pool.
func Blocks(classes, least int) (subPools, each int) {
	if least < 1 || classes < 2*least {
		return 1, classes
	}
	subPools = classes / least
	return subPools, classes / subPools
}

// Pool decides the buckets of a pool of classes, which all have size records. The
// pool is divided by count into sub-pools; class i belongs to sub-pool i modulo
// their number, so that the order of classes, which may follow quasi-identifiers,
// spreads over all of them. The top level is a Merge of the bags of the sub-pools: a
// group of two or more is one bucket, which is never refined. A sub-pool that is
// alone in its group is divided by a Merge of its classes, with draws of its own.
//
// The classes must be a multiple of the sub-pools (Blocks): parts of unequal size
// break the proof. ok is false if the work was stopped.
func Pool(bags []Bag, size, subPools int, requirement Requirement, draws Draws, run Run) (buckets [][]int32, ok bool) {
	stop := run.Stop
	if stop == nil {
		stop = never
	}
	if subPools < 2 || len(bags) == 0 {
		buckets = merge(bags, size, requirement, draws.of(0, 0, 0), stop)
		return buckets, !stop()
	}
	if len(bags)%subPools != 0 {
		panic("merge: sub-pools of unequal size")
	}
	check(bags, size)
	tops := make([]Bag, subPools)
	for s := range tops {
		tops[s] = sum(pick(bags, members(s, subPools, len(bags))))
	}
	groups := merge(tops, size*len(bags)/subPools, requirement, draws.of(0, 0, 0), stop)
	parts := make([][][]int32, len(groups))
	each(len(groups), run.Workers, func(i int) {
		parts[i] = bucketsOf(groups[i], bags, size, subPools, requirement, draws, stop)
	})
	for _, p := range parts {
		buckets = append(buckets, p...)
	}
	return inOrder(buckets), !stop()
}

// bucketsOf returns the buckets of a group of sub-pools.
func bucketsOf(group []int32, bags []Bag, size, subPools int, requirement Requirement, draws Draws, stop func() bool) [][]int32 {
	if len(group) > 1 {
		var one []int32
		for _, s := range group {
			one = append(one, members(int(s), subPools, len(bags))...)
		}
		return [][]int32{one}
	}
	s := int(group[0])
	at := members(s, subPools, len(bags))
	out := merge(pick(bags, at), size, requirement, draws.of(s+1, 1, 0), stop)
	for _, g := range out {
		for i, class := range g {
			g[i] = at[class]
		}
	}
	return out
}

// members lists the classes of a sub-pool.
func members(s, subPools, classes int) (out []int32) {
	for i := s; i < classes; i += subPools {
		out = append(out, int32(i))
	}
	return out
}

func pick(bags []Bag, at []int32) []Bag {
	out := make([]Bag, len(at))
	for i, class := range at {
		out[i] = bags[class]
	}
	return out
}

// each calls do for every i below n on so many goroutines. The calls do not touch
// what others use, so the result does not depend on their number.
func each(n, workers int, do func(i int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range max(1, min(workers, n)) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	all.Wait()
}
