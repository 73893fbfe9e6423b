package render

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"anond/equivclass"
	"anond/snapshot"
)

// sums are what quality and privacy of a release are made of, over its living
// classes: what is born is added, what dies is taken away again.
//
// Guarantee: they depend on the classes alone, not on the order or the number of
// steps in which these came. Memory: by different class sizes, bags' shapes and
// values, not by records.
type sums struct {
	records, classes int
	sizes            map[int]int        // classes by size
	shapes           []map[bagShape]int // by sensitive attribute: bags of which no value may exceed 1/l
	uneven           int                // of these, those whose values are not equally frequent
	columns          []columnSums
	reach            []snapshot.AttributePrivacy // level L2: of the buckets
}

// granuleSums are the sums over the births of one granule, which leave together; last is the newest of these.
type granuleSums struct {
	granule granule
	last    uint32
	of      *sums
}

// own are the sums of a granule, to which the births of a release are added: the newest granule, or one more.
func (x *Carried) own(of granule, release uint32, births *table) *sums {
	n := len(x.sums) - 1
	if n < 0 || x.sums[n].granule != of {
		x.sums, n = append(x.sums, granuleSums{granule: of, of: newSums(len(births.cols), len(births.sa))}), n+1
	}
	x.sums[n].last = release
	return x.sums[n].of
}

// behind are the sums of the next release: without what leaves, and with those of the newest granule as a copy.
func (x *Carried) behind(expired uint32) []granuleSums {
	out := slices.Clone(x.sums)
	for len(out) > 0 && out[0].last <= expired {
		out = out[1:]
	}
	if n := len(out) - 1; n >= 0 {
		out[n].of = out[n].of.clone()
	}
	return out
}

// of are the sums over the granules of an era, whose columns src has.
func (x *Carried) of(era int, src *source) *sums {
	if len(x.sums) == 1 && x.sums[0].granule.era == era {
		return x.sums[0].of
	}
	out := newSums(len(src.cols), len(src.sa))
	for _, g := range x.sums {
		if g.granule.era == era {
			out.join(g.of)
		}
	}
	return out
}

// join adds other sums.
func (s *sums) join(o *sums) {
	s.records, s.classes, s.uneven = s.records+o.records, s.classes+o.classes, s.uneven+o.uneven
	for size, n := range o.sizes {
		bump(s.sizes, size, n)
	}
	for a := range o.shapes {
		for shape, n := range o.shapes[a] {
			bump(s.shapes[a], shape, n)
		}
	}
	for j := range o.columns {
		c, of := &s.columns[j], &o.columns[j]
		c.cells, c.lacks = c.cells+of.cells, c.lacks+of.lacks
		for _, w := range of.width {
			c.width.add(w)
		}
		if more := len(of.seen) - len(c.seen); more > 0 {
			c.seen = append(c.seen, make([]bool, more)...)
		}
		for code, seen := range of.seen {
			if seen && !c.seen[code] {
				c.seen[code] = true
				c.different++
			}
		}
	}
	s.reach = snapshot.Worst(s.reach, o.reach)
}

// bagShape is the size of a bag and how often its most frequent value is there.
type bagShape struct{ size, high int }

// columnSums are about the cells of one column.
type columnSums struct {
	cells     int      // records
	width     exactSum // over these records, of what their cell covers beyond a single value
	lacks     int      // of these records: their cell says that there may be no value
	seen      []bool   // Set: by code, whether a member of a cell has it
	different int      // values of seen
}

func newSums(columns, attributes int) *sums {
	s := &sums{sizes: map[int]int{}, shapes: make([]map[bagShape]int, attributes), columns: make([]columnSums, columns)}
	for a := range s.shapes {
		s.shapes[a] = map[bagShape]int{}
	}
	return s
}

func (s *sums) clone() *sums {
	out := *s
	out.sizes, out.shapes, out.columns = maps.Clone(s.sizes), slices.Clone(s.shapes), slices.Clone(s.columns)
	for a, shapes := range s.shapes {
		out.shapes[a] = maps.Clone(shapes)
	}
	for j := range out.columns {
		c := &out.columns[j]
		c.width, c.seen = slices.Clone(c.width), slices.Clone(c.seen)
	}
	return &out
}

// add takes in the living classes of a table.
func (s *sums) add(t *table) {
	s.count(t, 1, living)
	s.ranges(t)
	if len(t.classes) > 0 {
		s.reach = snapshot.Worst(s.reach, t.reach)
	}
}

// remove takes away classes that have died, at level L2 with their buckets.
func (s *sums) remove(t *table) { s.count(t, -1, all) }

func (s *sums) count(t *table, sign int, which func(*class) bool) {
	for _, c := range t.inMemory() {
		if !which(c) {
			continue
		}
		n := len(c.members)
		s.records += sign * n
		s.classes += sign
		bump(s.sizes, n, sign)
		if t.shared == nil {
			s.shape(t, 0, c.bag, sign)
		}
		for j := range t.cols {
			s.columns[j].count(t, j, c, sign)
		}
	}
	for _, b := range t.shared {
		if !which(b.classes[0]) {
			continue
		}
		for a, bag := range b.bags {
			s.shape(t, a, bag, sign)
		}
	}
}

// buckets counts those of level L2.
func (s *sums) buckets() (n int) {
	for _, buckets := range s.shapes[0] {
		n += buckets
	}
	return n
}

// bucketMedian is the number of records in the bucket of the median person at level
// L2: at least half of the records are in buckets of no more.
func (s *sums) bucketMedian() int {
	var shapes []bagShape
	for shape := range s.shapes[0] {
		shapes = append(shapes, shape)
	}
	slices.SortFunc(shapes, func(a, b bagShape) int { return cmp.Compare(a.size, b.size) })
	records := 0
	for _, shape := range shapes {
		if records += shape.size * s.shapes[0][shape]; 2*records >= s.records {
			return shape.size
		}
	}
	return 0
}

func (s *sums) shape(t *table, attribute int, bag []uint32, sign int) {
	first, flat := 0, true
	for _, n := range runs(bag) {
		if first == 0 {
			first = n
		}
		flat = flat && n == first
	}
	bump(s.shapes[attribute], bagShape{len(bag), t.sa[attribute].highest(bag)}, sign)
	if !flat {
		s.uneven += sign
	}
}

func (s *columnSums) count(t *table, j int, c *class, sign int) {
	x := &c.cells[j]
	n := sign * len(c.members)
	s.cells += n
	if x.lacks {
		s.lacks += n
	} else if w := t.width(j, x); w != 0 {
		s.width.add(float64(n) * w)
	}
}

// ranges notes the categories of the living classes of a table.
func (s *sums) ranges(t *table) {
	t.each(len(t.cols), func(_, from, to int) {
		for j := from; j < to; j++ {
			s.columns[j].widen(t, j)
		}
	})
}

func (s *columnSums) widen(t *table, j int) {
	col := &t.cols[j]
	if col.kind != equivclass.Set {
		return
	}
	if len(s.seen) < col.dict.Len() {
		s.seen = append(s.seen, make([]bool, col.dict.Len()-len(s.seen))...)
	}
	for _, c := range t.inMemory() {
		if c.died != 0 && t.shared == nil { // what has left was shown once
			continue
		}
		if s.different == col.dict.Len() { // of all values one has been seen
			return
		}
		for _, m := range c.members {
			if code := col.codes.At(int(m)); !s.seen[code] {
				s.seen[code] = true
				s.different++
			}
		}
	}
}

// bump counts in a map that holds no zeros.
func bump[K comparable](m map[K]int, key K, by int) {
	if m[key] += by; m[key] == 0 {
		delete(m, key)
	}
}

// exactSum adds numbers without rounding, so that a sum is the same in whatever
// order its terms come and go: what was carried from release to release equals
// what is counted anew after a restart. It holds the sum as numbers that do not
// overlap (Shewchuk 1997).
type exactSum []float64

func (s *exactSum) add(x float64) {
	kept := (*s)[:0]
	for _, y := range *s {
		if math.Abs(x) < math.Abs(y) {
			x, y = y, x
		}
		high := x + y
		if low := y - (high - x); low != 0 {
			kept = append(kept, low)
		}
		x = high
	}
	*s = append(kept, x)
}

// value is the sum, correctly rounded once.
func (s exactSum) value() float64 {
	n := len(s) - 1
	if n < 0 {
		return 0
	}
	high, low := s[n], 0.0
	for n > 0 && low == 0 {
		n--
		x, y := high, s[n]
		high = x + y
		low = y - (high - x)
	}
	// Halfway between two numbers: what is left over decides.
	if n > 0 && (low < 0 && s[n-1] < 0 || low > 0 && s[n-1] > 0) {
		if x := high + 2*low; 2*low == x-high {
			high = x
		}
	}
	return high
}
