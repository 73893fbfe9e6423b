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

// SubPoolClasses is a good number of classes for a sub-pool of near classes, if MinPool
// asks for no more: smaller ones are joined more often, in larger ones a bucket has
// classes that lie farther apart.
const SubPoolClasses = 32

const (
	// nearL is the largest l at which sub-pools hold near classes. At l = 5 most of those
	// of Adult are ineligible, so that buckets become larger: the median person's has 60
	// people instead of 30.
	nearL = 3
	// farClasses is a good number of classes for a sub-pool of classes from everywhere:
	// larger ones take more time for each class, for hardly finer buckets.
	farClasses = 1000
	// farStep sub-pools of near classes have about as many classes as a sub-pool of classes
	// from everywhere should have. From several of them on, their number is a multiple of it:
	// so Division finds a number for either kind. Merge of 37,000 classes at once takes 80 s.
	farStep = 32
)

// Division returns into how many sub-pools a pool is divided whose classes Blocks has made
// fit, and whether a sub-pool should hold classes that lie near each other.
func Division(classes, least, l int) (subPools int, near bool) {
	if l <= nearL {
		subPools, _ = Blocks(classes, least, classes)
		return subPools, true
	}
	for subPools = classes / max(least, farClasses); subPools > 1; subPools-- {
		if classes%subPools == 0 {
			return subPools, false
		}
	}
	return 1, false
}

// Blocks divides a pool into sub-pools of equal size, each of at least so many classes:
// it returns the number of sub-pools and the classes of each. The remaining classes,
// fewer than there are sub-pools, do not fit: they wait for the next pool. Of the
// numbers of sub-pools from two thirds of what fits, it takes the one that leaves the
// fewest classes, the largest of those; but the largest one with which as many as keep
// are in the pool, where those all leave too many.
func Blocks(classes, least, keep int) (subPools, each int) {
	if least < 1 || classes < 2*least {
		return 1, classes
	}
	most, step := classes/least, 1
	if most >= 3*farStep {
		step = farStep
	}
	subPools = most - most%step
	for n := subPools - step; n > most*2/3; n -= step {
		if classes%n < classes%subPools {
			subPools = n
		}
	}
	if classes%subPools > max(0, classes-keep) {
		for subPools = most; classes%subPools > max(0, classes-keep); {
			subPools--
		}
	}
	return subPools, classes / subPools
}

// Pool decides the buckets of a pool of classes, which all have size records. The
// pool is divided into sub-pools, which should hold classes that lie near each other:
// class i belongs to sub-pool i modulo their number, and is its strand's class at place
// i divided by it. The top level is a Merge of the bags of the sub-pools. The sub-pools
// of a group are one node: the classes at the same place of each are one part, so that
// all parts have the same size, and a Merge of the bags of these parts, with draws of
// its own, divides the node (Theorem F).
//
// The classes must be a multiple of the sub-pools (Blocks): parts of unequal size
// break the proof. ok is false if the work was stopped.
func Pool(bags []Bag, size, subPools int, requirement Requirement, draws Draws, run Run) (buckets [][]int32, ok bool) {
	if run.Stop == nil {
		run.Stop = never
	}
	if subPools < 2 || len(bags) == 0 {
		buckets = merge(bags, size, requirement, draws.of(0, 0, 0), run)
		return buckets, !run.Stop()
	}
	if len(bags)%subPools != 0 {
		panic("merge: sub-pools of unequal size")
	}
	check(bags, size)
	p := pool{bags, size, subPools, requirement, draws, run}
	nodes := merge(p.tops(), size*len(bags)/subPools, requirement, draws.of(0, 0, 0), run)
	parts := make([][][]int32, len(nodes))
	workers := make([]struct{}, max(1, run.Workers))
	p.run.Workers = run.Workers / len(nodes)
	each(len(nodes), workers, func(i int, _ struct{}) { parts[i] = p.divide(nodes[i]) })
	for _, p := range parts {
		buckets = append(buckets, p...)
	}
	return inOrder(buckets), !run.Stop()
}

// pool is what Pool was called with.
type pool struct {
	bags           []Bag
	size, subPools int
	requirement    Requirement
	draws          Draws
	run            Run
}

// tops are the bags of the sub-pools.
func (p *pool) tops() []Bag {
	out := make([]Bag, p.subPools)
	for s := range out {
		var classes []int32
		for i := s; i < len(p.bags); i += p.subPools {
			classes = append(classes, int32(i))
		}
		out[s] = sum(pick(p.bags, classes))
	}
	return out
}

// divide returns the buckets of a node, which is one or more sub-pools, ascending.
func (p *pool) divide(node []int32) [][]int32 {
	places := len(p.bags) / p.subPools
	bags := make([]Bag, places)
	for r := range bags {
		bags[r] = sum(pick(p.bags, p.at(node, r)))
	}
	out := merge(bags, p.size*len(node), p.requirement, p.draws.of(int(node[0])+1, 1, 0), p.run)
	for i, bucket := range out {
		var classes []int32
		for _, r := range bucket {
			classes = append(classes, p.at(node, int(r))...)
		}
		out[i] = classes
	}
	return out
}

// at lists the classes of a node at a place.
func (p *pool) at(node []int32, place int) []int32 {
	out := make([]int32, len(node))
	for i, s := range node {
		out[i] = int32(place*p.subPools) + s
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

// each calls do for every i below n, on a goroutine for each worker, which do is told. The calls do not touch
// what others use, so the result does not depend on the number of workers; with none nothing is done.
func each[W any](n int, workers []W, do func(i int, worker W)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for _, w := range workers[:min(n, len(workers))] {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i, w)
			}
		})
	}
	all.Wait()
}
