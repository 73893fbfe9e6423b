package table

import (
	"encoding/binary"
	"slices"

	"anond/snapshot/audit/format"
)

// Table is one release, grouped by class. Classes are indexed from 0 here and
// reported from 1. Rows of class c are start[c]..start[c+1].
type Table struct {
	M        int          // classes
	Number   []uint32     // class numbers as written; nil when they are 1..m
	D        int          // quasi-identifiers
	Start    []uint32     // m+1
	Sa       []uint32     // sensitive value per row, ascending by id within a class
	Box      []uint32     // m*d cell ids: the published box; nil of exact rows
	Permuted bool         // qi columns were shuffled on their own inside each group
	qi       []uint32     // rows*d exact cells (anatomy, permutation), nil for generalization
	Support  []uint32     // value set of each class, interned
	Flat     []uint32     // c when every value of the class occurs c times, else 0
	Top      []uint32     // count of the most frequent value
	pairs    []uint32     // permutation at level L2: the sensitive values in each row, by chance
	width    int          // of them, in a row
	Shared   *BucketTable // level L2: the buckets, which are unions of whole classes
}

func (t *Table) Rows() int                           { return len(t.Sa) }
func (t *Table) Size(c int) int                      { return int(t.Start[c+1] - t.Start[c]) }
func (t *Table) Bag(c int) []uint32                  { return t.Sa[t.Start[c]:t.Start[c+1]] }
func (t *Table) RowsQI(c int) []uint32               { return t.qi[int(t.Start[c])*t.D : int(t.Start[c+1])*t.D] }
func (t *Table) Row(i uint32) []uint32               { return t.qi[int(i)*t.D : (int(i)+1)*t.D] }
func (t *Table) Exact() bool                         { return t.qi != nil }
func (t *Table) SameBag(c int, o *Table, p int) bool { return slices.Equal(t.Bag(c), o.Bag(p)) }

// Cells are the published box of a class; none of exact rows.
func (t *Table) Cells(c int) []uint32 {
	if t.Box == nil {
		return nil
	}
	return t.Box[c*t.D : (c+1)*t.D]
}

// SameCells compares everything published about a class besides its bag.
func (t *Table) SameCells(c int, o *Table, p int) bool {
	if !slices.Equal(t.Cells(c), o.Cells(p)) || t.Exact() != o.Exact() || !slices.Equal(t.pairsOf(c), o.pairsOf(p)) {
		return false
	}
	return !t.Exact() || slices.Equal(t.RowsQI(c), o.RowsQI(p))
}

// pairsOf gives the sensitive values as the rows show them: of permutation at level L2.
func (t *Table) pairsOf(c int) []uint32 {
	if t.pairs == nil {
		return nil
	}
	return t.pairs[int(t.Start[c])*t.width : int(t.Start[c+1])*t.width]
}

// OwnBags reports that every class has a bag of sensitive values of its own, as at
// level L1.
func (t *Table) OwnBags() bool { return t.Shared == nil }

// Buckets is the number of buckets, 0 at level L1.
func (t *Table) Buckets() int {
	if t.Shared == nil {
		return 0
	}
	return t.Shared.M
}

// Pools is the number of pools, 0 at level L1.
func (t *Table) Pools() int {
	if t.Shared == nil {
		return 0
	}
	return t.Shared.N
}

// TopShare is the largest share of one value that a class shows.
func (t *Table) TopShare(c int) float64 {
	if t.OwnBags() {
		return format.Share(int(t.Top[c]), t.Size(c))
	}
	return t.Shared.topShare(t, c)
}

// Exceeds reports that a class, or a bucket its rows are in, shows one value
// with a share above 1/l, or at level L2 above its cap.
func (t *Table) Exceeds(c, l int) bool {
	if t.OwnBags() {
		return int(t.Top[c])*l > t.Size(c)
	}
	return t.Shared.exceeds(t, c)
}

// rawTable is a table as read: one entry per row, in file order.
type rawTable struct {
	d      int
	cls    []uint32 // class number as written
	qi     []uint32 // rows*d
	sa     []uint32 // of each row one or several; nil when the sensitive values are in another file
	bucket []uint32 // level L2: bucket number as written
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

// Summarize fills the columns derived from the bags.
func (t *Table) Summarize(sets *format.SetDict) {
	t.M = len(t.Start) - 1
	t.Support = make([]uint32, t.M)
	t.Flat = make([]uint32, t.M)
	t.Top = make([]uint32, t.M)
	var set []uint32
	for c := range t.M {
		bag := t.Bag(c)
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
		t.Support[c] = sets.Intern(set)
		t.Top[c] = uint32(high)
		if low == high {
			t.Flat[c] = uint32(high)
		}
	}
}

// Histogram counts every value of the release.
func (t *Table) Histogram(values int) []int {
	h := make([]int, values)
	for _, v := range t.Sa {
		h[v]++
	}
	return h
}

// At is how the part numbers a class, from 0.
func (t *Table) At(c int) int {
	if t.Number == nil {
		return c
	}
	return int(t.Number[c]) - 1
}

// Lookup turns a class number of an export into the class's index.
func (t *Table) Lookup(number uint32) (int, bool) {
	if t.Number == nil {
		return int(number) - 1, number >= 1 && int(number) <= t.M
	}
	c, ok := slices.BinarySearch(t.Number, number)
	return c, ok
}

// ClassKey is everything published about a class, as a map key.
func (t *Table) ClassKey(c int, buf []byte) []byte {
	buf = buf[:0]
	for _, v := range t.Cells(c) {
		buf = binary.LittleEndian.AppendUint32(buf, v)
	}
	buf = append(buf, '/')
	if t.OwnBags() {
		for _, v := range t.Bag(c) {
			buf = binary.LittleEndian.AppendUint32(buf, v)
		}
	}
	if t.Exact() {
		buf = append(buf, '/')
		for _, v := range t.RowsQI(c) {
			buf = binary.LittleEndian.AppendUint32(buf, v)
		}
	}
	for _, v := range t.pairsOf(c) {
		buf = binary.LittleEndian.AppendUint32(buf, v)
	}
	if t.Shared != nil {
		buf = t.Shared.classKey(t, c, append(buf, '/'))
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

// Empty is a table without classes, of the kind of t.
func (t *Table) Empty() *Table {
	e := &Table{D: t.D, Start: []uint32{0}, Permuted: t.Permuted, width: t.width}
	if t.qi != nil {
		e.qi = []uint32{}
	}
	if t.Shared != nil {
		e.Shared = &BucketTable{}
	}
	return e
}

// Nothing is the table of a release of level L2 from which all has left.
func Nothing(s *format.Schema) *Table {
	t := &Table{D: len(s.Qi), Start: []uint32{0}, Shared: &BucketTable{dict: s.Bags}}
	for range s.Sas {
		t.Shared.Of = append(t.Shared.Of, &Bags{Start: []uint32{0}})
	}
	return t
}

// JoinAll joins the tables of parts, which may be joined again with others. There is one at least.
func JoinAll(tables []*Table) *Table {
	out := tables[0].clipped()
	for _, t := range tables[1:] {
		out = out.Join(t)
	}
	return out
}

// clipped is t without room behind its columns: what joins it copies them.
func (t *Table) clipped() *Table {
	c := *t
	c.Number = nil
	for _, column := range []*[]uint32{&c.Start, &c.Sa, &c.Box, &c.qi, &c.Support, &c.Flat, &c.Top, &c.pairs} {
		*column = slices.Clip(*column)
	}
	if t.Shared != nil {
		c.Shared = t.Shared.clipped()
	}
	return &c
}

// Join adds the classes of a part behind those of t. The columns of t may be
// shared with the result, and none of them changes: a table is joined once.
func (t *Table) Join(o *Table) *Table {
	j := *t
	rows := uint32(t.Rows())
	for _, end := range o.Start[1:] {
		j.Start = append(j.Start, rows+end)
	}
	j.M = len(j.Start) - 1
	j.Sa = append(j.Sa, o.Sa...)
	j.Box = append(j.Box, o.Box...)
	if o.qi != nil {
		j.qi = append(j.qi, o.qi...)
	}
	j.Support = append(j.Support, o.Support...)
	j.Flat = append(j.Flat, o.Flat...)
	j.Top = append(j.Top, o.Top...)
	j.pairs = append(j.pairs, o.pairs...)
	if t.Shared != nil && o.Shared != nil {
		j.Shared = t.Shared.join(o.Shared)
	}
	return &j
}

// Without copies t, leaving out classes; gone is ascending. Tables of level
// L2 stay whole: their classes never die, which deadArePure holds.
func (t *Table) Without(gone []uint32) *Table {
	if len(gone) == 0 || t.Shared != nil {
		return t
	}
	n := t.Empty()
	for c := range t.M {
		if _, dead := slices.BinarySearch(gone, uint32(c)); dead {
			continue
		}
		from, to := t.Start[c], t.Start[c+1]
		n.Sa = append(n.Sa, t.Sa[from:to]...)
		n.Start = append(n.Start, uint32(len(n.Sa)))
		n.Support, n.Flat, n.Top = append(n.Support, t.Support[c]), append(n.Flat, t.Flat[c]), append(n.Top, t.Top[c])
		if t.Box != nil {
			n.Box = append(n.Box, t.Cells(c)...)
		}
		if t.qi != nil {
			n.qi = append(n.qi, t.RowsQI(c)...)
		}
		if t.pairs != nil {
			n.pairs = append(n.pairs, t.pairsOf(c)...)
		}
	}
	n.M = len(n.Start) - 1
	return n
}
