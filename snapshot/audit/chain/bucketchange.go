package chain

import (
	"slices"

	"anond/snapshot/audit/format"
	"anond/snapshot/audit/table"
)

// BucketChange pairs the classes that stood in some parts with those of the part
// that came of them, and says what became of their buckets.
type BucketChange struct {
	S    *format.Schema
	Now  *table.Table
	old  []placedClass
	bags []uint32 // by old bucket
}

// placedClass is a class and its bucket.
type placedClass struct {
	t             *table.Table
	class, bucket int
	part          int // of the old ones: where it was
}

func placedAt(t *table.Table, c, bucketsBefore, part int) placedClass {
	return placedClass{t, c, bucketsBefore + int(t.Shared.Rows(t, c)[0]) - 1, part}
}

// Add takes the classes of one of the old parts, in order.
func (c *BucketChange) Add(t *table.Table, part int) {
	for i := range t.M {
		c.old = append(c.old, placedAt(t, i, len(c.bags), part))
	}
	c.bags = append(c.bags, t.Shared.Bags()...)
}

// pairs gives the new class of each old one; false: they are not the same classes.
func (c *BucketChange) pairs() (now []placedClass, ok bool) {
	for i := range c.Now.M {
		now = append(now, placedAt(c.Now, i, 0, 0))
	}
	return now, slices.EqualFunc(c.old, now, func(x, y placedClass) bool {
		a, b := x.t, y.t
		return slices.Equal(a.Cells(x.class), b.Cells(y.class)) && (!a.Exact() || slices.Equal(a.RowsQI(x.class), b.RowsQI(y.class)))
	})
}

// Report names what happened to each bucket: it holds classes of two births, it was
// divided, its classes are in others, or it has another bag.
func (c *BucketChange) Report(release int, f *format.Faults) {
	now, ok := c.pairs()
	if !ok {
		return // reported as other classes
	}
	b := c.Now.Shared
	to, from := newPartners(len(c.bags)), newPartners(b.M)
	births := newPartners(b.M)
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
		case b.Bags()[news[0]] != c.bags[i]:
			changed++
		}
	}
	add := func(rule, kind, detail string, n int) { f.AddN(rule, kind, release, 0, c.S.Sa.Name, detail, n) }
	add("B", format.KindBucketCrossesBirth, "a bucket that held classes of one birth holds classes of several", crossing)
	add("B", format.KindBucketRefined, "a bucket was divided after it was published", refined)
	add("B", format.KindBucketRegrouped, "classes are in other buckets than when they were published", regrouped)
	add("A", format.KindBucketChanged, "a bucket with the same rows holds other values than before", changed)
}

// partners lists, by bucket, what it was met with, each once.
type partners [][]int

func newPartners(n int) partners { return make(partners, n) }

func (p partners) meet(bucket, other int) {
	if !slices.Contains(p[bucket], other) {
		p[bucket] = append(p[bucket], other)
	}
}
