package render

import (
	"cmp"
	"fmt"
	"slices"

	"anond/snapshot"
)

// sharedBucket is a bucket of level L2 in a table: whole classes that were born
// together, and for each sensitive attribute one bag for all their records.
type sharedBucket struct {
	classes []*class // in canonical order, once the table is in order
	people  int
	bags    [][]uint32 // by sensitive attribute: ranks, ascending
	records int        // of each history, where there are histories
	number  int        // from 1, once the table is in order
	pool    *pool      // once there are layouts
}

// share gathers the buckets of the classes of a table and holds them against what
// rule B (buckets) demands of a view: every class has exactly k records and is in a
// bucket, a bucket is born at once and is of one stratum, and no value exceeds its cap in it.
func (t *table) share() error {
	if err := t.gatherBuckets(); err != nil {
		return err
	}
	return t.judge()
}

// gatherBuckets is share without the judgement, for buckets of pools that are not there as a whole.
func (t *table) gatherBuckets() error {
	of, sizes, err := t.bucketsGiven()
	if err != nil {
		return err
	}
	buckets, room := make([]sharedBucket, len(sizes)), make([]*class, len(t.classes))
	t.shared = make([]*sharedBucket, len(sizes))
	for i, n := range sizes {
		b := &buckets[i]
		b.classes, room = room[:0:n], room[n:]
		t.shared[i] = b
	}
	for i, c := range t.classes {
		b := t.shared[of[i]]
		if len(b.classes) > 0 && b.classes[0].born != c.born {
			return fmt.Errorf("%w: the bucket of class %d of the view has classes of another birth", ErrView, i)
		}
		if len(b.classes) > 0 && b.classes[0].stratum != c.stratum || (c.stratum != "") != (t.claim.Settle != "") {
			return fmt.Errorf("%w: the bucket of class %d of the view has people of another stratum, or of none", ErrView, i)
		}
		b.classes = append(b.classes, c)
		c.bucket = b
	}
	for _, b := range t.shared {
		b.people, b.bags = len(b.classes)*t.k, make([][]uint32, len(t.sa))
	}
	for a := range t.sa {
		bags := make([]uint32, t.records)
		for _, b := range t.shared {
			b.bags[a], bags = bags[:b.people:b.people], bags[b.people:]
		}
		t.each(len(t.shared), func(_, lo, hi int) {
			counts := make([]int32, len(t.sa[a].quoted))
			for _, b := range t.shared[lo:hi] {
				b.fill(b.bags[a], &t.sa[a], counts)
			}
		})
	}
	return t.measureHistories()
}

// measureHistories finds how many records the histories of each bucket have: as many each, since a bucket is of one stratum.
func (t *table) measureHistories() error {
	for a := range t.sa {
		sa := &t.sa[a]
		if sa.dict.Records() != t.claim.MaxRecords {
			return fmt.Errorf("%w: %q of the view has other histories than its settings say", ErrView, sa.name)
		}
		if t.claim.MaxRecords == 0 {
			continue
		}
		if t.claim.Settle == "" || len(t.pairs) > 0 || t.recoding.Name() != snapshot.NameBuckets {
			return fmt.Errorf("%w: it has histories, and people do not settle, or its recoding or a pair table shows none", ErrView)
		}
		for i, b := range t.shared {
			for v := range runs(b.bags[a]) {
				n := sa.length(v)
				if b.records == 0 {
					b.records = n
				}
				if n != b.records || n > t.claim.MaxRecords {
					return fmt.Errorf("%w: in bucket %d of the view histories of %q differ in length, or are too long", ErrView, i, sa.name)
				}
			}
		}
	}
	return nil
}

// bucketsGiven returns the bucket of each class, numbered by first appearance, and how many
// classes each has.
func (t *table) bucketsGiven() (of, sizes []int32, err error) {
	of = make([]int32, len(t.classes))
	number := make(map[uint32]int32, len(t.classes)/2)
	for i, c := range t.classes {
		switch {
		case c.given == 0:
			return nil, nil, fmt.Errorf("%w: class %d of the view is in no bucket", ErrView, i)
		case len(c.members) != t.k:
			return nil, nil, fmt.Errorf("%w: class %d of the view has %d records, at level L2 it must have %d", ErrView, i, len(c.members), t.k)
		}
		n, ok := number[c.given]
		if !ok {
			n = int32(len(sizes))
			number[c.given], sizes = n, append(sizes, 0)
		}
		of[i] = n
		sizes[n]++
	}
	return of, sizes, nil
}

// fill finds the bag of an attribute, which has its room. counts is by rank, and 0 before and after.
func (b *sharedBucket) fill(bag []uint32, sa *column, counts []int32) {
	at := 0
	for _, c := range b.classes {
		for _, m := range c.members {
			bag[at] = sa.rank[sa.codes.At(int(m))]
			at++
		}
	}
	if len(counts) > 2*len(bag) {
		slices.Sort(bag)
		return
	}
	for _, v := range bag {
		counts[v]++
	}
	at = 0
	for v, n := range counts {
		for range n {
			bag[at] = uint32(v)
			at++
		}
		counts[v] = 0
	}
}

// placeShared puts classes of level L2 in the order of what they show, and gives each
// its place in it, which classes that show the same share. A class shows its cells, or,
// where these are exact, its rows. Its own values are not looked at.
func (t *table) placeShared() {
	if t.recoding.exact() {
		t.each(len(t.classes), func(_, lo, hi int) {
			var s scratch
			for _, c := range t.classes[lo:hi] {
				if c.rows != nil { // read from files
					continue
				}
				c.rows = t.recoding.rows(t, &s, make([]uint32, 0, len(c.members)*len(t.cols)), c)
			}
		})
	}
	t.order()
	for _, b := range t.shared {
		b.classes = b.classes[:0]
	}
	for i, c := range t.classes {
		if i > 0 {
			c.place = t.classes[i-1].place
			if t.compareShared(t.classes[i-1], c) != 0 {
				c.place++
			}
		}
		c.bucket.classes = append(c.bucket.classes, c)
	}
}

// numberShared numbers buckets and classes that have places: buckets by the sorted
// list of what their classes show, then by their bags, which are published; classes by what they show, then
// by the number of their bucket. What is equal in all of that looks alike in the files;
// random draws decide between them, for the private side alone.
func (t *table) numberShared() {
	slices.SortFunc(t.shared, t.compareBuckets)
	for i, b := range t.shared {
		b.number = i + 1
	}
	for lo := 0; lo < len(t.classes); {
		hi := lo + 1
		for hi < len(t.classes) && t.classes[hi].place == t.classes[lo].place {
			hi++
		}
		slices.SortStableFunc(t.classes[lo:hi], func(a, b *class) int { return cmp.Compare(a.bucket.number, b.bucket.number) })
		lo = hi
	}
}

// compareShared compares what classes of level L2 show, their bucket apart.
func (t *table) compareShared(a, b *class) int {
	if t.recoding.exact() {
		return slices.Compare(a.rows, b.rows)
	}
	return t.compareBoxes(a, b)
}

// compareBuckets compares buckets whose classes are in order and have places. Rows of
// buckets that agree in classes and bag may still show other values, drawn for them at
// other births.
func (t *table) compareBuckets(a, b *sharedBucket) int {
	if c := slices.CompareFunc(a.classes, b.classes, func(x, y *class) int { return cmp.Compare(x.place, y.place) }); c != 0 {
		return c
	}
	if c := slices.CompareFunc(a.bags, b.bags, slices.Compare[[]uint32]); c != 0 {
		return c
	}
	if c := slices.CompareFunc(a.classes, b.classes, func(x, y *class) int { return slices.Compare(x.values, y.values) }); c != 0 {
		return c
	}
	return t.compareDraws(a.classes[0], b.classes[0])
}

// checkBuckets holds an input against the release before: no bucket of level L2 spans
// births, and all releases of a chain are of one level.
func (r *rendering) checkBuckets() error {
	if m := r.from.manifest; m != nil && m.Shared() != r.in.Shared {
		return fmt.Errorf("%w: it is of another level than release %d", ErrView, m.Release)
	}
	if !r.in.Shared {
		return nil
	}
	for _, c := range r.births {
		if c.Bucket != 0 && c.Bucket <= r.from.bucket {
			return fmt.Errorf("%w: a class that is born is in a bucket of an earlier release", ErrView)
		}
	}
	return nil
}

// newestBucket is the greatest number of a bucket: the state numbers them in order of
// birth.
func newestBucket(classes []Class) (newest uint32) {
	for i := range classes {
		newest = max(newest, classes[i].Bucket)
	}
	return newest
}
