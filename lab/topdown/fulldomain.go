package topdown

import (
	"math"
	"slices"

	"anond/equivclass"
	"anond/equivclass/cut"
)

// FullDomain is full-domain generalization for p-sensitive k-anonymity, the
// algorithm that Sun et al. compare with as Org(p,k) (Truta and Vinay, PDM
// 2006, after Samarati 2001): every value of an attribute is generalized to the
// same depth of its hierarchy throughout the table.
//
// Guarantee: that of Partitioner, and every class has at least P different
// sensitive values. Of all combinations of depths that satisfy the requirement
// without leaving a record out, the one with the smallest NCP over the domain
// is taken. This is exact for k, p, frequency, entropy, recursive l and
// t-closeness, all of which the union of two classes inherits.
//
// Method: the combinations are a lattice. A chain through those not yet judged
// is searched by halving. A combination that satisfies the requirement decides
// all that are more general, one that does not decides all that are more
// specific (Samarati's search in the order of Kohlmayer et al.'s Flash, 2012).
// No combination is judged that loses more than the best one found.
//
// Cost: n x D for each combination judged; some hundreds on Adult.
//
// Numbers without steps are halved, at most ten times. A lattice of more than
// about a million combinations drops depths of its tallest dimensions.
type FullDomain struct{ P int }

// Name returns org.
func (FullDomain) Name() string { return "org" }

// Partition implements Partitioner. The records of a subject are spread over
// rounds, each with depths of its own.
func (f FullDomain) Partition(p *equivclass.Pool, want equivclass.Requirement) (groups [][]int32, rest []int32) {
	want = sensitiveTo(want, f.P)
	judge := cut.NewJudge(p, want)
	var ladders []*ladder
	for j := range p.D() {
		ladders = append(ladders, newLadder(p, j))
	}
	return cut.BySubject(p, func(rows []int32) ([][]int32, []int32) {
		if !judge.Holds(rows) {
			return nil, rows
		}
		l := newDepthLattice(ladders, judge, rows)
		return l.classes(l.search()), nil
	})
}

// depthLattice is the combinations of depths; node is their mixed-radix number. The
// most general one is 0.
type depthLattice struct {
	ladders []*ladder
	depths  [][]int // by dimension: the depths that take part, general first
	stride  []int
	judge   *cut.Judge
	rows    []int32
	loss    [][]float64 // by dimension and place in depths: mean NCP
	tag     []int8      // 0: not judged
	keys    []uint64    // scratch of classes
	number  map[uint64]int32
	count   []int32
	groups  [][]int32
	inCell  []int32
}

const (
	latticeHolds  = 1
	latticeBreaks = 2
	latticeSize   = 1 << 20
)

func newDepthLattice(ladders []*ladder, judge *cut.Judge, rows []int32) *depthLattice {
	l := &depthLattice{ladders: ladders, judge: judge, rows: rows, keys: make([]uint64, len(rows)), inCell: make([]int32, len(rows)),
		number: map[uint64]int32{}}
	for _, ladder := range ladders {
		depths := make([]int, ladder.height()+1)
		for d := range depths {
			depths[d] = d
		}
		l.depths = append(l.depths, depths)
	}
	size := l.thin()
	l.tag, l.stride = make([]int8, size), make([]int, len(ladders))
	for j := range ladders {
		l.stride[j] = 1
		if j > 0 {
			l.stride[j] = l.stride[j-1] * len(l.depths[j-1])
		}
		l.loss = append(l.loss, l.meanLoss(j))
	}
	return l
}

// thin drops depths of the tallest dimension, never its ends, until the lattice
// is small enough, and returns its size. Two depths a dimension are always kept.
func (l *depthLattice) thin() int {
	for {
		size, tallest := 1, 0
		for j, d := range l.depths {
			size *= len(d)
			if len(d) > len(l.depths[tallest]) {
				tallest = j
			}
		}
		if size <= latticeSize || len(l.depths[tallest]) <= 2 {
			return size
		}
		middle := len(l.depths[tallest]) / 2
		l.depths[tallest] = slices.Delete(l.depths[tallest], middle, middle+1)
	}
}

func (l *depthLattice) meanLoss(j int) []float64 {
	out := make([]float64, len(l.depths[j]))
	for i, depth := range l.depths[j] {
		for _, r := range l.rows {
			out[i] += l.ladders[j].loss[depth][l.ladders[j].value.Codes[r]]
		}
		out[i] /= float64(len(l.rows))
	}
	return out
}

func (l *depthLattice) place(node, j int) int { return node / l.stride[j] % len(l.depths[j]) }

func (l *depthLattice) cost(node int) float64 {
	var sum float64
	for j := range l.depths {
		sum += l.loss[j][l.place(node, j)]
	}
	return sum
}

// search returns the cheapest node that holds. The root does, so there is one.
func (l *depthLattice) search() int {
	best, bound := 0, l.cost(0)
	l.tag[0] = latticeHolds
	for node := len(l.tag) - 1; node > 0; node-- {
		if l.tag[node] != 0 || l.cost(node) >= bound {
			continue
		}
		chain := l.chain(node, bound)
		lo, hi := 0, len(chain) // chain[hi:] holds, chain[:lo] does not
		for lo < hi {
			middle := (lo + hi) / 2
			if l.holds(chain[middle]) {
				l.settle(chain[middle], latticeHolds, -1)
				hi = middle
			} else {
				l.settle(chain[middle], latticeBreaks, 1)
				lo = middle + 1
			}
		}
		if hi < len(chain) && l.cost(chain[hi]) < bound {
			best, bound = chain[hi], l.cost(chain[hi])
		}
	}
	return best
}

// chain climbs from node, always to the cheapest parent that is not judged and
// costs less than the bound.
func (l *depthLattice) chain(node int, bound float64) []int {
	chain := []int{node}
	for {
		next, cheapest := -1, bound
		for j := range l.depths {
			if l.place(node, j) == 0 {
				continue
			}
			up := node - l.stride[j]
			if c := l.cost(up); l.tag[up] == 0 && c < cheapest {
				next, cheapest = up, c
			}
		}
		if next < 0 {
			return chain
		}
		chain, node = append(chain, next), next
	}
}

// settle tags a node and all nodes that are more general (step -1) or more
// specific (+1).
func (l *depthLattice) settle(node int, tag int8, step int) {
	stack := []int{node}
	l.tag[node] = tag
	for len(stack) > 0 {
		node = stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for j := range l.depths {
			if at := l.place(node, j) + step; at < 0 || at == len(l.depths[j]) {
				continue
			}
			if next := node + step*l.stride[j]; l.tag[next] == 0 {
				l.tag[next] = tag
				stack = append(stack, next)
			}
		}
	}
}

func (l *depthLattice) holds(node int) bool {
	for _, g := range l.classes(node) {
		if !l.judge.Holds(g) {
			return false
		}
	}
	return true
}

// classes groups the rows by their cells at a node, in order of the first row.
// The next call overwrites the result.
func (l *depthLattice) classes(node int) [][]int32 {
	clear(l.keys)
	cells := uint64(1) // different keys so far, at most
	for j, ladder := range l.ladders {
		cell := ladder.cell[l.depths[j][l.place(node, j)]]
		width := uint64(cell[len(cell)-1]) + 1
		if cells > math.MaxUint64/width {
			cells = l.renumber()
		}
		for i, r := range l.rows {
			l.keys[i] = l.keys[i]*width + uint64(cell[ladder.value.Codes[r]])
		}
		cells *= width
	}
	l.count = append(l.count[:0], make([]int32, l.renumber())...)
	for _, k := range l.keys {
		l.count[k]++
	}
	l.groups = l.groups[:0]
	at := int32(0)
	for _, n := range l.count {
		l.groups = append(l.groups, l.inCell[at:at:at+n])
		at += n
	}
	for i, r := range l.rows {
		l.groups[l.keys[i]] = append(l.groups[l.keys[i]], r)
	}
	return l.groups
}

// renumber gives the keys the numbers 0, 1, ... in order of appearance and
// returns how many there are. No key is hashed away: equal numbers, equal cells.
func (l *depthLattice) renumber() uint64 {
	clear(l.number)
	for i, k := range l.keys {
		n, ok := l.number[k]
		if !ok {
			n = int32(len(l.number))
			l.number[k] = n
		}
		l.keys[i] = uint64(n)
	}
	return uint64(len(l.number))
}
