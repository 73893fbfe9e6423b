package audit

import (
	"cmp"
	"slices"
)

// shapeOfBuckets tests that buckets are unions of whole classes, that each has one,
// that a compaction joins none of different births, and that they are in canonical
// order: by the sorted list of their classes' cells, then their bag.
func (r *tableReader) shapeOfBuckets(t *table) {
	b := t.shared
	of := make([]uint32, t.m) // by class: its bucket + 1
	split, first := 0, 0
	for c := range t.m {
		rows := b.rows(t, c)
		if !same(rows) {
			split, first = split+1, c+1
		}
		of[c] = rows[0]
	}
	classes := newRoster(of, b.m)
	for i := range b.m { // mostly they are in order already
		shown := func(c, d uint32) int { return compareShown(r.s, t, int(c), int(d)) }
		if list := classes.of(i); !slices.IsSortedFunc(list, shown) {
			slices.SortStableFunc(list, shown)
		}
	}
	r.f.addN("B", kindBucketSplitsClass, r.release, first, r.s.sa.name, "the rows of a class are in several buckets", split)
	empty, unordered := 0, 0
	for i := range b.m {
		if len(classes.of(i)) == 0 {
			empty++
		}
		if i > 0 && !r.mayRestartBucket(i) && r.compareContents(t, &classes, i-1, i) > 0 {
			unordered++
		}
	}
	r.f.addN("B", kindBucketEmpty, r.release, 0, r.s.sa.name, "a bucket has no class", empty)
	r.f.addN("order", kindBucketOrder, r.release, 0, r.s.sa.name, "buckets are not in canonical order", unordered)
	r.bornTogether(t)
}

// compareContents compares two buckets by the cells of their classes, which are in order,
// then their bag.
func (r *tableReader) compareContents(t *table, classes *roster, x, y int) int {
	if o := slices.CompareFunc(classes.of(x), classes.of(y), func(c, d uint32) int {
		return compareShown(r.s, t, int(c), int(d))
	}); o != 0 {
		return o
	}
	b, dict := t.shared, r.s.sa
	return compareRuns(dict, canonicalRuns(dict, b.lines(x)), canonicalRuns(dict, b.lines(y)))
}

// lines gives the bag of a bucket as lines.
func (b *bucketTable) lines(i int) (out []bucketLine) {
	values, counts := b.entries(uint32(i))
	for j, v := range values {
		out = append(out, bucketLine{0, v, counts[j]})
	}
	return out
}

// mayRestartBucket reports that a bucket need not follow the one before it; see
// mayRestart.
func (r *tableReader) mayRestartBucket(i int) bool {
	return slices.ContainsFunc(r.joined, func(j joint) bool {
		return i == j.firstBucket || j.compacted && j.firstBucket < i && i < j.endBucket
	})
}

// bornTogether tests that the classes of a replaced part are in its buckets, so that
// no bucket holds classes of two births.
func (r *tableReader) bornTogether(t *table) {
	b := t.shared
	crossing, first := 0, 0
	for c := range t.m {
		i := slices.IndexFunc(r.joined, func(j joint) bool { return j.first <= c && c < j.end })
		if i < 0 {
			continue
		}
		if n := int(b.rows(t, c)[0]) - 1; n < r.joined[i].firstBucket || n >= r.joined[i].endBucket {
			crossing, first = crossing+1, c+1
		}
	}
	r.f.addN("B", kindBucketCrossesBirth, r.release, first, r.s.sa.name,
		"a class is in a bucket of another part than its own: a bucket holds classes of one birth", crossing)
	if n := len(r.joined); n > 0 && r.joined[n-1].endBucket != b.m {
		r.f.add("chain", kindFirstBucket, r.release, 0, "replaces", "the replaced parts have another number of buckets than the compacted part")
	}
}

// compareBucketed is the canonical order of classes at level L2: cells, in exact
// tables the sorted list of rows, then the bucket.
func compareBucketed(s *schema, t *table, p, c int) int {
	b := t.shared
	if o := compareShown(s, t, p, c); o != 0 {
		return o
	}
	return int(b.rows(t, p)[0]) - int(b.rows(t, c)[0])
}

// compareShown compares what classes show of their quasi-identifiers.
func compareShown(s *schema, t *table, p, c int) int {
	if !t.exact() {
		return s.compareCells(t.cells(p), t.cells(c))
	}
	x, y := t.rowsQI(p), t.rowsQI(c)
	for len(x) > 0 && len(y) > 0 {
		if o := s.compareCells(x[:t.d], y[:t.d]); o != 0 {
			return o
		}
		x, y = x[t.d:], y[t.d:]
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
	// TopShare is the largest share of one value in a bucket. By Theorem E it is the
	// largest probability of a person's value, given all releases.
	TopShare  float64 `json:"top_share"`
	AchievedL int     `json:"achieved_l"` // the largest l that all of them keep
}

// bucketFigures takes the figures of a release of level L2.
func bucketFigures(t *table) *Buckets {
	b := t.shared
	out := &Buckets{Buckets: b.m, Classes: t.m, TopShare: t.shared.mostShare()}
	if b.m == 0 {
		return out
	}
	bySize := slices.SortedFunc(slices.Values(ascending(b.m)), func(x, y int) int { return cmp.Compare(b.size[x], b.size[y]) })
	people := 0
	for _, i := range bySize {
		if people < (t.rows()+1)/2 {
			out.Median = int(b.size[i])
		}
		people += int(b.size[i])
		if n := int(b.size[i] / b.top[i]); out.AchievedL == 0 || n < out.AchievedL {
			out.AchievedL = n
		}
	}
	out.Largest = int(b.size[bySize[b.m-1]])
	return out
}

// bucket is the bag that the values of a class are in, at level L2 that of its
// bucket: distinct values, counts and size.
func (t *table) bucket(c int) (values, counts []uint32, size int) {
	if t.ownBags() {
		values, counts = new(scratchBag).of(t.bag(c))
		return values, counts, t.size(c)
	}
	b := t.shared
	i := b.rows(t, c)[0] - 1
	values, counts = b.entries(i)
	return values, counts, int(b.size[i])
}

// most is the count of the most frequent value of that bag, and its size.
func (t *table) most(c int) (top, size int) {
	if t.ownBags() {
		return int(t.top[c]), t.size(c)
	}
	b := t.shared
	i := b.rows(t, c)[0] - 1
	return int(b.top[i]), int(b.size[i])
}

// wholeBuckets reports that every class has one bag, its own or that of its bucket.
func (t *table) wholeBuckets() bool { return t.ownBags() || t.shared != nil }
