package audit

import (
	"encoding/binary"
	"slices"
)

// table is one release, grouped by class. Classes are indexed from 0 here and
// reported from 1. Rows of class c are start[c]..start[c+1].
type table struct {
	m        int          // classes
	number   []uint32     // class numbers as written; nil when they are 1..m
	d        int          // quasi-identifiers
	start    []uint32     // m+1
	sa       []uint32     // sensitive value per row, ascending by id within a class
	box      []uint32     // m*d cell ids: the published box; nil of exact rows
	permuted bool         // qi columns were shuffled on their own inside each group
	qi       []uint32     // rows*d exact cells (anatomy, permutation), nil for generalization
	support  []uint32     // value set of each class, interned
	flat     []uint32     // c when every value of the class occurs c times, else 0
	top      []uint32     // count of the most frequent value
	pairs    []uint32     // permutation at level L2: the sensitive value in each row, by chance
	shared   *bucketTable // level L2: the buckets, which are unions of whole classes
}

func (t *table) rows() int                           { return len(t.sa) }
func (t *table) size(c int) int                      { return int(t.start[c+1] - t.start[c]) }
func (t *table) bag(c int) []uint32                  { return t.sa[t.start[c]:t.start[c+1]] }
func (t *table) rowsQI(c int) []uint32               { return t.qi[int(t.start[c])*t.d : int(t.start[c+1])*t.d] }
func (t *table) row(i uint32) []uint32               { return t.qi[int(i)*t.d : (int(i)+1)*t.d] }
func (t *table) exact() bool                         { return t.qi != nil }
func (t *table) sameBag(c int, o *table, p int) bool { return slices.Equal(t.bag(c), o.bag(p)) }

// cells are the published box of a class; none of exact rows.
func (t *table) cells(c int) []uint32 {
	if t.box == nil {
		return nil
	}
	return t.box[c*t.d : (c+1)*t.d]
}

// sameCells compares everything published about a class besides its bag.
func (t *table) sameCells(c int, o *table, p int) bool {
	if !slices.Equal(t.cells(c), o.cells(p)) || t.exact() != o.exact() || !slices.Equal(t.pairsOf(c), o.pairsOf(p)) {
		return false
	}
	return !t.exact() || slices.Equal(t.rowsQI(c), o.rowsQI(p))
}

// pairsOf gives the sensitive values as the rows show them: of permutation at level L2.
func (t *table) pairsOf(c int) []uint32 {
	if t.pairs == nil {
		return nil
	}
	return t.pairs[t.start[c]:t.start[c+1]]
}

// ownBags reports that every class has a bag of sensitive values of its own, as at
// level L1.
func (t *table) ownBags() bool { return t.shared == nil }

// buckets is the number of buckets, 0 at level L1.
func (t *table) buckets() int {
	if t.shared == nil {
		return 0
	}
	return t.shared.m
}

// topShare is the largest share of one value that a class shows.
func (t *table) topShare(c int) float64 {
	if t.ownBags() {
		return share(int(t.top[c]), t.size(c))
	}
	return t.shared.topShare(t, c)
}

// exceeds reports that a class, or a bucket its rows are in, shows one value
// with a share above 1/l.
func (t *table) exceeds(c, l int) bool {
	if t.ownBags() {
		return int(t.top[c])*l > t.size(c)
	}
	return t.shared.exceeds(t, c, l)
}

// rawTable is a table as read: one entry per row, in file order.
type rawTable struct {
	d   int
	cls []uint32 // class number as written
	qi  []uint32 // rows*d
	sa  []uint32 // nil when the sensitive values are in another file
	// level L2: bucket number as written, nil where the rows show no class besides
	bucket []uint32
}

// group orders rows by class number and numbers the classes densely. It tells
// whether rows already came in class order and whether numbers were 1..m.
func (r *rawTable) group() (order []uint32, start []uint32, number []uint32, sorted bool, dense bool) {
	n := len(r.cls)
	order = make([]uint32, n)
	sorted = true
	for i := range order {
		order[i] = uint32(i)
		sorted = sorted && (i == 0 || r.cls[i-1] <= r.cls[i])
	}
	if !sorted {
		slices.SortStableFunc(order, func(x, y uint32) int { return int(r.cls[x]) - int(r.cls[y]) })
	}
	dense = true
	for i, row := range order {
		if i == 0 || r.cls[row] != number[len(number)-1] {
			start = append(start, uint32(i))
			number = append(number, r.cls[row])
			dense = dense && int(r.cls[row]) == len(number)
		}
	}
	return order, append(start, uint32(n)), number, sorted, dense
}

// summarize fills the columns derived from the bags.
func (t *table) summarize(sets *setDict) {
	t.m = len(t.start) - 1
	t.support = make([]uint32, t.m)
	t.flat = make([]uint32, t.m)
	t.top = make([]uint32, t.m)
	var set []uint32
	for c := range t.m {
		bag := t.bag(c)
		slices.Sort(bag)
		set = set[:0]
		low, high := len(bag), 0
		for i := 0; i < len(bag); {
			j := i + 1
			for j < len(bag) && bag[j] == bag[i] {
				j++
			}
			set = append(set, bag[i])
			low, high = min(low, j-i), max(high, j-i)
			i = j
		}
		t.support[c] = sets.intern(set)
		t.top[c] = uint32(high)
		if low == high {
			t.flat[c] = uint32(high)
		}
	}
}

// histogram counts every value of the release.
func (t *table) histogram(values int) []int {
	h := make([]int, values)
	for _, v := range t.sa {
		h[v]++
	}
	return h
}

// lookup turns a class number of an export into the class's index.
func (t *table) lookup(number uint32) (int, bool) {
	if t.number == nil {
		return int(number) - 1, number >= 1 && int(number) <= t.m
	}
	c, ok := slices.BinarySearch(t.number, number)
	return c, ok
}

// classKey is everything published about a class, as a map key.
func (t *table) classKey(c int, buf []byte) []byte {
	buf = buf[:0]
	for _, v := range t.cells(c) {
		buf = binary.LittleEndian.AppendUint32(buf, v)
	}
	buf = append(buf, '/')
	if t.ownBags() {
		for _, v := range t.bag(c) {
			buf = binary.LittleEndian.AppendUint32(buf, v)
		}
	}
	if t.exact() {
		buf = append(buf, '/')
		for _, v := range t.rowsQI(c) {
			buf = binary.LittleEndian.AppendUint32(buf, v)
		}
	}
	for _, v := range t.pairsOf(c) {
		buf = binary.LittleEndian.AppendUint32(buf, v)
	}
	if t.shared != nil {
		buf = t.shared.classKey(t, c, append(buf, '/'))
	}
	return buf
}

// scratchBag turns bags into distinct values and counts.
type scratchBag struct{ values, counts []uint32 }

func (s *scratchBag) of(bag []uint32) (values, counts []uint32) {
	s.values, s.counts = s.values[:0], s.counts[:0]
	for i, v := range bag {
		if i == 0 || v != bag[i-1] {
			s.values, s.counts = append(s.values, v), append(s.counts, 0)
		}
		s.counts[len(s.counts)-1]++
	}
	return s.values, s.counts
}

// bagCounts appends the multiplicities of a bag sorted by id.
func bagCounts(bag []uint32, counts []int) []int {
	for i, v := range bag {
		if i == 0 || v != bag[i-1] {
			counts = append(counts, 0)
		}
		counts[len(counts)-1]++
	}
	return counts
}

// empty is a table without classes, of the kind of t.
func (t *table) empty() *table {
	e := &table{d: t.d, start: []uint32{0}, permuted: t.permuted}
	if t.qi != nil {
		e.qi = []uint32{}
	}
	if t.shared != nil {
		e.shared = &bucketTable{start: []uint32{0}}
	}
	return e
}

// join adds the classes of a part behind those of t. The columns of t may be
// shared with the result, and none of them changes: a table is joined once.
func (t *table) join(o *table) *table {
	j := *t
	rows := uint32(t.rows())
	for _, end := range o.start[1:] {
		j.start = append(j.start, rows+end)
	}
	j.m = len(j.start) - 1
	j.sa = append(j.sa, o.sa...)
	j.box = append(j.box, o.box...)
	if o.qi != nil {
		j.qi = append(j.qi, o.qi...)
	}
	j.support = append(j.support, o.support...)
	j.flat = append(j.flat, o.flat...)
	j.top = append(j.top, o.top...)
	j.pairs = append(j.pairs, o.pairs...)
	if t.shared != nil && o.shared != nil {
		j.shared = t.shared.join(o.shared)
	}
	return &j
}

// without copies t, leaving out classes; gone is ascending. Tables of level
// L2 stay whole: their classes never die, which deadArePure holds.
func (t *table) without(gone []uint32) *table {
	if len(gone) == 0 || t.shared != nil {
		return t
	}
	n := t.empty()
	for c := range t.m {
		if _, dead := slices.BinarySearch(gone, uint32(c)); dead {
			continue
		}
		from, to := t.start[c], t.start[c+1]
		n.sa = append(n.sa, t.sa[from:to]...)
		n.start = append(n.start, uint32(len(n.sa)))
		n.support, n.flat, n.top = append(n.support, t.support[c]), append(n.flat, t.flat[c]), append(n.top, t.top[c])
		if t.box != nil {
			n.box = append(n.box, t.cells(c)...)
		}
		if t.qi != nil {
			n.qi = append(n.qi, t.rowsQI(c)...)
		}
		if t.pairs != nil {
			n.pairs = append(n.pairs, t.pairs[from:to]...)
		}
	}
	n.m = len(n.start) - 1
	return n
}
