package audit

import "maps"

// figures are what the manifest claims of all classes that are alive, in a form
// to which classes can be added and from which they can be taken away.
type figures struct {
	records, classes int
	buckets          int   // of the sensitive attribute; none ever goes
	hist             []int // occurrences of each sensitive value
	sizes            map[uint32]int
	shares           map[topOf]int
	mixed            int  // classes that are not flat
	own              bool // every class has a bag of its own
	bucketTop        float64
}

// topOf is the most frequent value's count in a class of some size.
type topOf struct{ top, size uint32 }

// fact is what the carry holds of one class.
type fact struct {
	size, top, flat uint32
	support         uint32 // of a flat class: its value set, as held.sets numbers them
}

func newFigures() *figures {
	return &figures{sizes: map[uint32]int{}, shares: map[topOf]int{}, own: true}
}

// clone is linear in the number of values and of different sizes.
func (x *figures) clone() *figures {
	c := *x
	c.hist = append([]int{}, x.hist...)
	c.sizes, c.shares = maps.Clone(x.sizes), maps.Clone(x.shares)
	return &c
}

// add counts the classes of a table.
func (x *figures) add(t *table, s *schema) {
	for c := range t.m {
		x.class(fact{size: uint32(t.size(c)), top: t.top[c], flat: t.flat[c]}, 1)
	}
	x.hist = sum(x.hist, t.histogram(len(s.sa.text)))
	x.own = x.own && t.ownBags()
	x.buckets += t.buckets()
	if t.shared != nil {
		x.bucketTop = max(x.bucketTop, t.shared.mostShare())
	}
}

// remove takes away a flat class with the given values.
func (x *figures) remove(c fact, values []uint32) {
	x.class(c, -1)
	for _, v := range values {
		x.hist[v] -= int(c.flat)
	}
}

func (x *figures) class(c fact, n int) {
	x.classes += n
	x.records += n * int(c.size)
	change(x.sizes, c.size, n)
	change(x.shares, topOf{c.top, c.size}, n)
	if c.flat == 0 {
		x.mixed += n
	}
}

func change[K comparable](m map[K]int, k K, n int) {
	if m[k] += n; m[k] == 0 {
		delete(m, k)
	}
}

func sum(x, y []int) []int {
	x = fit(x, max(len(x), len(y)))
	for i, n := range y {
		x[i] += n
	}
	return x
}

// kMin is the size of the smallest class.
func (x *figures) kMin() int {
	least := uint32(0)
	for size := range x.sizes {
		if least == 0 || size < least {
			least = size
		}
	}
	return int(least)
}

// frequency is the largest share of one value in a class, or where classes have no
// bags of their own in a bucket.
func (x *figures) frequency() float64 {
	if !x.own {
		return x.bucketTop
	}
	top := 0.0
	for s := range x.shares {
		top = max(top, float64(s.top)/float64(s.size))
	}
	return top
}

// check compares the counts and the loss that the manifest states with those computed from the files.
func (x *figures) check(man *Manifest, f *faults) {
	checkNumbers(man, x.records, x.classes, x.buckets, x.kMin(), x.frequency(), f)
}

// certificate is what a release may call itself; moved tells that some record's
// class changed since its birth.
func (x *figures) certificate(moved bool) string {
	switch {
	case !moved:
		return "frozen"
	case x.mixed == 0:
		return "pure"
	}
	return "frozen+pure"
}
