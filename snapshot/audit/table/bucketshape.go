package table

import (
	"cmp"
	"slices"

	"anond/snapshot/audit/format"
)

// shapeOfBuckets tests that buckets are unions of whole classes, that each has one,
// that a compaction joins none of different births, and that they are in canonical
// order: by the sorted list of their classes' cells, then their bags.
func (r *TableReader) shapeOfBuckets(t *Table) {
	b := t.Shared
	of := make([]uint32, t.M) // by class: its bucket + 1
	split, first := 0, 0
	for c := range t.M {
		rows := b.Rows(t, c)
		if !format.Same(rows) {
			split, first = split+1, c+1
		}
		of[c] = rows[0]
	}
	classes := NewRoster(of, b.M)
	for i := range b.M { // mostly they are in order already
		shown := func(c, d uint32) int { return compareShown(r.S, t, int(c), int(d)) }
		if list := classes.Of(i); !slices.IsSortedFunc(list, shown) {
			slices.SortStableFunc(list, shown)
		}
	}
	r.F.AddN("B", format.KindBucketSplitsClass, r.Release, first, r.S.Sa.Name, "the rows of a class are in several buckets", split)
	empty, unordered := 0, 0
	for i := range b.M {
		if len(classes.Of(i)) == 0 {
			empty++
		}
		if i > 0 && !r.mayRestartBucket(b.NumberOf(i-1)-1, b.NumberOf(i)-1) && r.compareContents(t, &classes, i-1, i) > 0 {
			unordered++
		}
	}
	r.F.AddN("B", format.KindBucketEmpty, r.Release, 0, r.S.Sa.Name, "a bucket has no class", empty)
	r.F.AddN("order", format.KindBucketOrder, r.Release, 0, r.S.Sa.Name, "buckets are not in canonical order", unordered)
	r.bornTogether(t)
}

// compareContents compares two buckets by the cells of their classes, which are in order,
// then their bags.
func (r *TableReader) compareContents(t *Table, classes *Roster, x, y int) int {
	if o := slices.CompareFunc(classes.Of(x), classes.Of(y), func(c, d uint32) int {
		return compareShown(r.S, t, int(c), int(d))
	}); o != 0 {
		return o
	}
	for a, of := range t.Shared.Of {
		dict := r.S.Sas[a]
		if o := compareRuns(dict, of.canonical(dict, x), of.canonical(dict, y)); o != 0 {
			return o
		}
	}
	return 0
}

// mayRestartBucket reports that a bucket need not follow the one before it; see
// mayRestart.
func (r *TableReader) mayRestartBucket(p, i int) bool {
	return slices.ContainsFunc(r.Joined, func(j Joint) bool {
		return p < j.FirstBucket && j.FirstBucket <= i || j.Compacted && j.FirstBucket < i && i < j.EndBucket
	})
}

// bornTogether tests that the classes of a replaced part are in its buckets, so that
// no bucket holds classes of two births.
func (r *TableReader) bornTogether(t *Table) {
	b := t.Shared
	crossing, first := 0, 0
	for c := range t.M {
		at := t.At(c)
		i := slices.IndexFunc(r.Joined, func(j Joint) bool { return j.First <= at && at < j.End })
		if i < 0 {
			continue
		}
		if n := b.NumberOf(int(b.Rows(t, c)[0])-1) - 1; n < r.Joined[i].FirstBucket || n >= r.Joined[i].EndBucket {
			crossing, first = crossing+1, c+1
		}
	}
	r.F.AddN("B", format.KindBucketCrossesBirth, r.Release, first, r.S.Sa.Name,
		"a class is in a bucket of another part than its own: a bucket holds classes of one birth", crossing)
	if n := len(r.Joined); n > 0 && r.Joined[n-1].EndBucket != b.M+len(r.Left) {
		r.F.Add("chain", format.KindFirstBucket, r.Release, 0, "replaces",
			"the replaced parts have another number of buckets than the compacted part")
	}
}

// compareBucketed is the canonical order of classes at level L2: cells, in exact
// tables the sorted list of rows, then the bucket.
func compareBucketed(s *format.Schema, t *Table, p, c int) int {
	b := t.Shared
	if o := compareShown(s, t, p, c); o != 0 {
		return o
	}
	return int(b.Rows(t, p)[0]) - int(b.Rows(t, c)[0])
}

// compareShown compares what classes show of their quasi-identifiers.
func compareShown(s *format.Schema, t *Table, p, c int) int {
	if !t.Exact() {
		return s.CompareCells(t.Cells(p), t.Cells(c))
	}
	x, y := t.RowsQI(p), t.RowsQI(c)
	for len(x) > 0 && len(y) > 0 {
		if o := s.CompareCells(x[:t.D], y[:t.D]); o != 0 {
			return o
		}
		x, y = x[t.D:], y[t.D:]
	}
	return len(x) - len(y)
}

// Buckets are the buckets of level L2, as the newest release shows them. They never
// change, so these are the buckets of all releases.
type Buckets struct {
	Buckets int `json:"buckets"`
	Classes int `json:"classes"`
	Largest int `json:"largest"` // records in the largest one
	Median  int `json:"median"`  // records in the bucket of the median person
}

// BucketFigures takes the figures of a release of level L2.
func BucketFigures(t *Table) *Buckets {
	b := t.Shared
	out := &Buckets{Buckets: b.M, Classes: t.M}
	if b.M == 0 {
		return out
	}
	bySize := slices.SortedFunc(slices.Values(Ascending(b.M)), func(x, y int) int { return cmp.Compare(b.Size[x], b.Size[y]) })
	people := 0
	for _, i := range bySize {
		if people < (t.Rows()+1)/2 {
			out.Median = int(b.Size[i])
		}
		people += int(b.Size[i])
	}
	out.Largest = int(b.Size[bySize[b.M-1]])
	return out
}

// Bucket is the bag that the values of a class are in, at level L2 that of its
// bucket: distinct values, counts and size.
func (t *Table) Bucket(c int) (values, counts []uint32, size int) {
	if t.OwnBags() {
		values, counts = new(scratchBag).of(t.Bag(c))
		return values, counts, t.Size(c)
	}
	b := t.Shared
	i := b.Rows(t, c)[0] - 1
	values, counts = b.Entries(i)
	return values, counts, int(b.Size[i])
}

// Most is the count of the most frequent value of that bag, and its size.
func (t *Table) Most(c int) (top, size int) {
	if t.OwnBags() {
		return int(t.Top[c]), t.Size(c)
	}
	b := t.Shared
	i := b.Rows(t, c)[0] - 1
	return int(b.Of[0].top[i]), int(b.Size[i])
}

// WholeBuckets reports that every class has one bag, its own or that of its bucket.
func (t *Table) WholeBuckets() bool { return t.OwnBags() || t.Shared != nil }
