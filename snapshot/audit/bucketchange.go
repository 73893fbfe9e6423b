package audit

import (
	"cmp"
	"slices"
)

// bucketChange pairs the classes that stood in some parts with those of the part
// that came of them, and says what became of their buckets.
type bucketChange struct {
	s     *schema
	now   *table
	drawn bool // files number no classes
	old   []placedClass
	bags  []uint32 // by old bucket
}

// placedClass is a class and its bucket.
type placedClass struct {
	t             *table
	class, bucket int
	part          int // of the old ones: where it was
}

func placedAt(t *table, c, bucketsBefore, part int) placedClass {
	return placedClass{t, c, bucketsBefore + int(t.shared.rows(t, c)[0]) - 1, part}
}

// add takes the classes of one of the old parts, in order.
func (c *bucketChange) add(t *table, part int) {
	for i := range t.m {
		c.old = append(c.old, placedAt(t, i, len(c.bags), part))
	}
	c.bags = append(c.bags, t.shared.bags()...)
}

// pairs gives the new class of each old one; false: they are not the same classes.
func (c *bucketChange) pairs() (now []placedClass, ok bool) {
	for i := range c.now.m {
		now = append(now, placedAt(c.now, i, 0, 0))
	}
	if c.drawn {
		slices.SortStableFunc(c.old, c.compare)
		slices.SortStableFunc(now, c.compare)
	}
	return now, slices.EqualFunc(c.old, now, func(x, y placedClass) bool {
		a, b := x.t, y.t
		return slices.Equal(a.cells(x.class), b.cells(y.class)) && (!a.exact() || slices.Equal(a.rowsQI(x.class), b.rowsQI(y.class)))
	})
}

func (c *bucketChange) compare(x, y placedClass) int {
	return cmp.Or(c.s.compareCells(x.t.cells(x.class), y.t.cells(y.class)), cmp.Compare(x.bucket, y.bucket))
}

// report names what happened to each bucket: it holds classes of two births, it was
// divided, its classes are in others, or it has another bag.
func (c *bucketChange) report(release int, f *faults) {
	now, ok := c.pairs()
	if !ok {
		return // reported as other classes
	}
	b := c.now.shared
	to, from := newPartners(len(c.bags)), newPartners(b.m)
	births := newPartners(b.m)
	for i, x := range c.old {
		to.meet(x.bucket, now[i].bucket)
		from.meet(now[i].bucket, x.bucket)
		births.meet(now[i].bucket, x.part)
	}
	var crossing, refined, regrouped, changed int
	for i, news := range to {
		switch {
		case slices.ContainsFunc(news, func(n int) bool { return len(births[n]) > 1 }):
			crossing++
		case len(news) > 1 && !slices.ContainsFunc(news, func(n int) bool { return len(from[n]) > 1 }):
			refined++
		case len(news) != 1 || len(from[news[0]]) > 1:
			regrouped++
		case b.bags()[news[0]] != c.bags[i]:
			changed++
		}
	}
	add := func(rule, kind, detail string, n int) { f.addN(rule, kind, release, 0, c.s.sa.name, detail, n) }
	add("B", kindBucketCrossesBirth, "a bucket that held classes of one birth holds classes of several", crossing)
	add("B", kindBucketRefined, "a bucket was divided after it was published", refined)
	add("B", kindBucketRegrouped, "classes are in other buckets than when they were published", regrouped)
	add("A", kindBucketChanged, "a bucket with the same rows holds other values than before", changed)
}

// partners lists, by bucket, what it was met with, each once.
type partners [][]int

func newPartners(n int) partners { return make(partners, n) }

func (p partners) meet(bucket, other int) {
	if !slices.Contains(p[bucket], other) {
		p[bucket] = append(p[bucket], other)
	}
}
