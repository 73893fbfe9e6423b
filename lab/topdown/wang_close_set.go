package topdown

import (
	"slices"

	"anond/lab/split"
)

// closeSet is a set of rows from whose ends classes are taken: for each
// dimension its rows by value and the values that it still has, in order.
type closeSet struct {
	id     int32
	alive  int
	owner  []int32
	counts []int32 // by sensitive value; nil if only k is asked for
	heavy  []int32 // the values that may be too frequent in what a cut leaves
	dims   []spread
	cols   []closeColumn
}

// closeColumn is one dimension of a set. Values are numbered 0..V-1 in
// ascending order. next and prev link the values that still have a row, V being
// both ends of the list. A row that has left the set stays in order until the
// set is counted again.
type closeColumn struct {
	order      []int32 // rows by value
	start      []int32 // where a value begins in order; V+1 entries
	count      []int32 // rows still in the set, by value
	next, prev []int32
	closed     bool // found to allow no cut, not to be tried again
}

// newSet counts rows. Cost: m log m x D.
func (c *closeCutter) newSet(rows []int32) *closeSet {
	c.sets++
	d := len(c.place)
	s := &closeSet{id: c.sets, alive: len(rows), owner: c.owner, dims: make([]spread, d), cols: make([]closeColumn, d)}
	for _, r := range rows {
		c.owner[r] = s.id
	}
	c.countSet(s, rows)
	keys := make([]uint64, len(rows))
	for j := range s.cols {
		rank := c.selector.m.rank[j]
		for i, r := range rows {
			keys[i] = uint64(rank[r])<<32 | uint64(uint32(r))
		}
		slices.Sort(keys)
		s.cols[j] = newCloseColumn(keys, c.place[j])
		for _, n := range s.cols[j].count {
			s.dims[j].add(int64(n))
		}
	}
	return s
}

// countSet counts the sensitive values of a new set. Sets are worked on one after
// the other, so they share the counts.
//
// A cut takes at most half of a set, and the set is counted again when less than
// half of its m rows are left. So what a cut leaves has m/4 rows or more, and a
// value can only be too frequent in it (frequency l) if m/4l rows of the new set
// have it. There are at most 4l such values.
func (c *closeCutter) countSet(s *closeSet, rows []int32) {
	if c.judge.OnlyK() {
		return
	}
	c.counts.Clear()
	for _, r := range rows {
		c.counts.Add(c.judge.Sa[r])
	}
	s.counts = c.counts.N
	for _, v := range c.counts.Seen {
		if 4*c.l*int(s.counts[v]) > len(rows) {
			s.heavy = append(s.heavy, v)
		}
	}
}

// newCloseColumn takes rows as rank<<32|row in order, and notes in place which
// value a row has.
func newCloseColumn(keys []uint64, place []int32) closeColumn {
	col := closeColumn{order: make([]int32, len(keys))}
	for i, k := range keys {
		if i == 0 || k>>32 != keys[i-1]>>32 {
			col.start = append(col.start, int32(i))
			col.count = append(col.count, 0)
		}
		col.order[i] = int32(uint32(k))
		place[uint32(k)] = int32(len(col.count) - 1)
		col.count[len(col.count)-1]++
	}
	v := len(col.count)
	col.start = append(col.start, int32(len(keys)))
	col.next, col.prev = make([]int32, v+1), make([]int32, v+1)
	for i := range col.next {
		col.next[i], col.prev[i] = int32((i+1)%(v+1)), int32((i+v)%(v+1))
	}
	return col
}

// rows returns the rows that are still in the set.
func (s *closeSet) rows() []int32 {
	out := make([]int32, 0, s.alive)
	for _, r := range s.cols[0].order {
		if s.owner[r] == s.id {
			out = append(out, r)
		}
	}
	return out
}

// held returns the rows of a value of column j that are still in the set.
func (s *closeSet) held(j int, value int32) []int32 {
	col := &s.cols[j]
	out := make([]int32, 0, col.count[value])
	for _, r := range col.order[col.start[value]:col.start[value+1]] {
		if s.owner[r] == s.id {
			out = append(out, r)
		}
	}
	return out
}

// remove takes a row out of every column. Cost: D.
func (c *closeCutter) remove(s *closeSet, r int32) {
	s.owner[r] = 0
	s.alive--
	if s.counts != nil {
		s.counts[c.judge.Sa[r]]--
	}
	for j := range s.cols {
		col, v := &s.cols[j], c.place[j][r]
		s.dims[j].lose(int64(col.count[v]))
		if col.count[v]--; col.count[v] == 0 {
			col.next[col.prev[v]], col.prev[col.next[v]] = col.next[v], col.prev[v]
		}
	}
}

// closeEnd is the part that would be taken off one end.
type closeEnd struct {
	high    bool
	value   int32 // the last value added
	size    int
	values  []int32
	counts  *split.Tally // of sensitive values, over the first counted values
	most    int32        // its greatest count
	counted int
}

// start empties the end and takes in the first value of a column of end values.
func (e *closeEnd) start(high bool, col *closeColumn, end int32) {
	e.high, e.value, e.size, e.values, e.most, e.counted = high, end, 0, e.values[:0], 0, 0
	e.counts.Clear()
	e.grow(col)
}

// grow takes the next value in.
func (e *closeEnd) grow(col *closeColumn) {
	if e.high {
		e.value = col.prev[e.value]
	} else {
		e.value = col.next[e.value]
	}
	e.values = append(e.values, e.value)
	e.size += int(col.count[e.value])
}

// count brings counts up to date with values. It waits until the end is judged,
// so that the rows of an end that is much larger than the other are never read.
func (e *closeEnd) count(c *closeCutter, s *closeSet, j int) {
	for ; e.counted < len(e.values); e.counted++ {
		for _, r := range s.held(j, e.values[e.counted]) {
			v := c.judge.Sa[r]
			e.counts.Add(v)
			e.most = max(e.most, e.counts.N[v])
		}
	}
}

// takeOff removes from the set the smaller of the two ends of eq. 8, in the
// first dimension of DA that allows a cut, and returns its rows; nil if no
// dimension does.
//
// With k alone a dimension that allows no cut never will, because rows only
// leave. With further requirements it might. It is tried again when the set is
// counted again, that is when at most half of it has left, and before the set
// becomes a class.
func (c *closeCutter) takeOff(s *closeSet) []int32 {
	if s.alive < 2*c.judge.Minimum() {
		return nil
	}
	for _, j := range c.selector.orderOf(s.dims) {
		if s.cols[j].closed || s.dims[j].pro < 2 {
			continue
		}
		if values := c.smallerEnd(s, j); values != nil {
			return c.take(s, j, values)
		}
		s.cols[j].closed = true
	}
	return nil
}

func (c *closeCutter) take(s *closeSet, j int, values []int32) []int32 {
	var out []int32
	for _, v := range values {
		out = append(out, s.held(j, v)...)
	}
	for _, r := range out {
		c.remove(s, r)
	}
	return out
}

// smallerEnd lets both ends grow, always the smaller one (the low end of
// equals), until one may be cut off, and returns its values. This is the
// comparison of eq. 8 without computing the larger end: of all allowed cuts it
// finds the one with the smallest part. No part can be more than half, because
// then the other side of the same cut is smaller.
func (c *closeCutter) smallerEnd(s *closeSet, j int) []int32 {
	end := int32(len(s.cols[j].count))
	for i := range c.ends {
		c.ends[i].start(i == 1, &s.cols[j], end)
	}
	for {
		e := &c.ends[0]
		if c.ends[1].size < e.size {
			e = &c.ends[1]
		}
		if 2*e.size > s.alive {
			return nil
		}
		if c.mayCut(s, j, e) {
			return e.values
		}
		e.grow(&s.cols[j])
	}
}

func (c *closeCutter) mayCut(s *closeSet, j int, e *closeEnd) bool {
	rest := s.alive - e.size
	if e.size < c.judge.Minimum() || rest < c.judge.Minimum() {
		return false
	}
	if s.counts == nil {
		return true
	}
	e.count(c, s, j)
	if int(e.most)*c.l > e.size {
		return false
	}
	for _, v := range s.heavy {
		if int(s.counts[v]-e.counts.N[v])*c.l > rest {
			return false
		}
	}
	return !c.judge.Extra() || c.extraHold(s, e, rest)
}

// extraHold judges both sides by the principles beyond k and l. Cost: the values
// of the pool.
func (c *closeCutter) extraHold(s *closeSet, e *closeEnd, rest int) bool {
	if !c.judge.CountsHold(e.counts.N, e.size) {
		return false
	}
	for i, n := range s.counts {
		c.remain[i] = n - e.counts.N[i]
	}
	return c.judge.CountsHold(c.remain, rest)
}
