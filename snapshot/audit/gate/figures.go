package gate

import "maps"
import (
	"anond/snapshot/audit/chain"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/table"
)

// figures are what the manifest claims of all classes that are alive, in a form
// to which classes can be added and from which they can be taken away.
type figures struct {
	Records, Classes int
	buckets          int   // of the sensitive attribute; none ever goes
	Hist             []int // occurrences of each sensitive value
	Sizes            map[uint32]int
	Shares           map[topOf]int
	Mixed            int  // classes that are not flat
	own              bool // every class has a bag of its own
	bucketTop        float64
	reach            table.Reach // level L2
}

// topOf is the most frequent value's count in a class of some size.
type topOf struct{ top, size uint32 }

// Fact is what the carry holds of one class.
type Fact struct {
	Size, Top, Flat uint32
	Support         uint32 // of a flat class: its value set, as held.sets numbers them
}

func newFigures() *figures {
	return &figures{Sizes: map[uint32]int{}, Shares: map[topOf]int{}, own: true}
}

// clone is linear in the number of values and of different sizes.
func (x *figures) clone() *figures {
	c := *x
	c.Hist = append([]int{}, x.Hist...)
	c.Sizes, c.Shares = maps.Clone(x.Sizes), maps.Clone(x.Shares)
	return &c
}

// add counts the classes of a table.
func (x *figures) add(t *table.Table, man *format.Manifest, s *format.Schema) {
	for c := range t.M {
		x.class(Fact{Size: uint32(t.Size(c)), Top: t.Top[c], Flat: t.Flat[c]}, 1)
	}
	x.Hist = sum(x.Hist, t.Histogram(len(s.Sa.Text)))
	x.own = x.own && t.OwnBags()
	x.buckets += t.Buckets()
	if t.Shared != nil {
		x.bucketTop, x.reach = max(x.bucketTop, t.Shared.MostShare()), x.reach.Worse(table.Judge(man, s, t.Shared, nil))
	}
}

// join adds other figures of level L2.
func (x *figures) join(o *figures) {
	x.Records, x.Classes, x.buckets, x.Mixed = x.Records+o.Records, x.Classes+o.Classes, x.buckets+o.buckets, x.Mixed+o.Mixed
	x.Hist, x.own = sum(x.Hist, o.Hist), x.own && o.own
	for size, n := range o.Sizes {
		change(x.Sizes, size, n)
	}
	for top, n := range o.Shares {
		change(x.Shares, top, n)
	}
	x.bucketTop, x.reach = max(x.bucketTop, o.bucketTop), x.reach.Worse(o.reach)
}

// remove takes away a flat class with the given values.
func (x *figures) remove(c Fact, values []uint32) {
	x.class(c, -1)
	for _, v := range values {
		x.Hist[v] -= int(c.Flat)
	}
}

func (x *figures) class(c Fact, n int) {
	x.Classes += n
	x.Records += n * int(c.Size)
	change(x.Sizes, c.Size, n)
	change(x.Shares, topOf{c.Top, c.Size}, n)
	if c.Flat == 0 {
		x.Mixed += n
	}
}

func change[K comparable](m map[K]int, k K, n int) {
	if m[k] += n; m[k] == 0 {
		delete(m, k)
	}
}

func sum(x, y []int) []int {
	x = format.Fit(x, max(len(x), len(y)))
	for i, n := range y {
		x[i] += n
	}
	return x
}

// kMin is the size of the smallest class.
func (x *figures) kMin() int {
	least := uint32(0)
	for size := range x.Sizes {
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
	for s := range x.Shares {
		top = max(top, float64(s.top)/float64(s.size))
	}
	return top
}

// check compares the counts and the loss that the manifest states with those computed from the files.
func (x *figures) check(man *format.Manifest, f *format.Faults) {
	chain.CheckNumbers(man, x.Records, x.Classes, x.buckets, x.kMin(), x.frequency(), x.reach, f)
}

// certificate is what a release may call itself; moved tells that some record's
// class changed since its birth.
func (x *figures) certificate(moved bool) string {
	switch {
	case !moved:
		return "frozen"
	case x.Mixed == 0:
		return "pure"
	}
	return "frozen+pure"
}
