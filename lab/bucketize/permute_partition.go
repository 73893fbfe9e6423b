package bucketize

import (
	"cmp"
	"slices"

	"anond/equivclass"
	"anond/equivclass/cut"
	"anond/lab/split"
)

// Permutation is the partitioning step of permutation anonymization (Li, He,
// Cao and Chen, "Permutation anonymization", J. Intell. Inf. Syst. 2016): the
// preprocessing of Algorithm 2, then Algorithm 1 in each sub-table.
//
// Guarantee: that of Partitioner. With l alone, groups have l to 2l-1 records
// and no value twice (assignGroups).
//
// Method: divide a table into two that satisfy the requirement, as long as one
// of Tries random orders does so: two boxes grow from the corners of the table's
// own coordinates, the greatest and the smallest, and each record joins the box
// whose NCP it raises less. The records of a sub-table that cannot be divided
// are assigned to groups in the order of their sensitive values, equal values
// along the widest dimension.
//
// The corners: "we artificially construct two tuples t1, t2 in G with each
// attribute taking the maximal/minimal value of the corresponding domains"
// (section 3.1). Both are made anew for each G, of the values that G has.
// TableCorners is the other way to read "domains".
//
// Cost: expected n log n x D (theorem 5, which takes every size of a side to be
// equally likely; the benchmark measures it).
type Permutation struct {
	Tries int    // attempts to divide a sub-table; 0: 5, the paper's choice
	Seed  uint64 // of the orders in which records are tried; not secret
	// TableCorners starts both boxes at the corners of the whole domain in every
	// sub-table, and not at those of the sub-table.
	TableCorners bool
}

// Name returns permutation.
func (Permutation) Name() string { return "permutation" }

// WithSeed implements Drawing.
func (m Permutation) WithSeed(seed uint64) equivclass.Partitioner { m.Seed = seed; return m }

// Partition implements Partitioner.
func (m Permutation) Partition(p *equivclass.Pool, want equivclass.Requirement) (groups [][]int32, rest []int32) {
	return cut.BySubject(p, func(rows []int32) ([][]int32, []int32) {
		tables, rest := m.SubTables(p, rows, want)
		var out [][]int32
		for _, t := range tables {
			out = append(out, assignGroups(p, t, want)...)
		}
		return out, rest
	})
}

// SubTables is Algorithm 2: sub-tables of similar records that each satisfy the
// requirement. If not even all rows together do, they are all rest. The rows
// are reordered.
func (m Permutation) SubTables(p *equivclass.Pool, rows []int32, want equivclass.Requirement) (tables [][]int32, rest []int32) {
	c := &permutationCutter{judge: cut.NewJudge(p, want), split: split.NewBoxSplitter(p), tries: m.Tries, random: cut.SplitMix(m.Seed),
		corners: cornersOf(p)}
	if c.tries < 1 {
		c.tries = 5
	}
	if m.TableCorners {
		top, bottom := domainCorners(p)
		c.corners = func([]int32) ([]float32, []float32) { return top, bottom }
	}
	return cut.TopDown(rows, c.judge, c.cut)
}

type permutationCutter struct {
	judge   *cut.Judge
	split   *split.BoxSplitter
	tries   int
	random  cut.SplitMix
	corners func(rows []int32) (top, bottom []float32) // t1 and t2
}

// cut is lines 3 to 8. The artificial tuples shape the boxes only: they are not
// among the rows, so nothing has to be removed afterwards.
func (c *permutationCutter) cut(rows []int32) int {
	top, bottom := c.corners(rows)
	for range c.tries {
		cut.Shuffle(rows, &c.random)
		left := c.split.Divide(rows, top, bottom)
		if c.judge.Holds(rows[:left]) && c.judge.Holds(rows[left:]) {
			return left
		}
	}
	return 0
}

// cornersOf returns the artificial tuples of a sub-table: the greatest and the
// smallest coordinate of its rows in each dimension. The next call overwrites
// them. Cost: rows x D.
func cornersOf(p *equivclass.Pool) func(rows []int32) (top, bottom []float32) {
	top, bottom := make([]float32, p.D()), make([]float32, p.D())
	return func(rows []int32) ([]float32, []float32) {
		copy(top, p.At(rows[0]))
		copy(bottom, p.At(rows[0]))
		for _, r := range rows[1:] {
			for j, v := range p.At(r) {
				top[j], bottom[j] = max(top[j], v), min(bottom[j], v)
			}
		}
		return top, bottom
	}
}

// domainCorners are the greatest and the smallest coordinate of the known domain
// in each dimension.
func domainCorners(p *equivclass.Pool) (top, bottom []float32) {
	top, bottom = make([]float32, p.D()), make([]float32, p.D())
	for j, dim := range p.Space.Dims {
		if dim.Width > 0 || dim.Kind != equivclass.Number && dim.Size > 1 {
			top[j] = 1
		}
	}
	return top, bottom
}

// assignGroups is Algorithm 1: it assigns the rows, in the order of their
// sensitive values, to groups in turn (round robin). There are as many groups
// as the requirement allows.
//
// Guarantee: if all rows together satisfy the requirement, every group does. If
// the requirement is l alone, there are floor(n/l) groups of l to 2l-1 rows
// with no value twice (theorem 3): a value has at most n/l rows, hence at most
// one in each group. So steps 6 to 8 as printed, which partition groups of 2l
// rows or more, never apply. Step 1 as printed refuses a value with n/l rows;
// theorem 3 and the text allow it, and so does this function. With k > l or
// with other principles, the groups are first as many as their sizes under k
// and l allow, and then fewer, until all satisfy the requirement; one group
// always does.
//
// Cost: n log n for the order; the paper's hashing would be linear.
func assignGroups(p *equivclass.Pool, rows []int32, want equivclass.Requirement) [][]int32 {
	along := cut.Widest(p, rows)
	d := p.D()
	slices.SortFunc(rows, func(a, b int32) int {
		return cmp.Or(cmp.Compare(p.SA[a], p.SA[b]), cmp.Compare(p.X[int(a)*d+along], p.X[int(b)*d+along]), cmp.Compare(a, b))
	})
	for g := len(rows) / max(want.K, want.L, 1); g > 1; g = fewerGroups(g) {
		groups := roundRobin(rows, g)
		if allHold(p, groups, want) {
			return groups
		}
	}
	return [][]int32{slices.Clone(rows)}
}

// fewerGroups lowers the number of groups by a tenth, so that trying costs rows
// x log g.
func fewerGroups(g int) int { return g - max(1, g/10) }

// roundRobin assigns row after row to g groups in turn.
func roundRobin(rows []int32, g int) [][]int32 {
	groups := make([][]int32, g)
	for i := range groups {
		groups[i] = make([]int32, 0, len(rows)/g+1)
	}
	for i, r := range rows {
		groups[i%g] = append(groups[i%g], r)
	}
	return groups
}

func allHold(p *equivclass.Pool, groups [][]int32, want equivclass.Requirement) bool {
	for _, g := range groups {
		if !want.Holds(p.Bag(g)) {
			return false
		}
	}
	return true
}
