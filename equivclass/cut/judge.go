package cut

import (
	"slices"

	"anond/equivclass"
)

// Judge decides which sets of rows may be a class. It counts each set again in
// scratch space of its own, so a decision costs the size of the set (with extra
// principles also sorting it), independent of the number of values elsewhere,
// and O(1) if only k is asked for.
type Judge struct {
	want   equivclass.Requirement
	Sa     []int32           // dense number of a row's sensitive value
	Codes  []equivclass.Code // ascending; sensitive value of a dense number
	counts []int32           // all zero between calls
	met    []int32           // the values of the current set, each once
	bag    equivclass.Bag
}

// NewJudge returns a judge of sets of rows of a pool.
func NewJudge(p *equivclass.Pool, want equivclass.Requirement) *Judge {
	j := &Judge{want: want}
	if j.OnlyK() {
		return j
	}
	j.Codes = slices.Clone(p.SA)
	slices.Sort(j.Codes)
	j.Codes = slices.Compact(j.Codes)
	j.counts = make([]int32, len(j.Codes))
	j.Sa = make([]int32, len(p.SA))
	for i, c := range p.SA {
		at, _ := slices.BinarySearch(j.Codes, c)
		j.Sa[i] = int32(at)
	}
	return j
}

// OnlyK reports whether nothing but k is asked for.
func (j *Judge) OnlyK() bool { return j.want.L <= 1 && len(j.want.Extra) == 0 }

// Extra reports whether more than k and frequency l is asked for.
func (j *Judge) Extra() bool { return len(j.want.Extra) > 0 }

// Minimum is the smallest size that a class can have: k, or l records if
// frequency l-diversity asks for more.
func (j *Judge) Minimum() int { return max(j.want.K, j.want.L, 1) }

// Holds reports whether the rows may form a class.
func (j *Judge) Holds(rows []int32) bool {
	if len(rows) < j.Minimum() {
		return false
	}
	if j.OnlyK() {
		return true
	}
	most := int32(0)
	j.met = j.met[:0]
	for _, r := range rows {
		v := j.Sa[r]
		if j.counts[v] == 0 {
			j.met = append(j.met, v)
		}
		j.counts[v]++
		most = max(most, j.counts[v])
	}
	ok := int(most)*j.want.L <= len(rows) && j.extraHold(len(rows))
	for _, v := range j.met {
		j.counts[v] = 0
	}
	return ok
}

// extraHold judges the values counted by the extra principles.
func (j *Judge) extraHold(total int) bool {
	if len(j.want.Extra) == 0 {
		return true
	}
	slices.Sort(j.met)
	j.bag.Counts, j.bag.Total = j.bag.Counts[:0], total
	for _, v := range j.met {
		j.bag.Counts = append(j.bag.Counts, equivclass.Count{Code: j.Codes[v], N: int(j.counts[v])})
	}
	return j.bagHolds()
}

func (j *Judge) bagHolds() bool {
	for _, p := range j.want.Extra {
		if !p.Holds(j.bag) {
			return false
		}
	}
	return true
}

// CountsHold judges counts by dense number, which add up to total. Cost: the
// different values of the pool.
func (j *Judge) CountsHold(counts []int32, total int) bool {
	if total < j.Minimum() {
		return false
	}
	if slices.Max(counts)*int32(j.want.L) > int32(total) {
		return false
	}
	if len(j.want.Extra) == 0 {
		return true
	}
	j.bag.Counts, j.bag.Total = j.bag.Counts[:0], total
	for i, n := range counts {
		if n > 0 {
			j.bag.Counts = append(j.bag.Counts, equivclass.Count{Code: j.Codes[i], N: int(n)})
		}
	}
	return j.bagHolds()
}

// BySubject runs cut on the first record of every subject, then on the second
// ones, and so on, and joins the results. No run sees two records of a subject,
// so no class can have two (rule S, subjects), and cut need not know of
// subjects. Without a subject attribute there is one run over all rows.
func BySubject(p *equivclass.Pool, cut func(rows []int32) (groups [][]int32, rest []int32)) (groups [][]int32, rest []int32) {
	for _, rows := range subjectRounds(p) {
		g, r := cut(rows)
		groups, rest = append(groups, g...), append(rest, r...)
	}
	slices.Sort(rest)
	return groups, rest
}

func subjectRounds(p *equivclass.Pool) [][]int32 {
	if p.Len() == 0 {
		return nil
	}
	if p.Subject == nil {
		rows := make([]int32, p.Len())
		for i := range rows {
			rows[i] = int32(i)
		}
		return [][]int32{rows}
	}
	var rounds [][]int32
	seen := make(map[uint64]int, p.Len())
	for i, s := range p.Subject {
		round := 0
		if s != 0 {
			round = seen[s]
			seen[s]++
		}
		if round == len(rounds) {
			rounds = append(rounds, nil)
		}
		rounds[round] = append(rounds[round], int32(i))
	}
	return rounds
}

// TopDown cuts rows in two as long as cut finds an allowed way, and returns the
// sets that are not cut further. cut reorders its rows and returns the size of
// the first part, or 0. If even all rows together do not satisfy the
// requirement, they are all rest: they cannot be cut into classes that all
// satisfy it (for k and frequency l, because the union of classes that satisfy
// it does so too).
func TopDown(rows []int32, judge *Judge, cut func(rows []int32) int) (groups [][]int32, rest []int32) {
	if !judge.Holds(rows) {
		return nil, rows
	}
	stack := [][]int32{rows}
	for len(stack) > 0 {
		node := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		left := 0
		if len(node) >= 2*judge.Minimum() {
			left = cut(node)
		}
		if left == 0 {
			slices.Sort(node)
			groups = append(groups, node[:len(node):len(node)])
			continue
		}
		stack = append(stack, node[left:], node[:left])
	}
	return groups, nil
}

// splitAt moves the rows whose coordinate in dimension d is at most c to the
// front and returns how many they are. The order of rows is not kept.
func splitAt(p *equivclass.Pool, rows []int32, d int, c float32) int {
	dims, left := p.D(), 0
	for i, r := range rows {
		if p.X[int(r)*dims+d] <= c {
			rows[i], rows[left] = rows[left], r
			left++
		}
	}
	return left
}

// Widest returns the dimension in which the rows lie farthest apart.
func Widest(p *equivclass.Pool, rows []int32) int {
	best, width := 0, float32(-1)
	for j := range p.D() {
		lo, hi := p.At(rows[0])[j], p.At(rows[0])[j]
		for _, r := range rows[1:] {
			x := p.At(r)[j]
			lo, hi = min(lo, x), max(hi, x)
		}
		if hi-lo > width {
			best, width = j, hi-lo
		}
	}
	return best
}
