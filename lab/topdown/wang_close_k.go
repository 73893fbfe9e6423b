package topdown

import (
	"math"
	"slices"

	"anond/equivclass"
	"anond/equivclass/cut"
	"anond/lab/split"
)

// WangCloseK is the multi-dimensional k-anonymity of Wang, Xu and Sun (section
// III) with the dividing point close to k: it takes classes of hardly more than
// k records off the ends of a dimension.
//
// Guarantee: that of Partitioner; rows with equal coordinates and different
// subjects share a class.
//
// Method: take the dimensions in ascending order of information dependency and
// cut in the first one that allows it (eq. 8). While more than 3k-1 rows are
// left, cut after the first value d_pre at which the rows from the low end
// suffice for a class, or before the last value d_fin at which the rows to the
// high end do, whichever takes fewer rows. In the last step, cut at the allowed
// value of greatest entropy.
//
// Difference from the paper: eq. 8 cuts halfway between a value and the next
// one; for d_fin that must be the value before it, or its own rows would fall
// to the wrong side. With a requirement beyond k, "suffice" means that both
// sides satisfy it, and k in 3k-1 is the smallest size of a class. The entropy
// (eq. 9) is that of the two parts' sizes: section III.B.f wants the "better
// distributed divide" and calls C_i the classes that the dividing point makes,
// so the greatest entropy is the most even cut. (The other reading, the entropy
// of the values inside the parts, would be greatest for the least even cut.)
//
// Cost: n log^2 n x D with the sorting. Implemented literally, each of n/k
// steps would scan all rows left, n^2/k. Here a set keeps its counts by value
// and removes the rows that are taken off. Only the part taken off, which is
// never the larger one, is counted again, so a row is touched O(log n) times.
// Principles beyond k and l look at every value of the pool for each class.
type WangCloseK struct {
	// Plain executes every step as the paper describes it, n^2/k x D. It is there
	// to measure what that costs.
	Plain bool
}

// Name returns wang-close-k or wang-close-k-plain.
func (m WangCloseK) Name() string {
	if m.Plain {
		return "wang-close-k-plain"
	}
	return "wang-close-k"
}

// Partition implements Partitioner.
func (m WangCloseK) Partition(p *equivclass.Pool, want equivclass.Requirement) (groups [][]int32, rest []int32) {
	if m.Plain {
		return plainCloseK(p, want)
	}
	c := newCloseCutter(p, want)
	return cut.BySubject(p, func(rows []int32) ([][]int32, []int32) {
		if !c.judge.Holds(rows) {
			return nil, rows
		}
		c.groups = nil
		c.run(rows)
		return c.groups, nil
	})
}

// closeCutter is the state of one run.
type closeCutter struct {
	judge    *cut.Judge
	l        int
	selector *wangSelector
	owner    []int32   // by row: the set it is in
	place    [][]int32 // by dimension and row: number of its value in that set
	sets     int32
	counts   *split.Tally // of the current set's sensitive values
	ends     [2]closeEnd
	remain   []int32
	groups   [][]int32
}

func newCloseCutter(p *equivclass.Pool, want equivclass.Requirement) *closeCutter {
	c := &closeCutter{judge: cut.NewJudge(p, want), l: max(want.L, 1), selector: newWangSelector(p, want.K), owner: make([]int32, p.Len()),
		place: make([][]int32, p.D())}
	for j := range c.place {
		c.place[j] = make([]int32, p.Len())
	}
	values := len(c.judge.Codes)
	c.counts, c.ends[0].counts, c.ends[1].counts = split.NewTally(values), split.NewTally(values), split.NewTally(values)
	c.remain = make([]int32, values)
	return c
}

// last reports whether a set of n rows is on the last step of eq. 8.
func (c *closeCutter) last(n int) bool { return n <= 3*c.judge.Minimum()-1 }

func (c *closeCutter) run(rows []int32) {
	stack := [][]int32{rows}
	for len(stack) > 0 {
		rows := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if c.last(len(rows)) {
			c.lastStep(rows)
			continue
		}
		s := c.newSet(rows)
		for again := true; again; {
			taken := c.takeOff(s)
			switch {
			case taken == nil && s.alive == len(rows):
				c.keep(s.rows())
				again = false
			case taken == nil || c.last(s.alive) || 2*s.alive < len(rows):
				stack = append(stack, s.rows()) // count the remaining rows again
				again = false
			}
			if taken != nil {
				stack = append(stack, taken)
			}
		}
	}
}

func (c *closeCutter) keep(rows []int32) {
	slices.Sort(rows)
	c.groups = append(c.groups, rows)
}

// lastStep cuts a small set by entropy as long as that is allowed.
func (c *closeCutter) lastStep(rows []int32) {
	left := 0
	if len(rows) >= 2*c.judge.Minimum() {
		left = c.entropyCut(rows)
	}
	if left == 0 {
		c.keep(slices.Clone(rows))
		return
	}
	c.lastStep(rows[:left])
	c.lastStep(rows[left:])
}

// entropyCut orders rows by the first dimension of DA that allows a cut and
// returns the size of the lower part for the cut of greatest entropy, of equals
// the lowest; 0 if there is none.
func (c *closeCutter) entropyCut(rows []int32) int {
	for _, j := range c.selector.order(rows) {
		rank := c.selector.m.rank[j]
		slices.SortFunc(rows, func(a, b int32) int {
			if rank[a] != rank[b] {
				return int(rank[a] - rank[b])
			}
			return int(a - b)
		})
		best, bestEntropy := 0, -1.0
		for i := 1; i < len(rows); i++ {
			if rank[rows[i-1]] == rank[rows[i]] {
				continue
			}
			if e := splitEntropy(i, len(rows)-i); e > bestEntropy && c.judge.Holds(rows[:i]) && c.judge.Holds(rows[i:]) {
				best, bestEntropy = i, e
			}
		}
		if best > 0 {
			return best
		}
	}
	return 0
}

// splitEntropy is eq. 9 for two classes of a and b points, in bits.
func splitEntropy(a, b int) float64 {
	p, q := float64(a)/float64(a+b), float64(b)/float64(a+b)
	return -p*math.Log2(p) - q*math.Log2(q)
}
