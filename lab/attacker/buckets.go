package attacker

import (
	"math/rand/v2"

	"anond/equivclass"
	"anond/equivclass/extract"
	"anond/equivclass/merge"
)

// Buckets is level L2: classes of exactly k records that are formed without a look
// at values, and buckets of whole classes by Merge.
func Buckets() Program { return buckets{} }

type buckets struct{}

func (buckets) Name() string { return "buckets (L2)" }

func (b buckets) run(p *equivclass.Pool, want equivclass.Requirement, d draws) (classes, parts [][]int32) {
	blind := extract.Blind{Workers: workers}
	classes, _ = blind.Classes(p.Points(), want.K)
	world, values := numbered(p.SA)
	least := leastSubPool(want, world.bag(everyRow(classes), values))
	subPools, each := merge.Blocks(len(classes), least, 0)
	classes = classes[:subPools*each]
	subPools, near := merge.Division(len(classes), least, want.L)
	if near {
		classes = blind.Near(p.Points(), classes, subPools)
	}
	return classes, b.merge(classes, world, values, want, subPools, d)
}

func everyRow(classes [][]int32) (rows []int32) {
	for _, c := range classes {
		rows = append(rows, c...)
	}
	return rows
}

// leastSubPool is how many classes a sub-pool has at least. MinPool looks at published
// histograms; there is no earlier release here, so the histogram of the pool stands for
// them.
func leastSubPool(want equivclass.Requirement, bag []int32) int {
	records, _ := merge.MinPool(bagOf(bag), want.L)
	return max(merge.SubPoolClasses, (records+want.K-1)/want.K)
}

// merge decides the buckets of classes.
func (buckets) merge(classes [][]int32, w world, values int, want equivclass.Requirement, subPools int, d draws) [][]int32 {
	bags := make([]merge.Bag, len(classes))
	for c, rows := range classes {
		bags[c] = bagOf(w.bag(rows, values))
	}
	out, _ := merge.Pool(bags, want.K, subPools, merge.Requirement{Caps: merge.Frequency(want.L)}, merge.AllDraws(merge.Key{}, d.order),
		merge.Run{Workers: workers})
	return out
}

// bagOf is the bag of counts by value. The values of a pool are numbered by their
// codes, which here do not change from world to world.
func bagOf(counts []int32) (b merge.Bag) {
	for v, n := range counts {
		if n > 0 {
			b = append(b, merge.Count{Value: uint32(v), N: uint32(n)})
		}
	}
	return b
}

// again merges only: classes are a function of the points.
func (b buckets) again(p *publicView, w world, d draws) (classes, parts [][]int32) {
	return p.classes, b.merge(p.classes, w, p.values, p.want, p.subPools(), d)
}

// subPools is the number of sub-pools, which follows from the pool's bag.
func (p *publicView) subPools() int {
	all := make([]int32, p.values)
	for _, bag := range p.bags {
		for v, n := range bag {
			all[v] += n
		}
	}
	n, _ := merge.Division(len(p.classes), leastSubPool(p.want, all), p.want.L)
	return n
}

func (buckets) conclude(p *publicView) func() rules { return mergeRules(p) }

// draws are the orders in which Merge takes equal bags: uniform, by seed. Two parts
// of one node can be exchanged in them.
type draws struct {
	seed    uint64
	subPool uint32 // where two parts are exchanged: number from 1 of the node's first sub-pool; 0: at the top
	a, b    int32  // those parts; equal: none
}

// order returns the order of m parts for a key.
func (d draws) order(k merge.Key, m int) []int32 {
	rng := rand.New(rand.NewPCG(d.seed, uint64(k.SubPool)<<32|uint64(k.Level)))
	out := make([]int32, m)
	for i, p := range rng.Perm(m) {
		out[i] = int32(p)
	}
	if k.SubPool == d.subPool {
		for i, p := range out {
			switch p {
			case d.a:
				out[i] = d.b
			case d.b:
				out[i] = d.a
			}
		}
	}
	return out
}
