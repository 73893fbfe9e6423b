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
	classes, _ = extract.Blind{Workers: workers}.Classes(p.Points(), want.K)
	world, values := numbered(p.SA)
	subPools, each := blocks(len(classes), want, world.bag(everyRow(classes), values))
	classes = classes[:subPools*each]
	return classes, b.merge(classes, world, values, want, subPools, d)
}

func everyRow(classes [][]int32) (rows []int32) {
	for _, c := range classes {
		rows = append(rows, c...)
	}
	return rows
}

// blocks divides the pool. MinPool looks at published histograms; there is no
// earlier release here, so the histogram of the pool stands for them.
func blocks(classes int, want equivclass.Requirement, bag []int32) (subPools, each int) {
	records, _ := merge.MinPool(bagOf(bag), want.L)
	return merge.Blocks(classes, max(merge.SubPoolClasses, (records+want.K-1)/want.K))
}

// merge decides the buckets of classes.
func (buckets) merge(classes [][]int32, w World, values int, want equivclass.Requirement, subPools int, d draws) [][]int32 {
	bags := make([]merge.Bag, len(classes))
	for c, rows := range classes {
		bags[c] = bagOf(w.bag(rows, values))
	}
	out, _ := merge.Pool(bags, want.K, subPools, merge.Requirement{L: want.L}, merge.AllDraws(merge.Key{}, d.order),
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
func (b buckets) again(p *Public, w World, d draws) (classes, parts [][]int32) {
	return p.classes, b.merge(p.classes, w, p.values, p.want, b.subPools(p, w), d)
}

// subPools is the number of sub-pools, which follows from the pool's bag.
func (buckets) subPools(p *Public, w World) int {
	n, _ := blocks(len(p.classes), p.want, w.bag(p.rows(), p.values))
	return n
}

func (buckets) conclude(p *Public) func() Rules { return mergeRules(p) }

// draws are the orders in which Merge takes equal bags: uniform, by seed. Two parts
// of one node can be exchanged in them.
type draws struct {
	seed    uint64
	subPool uint32 // number from 1 of the sub-pool where two classes are exchanged; 0: of the whole pool
	a, b    int32  // those classes; equal: none
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

// exchanged returns the draws in which two classes of one sub-pool are exchanged; ok
// is false if they are not of one.
func (d draws) exchanged(a, b int32, subPools int) (draws, bool) {
	if subPools < 2 {
		d.subPool, d.a, d.b = 0, a, b
		return d, true
	}
	s := int32(subPools)
	d.subPool, d.a, d.b = uint32(a%s)+1, a/s, b/s
	return d, a%s == b%s
}
