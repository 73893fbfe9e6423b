package snapshot

import (
	"cmp"
	"slices"
	"sync"
)

// colouring is how the numbers of classes and buckets of lgb are found. Classes
// and buckets are the nodes of a graph whose edges are the records, and what is
// asked for is an order of the nodes that depends on the graph as it is
// published, not on ids. Nodes are coloured by their content; then, as long as
// that tells more of them apart, by their colour and those of the rows in them
// (colour refinement). Nodes that are still alike are taken in the order in
// which a walk from the first of them meets them, so that parts of the graph that
// are copies of each other are numbered alike; where the walk has a choice
// between equals, random draws decide.
//
// Guarantee: where the colours tell all nodes apart, or only copies are alike,
// the files are a function of content. Else they are one of content and random
// draws, uniform over what cannot be told apart but for the walk. Never of the
// order of records: draws are keyed with the seed (rules R, randomness, and F,
// forbidden).
// Cost: n a log n a round for n records and a bucketed attributes; two or three
// rounds as a rule.
type colouring struct {
	t     *table
	seed  [32]byte
	keep  bool    // no draws: see lgb.keep
	class []*node // in the order of t.classes
	local [][]*node
	of    []int32   // by record: its class
	order [][]*node // of each kind, classes first: by colour
}

// node is a class or a bucket.
type node struct {
	members []Record
	kind    int    // -1: a class; else the attribute that it is a bucket of
	at      int    // its place in t.classes or in the attribute's buckets
	colour  uint32 // among the nodes of its kind
	fresh   uint32 // the next one
	alone   bool   // no other node has the colour
	key     []uint32
	drawn   uint64
	visit   uint32 // when the walk met it; 0: not yet
}

// order puts classes and buckets in canonical order.
func (r *lgb) order(t *table) {
	c := &colouring{t: t, seed: r.seed, keep: r.keep}
	c.start()
	for n := -1; n != c.colours() && !c.told(); {
		n = c.colours()
		c.refine()
	}
	if !c.told() {
		c.walk()
	}
	c.number()
}

// told reports that the colours tell all nodes apart.
func (c *colouring) told() bool {
	for _, nodes := range c.order {
		for _, x := range nodes {
			if !x.alone {
				return false
			}
		}
	}
	return true
}

// start colours by content: classes by box, then the bag of sensitive values
// where that is public; buckets by their bag.
func (c *colouring) start() {
	c.of = c.t.byRecord(len(c.t.local[0].of))
	compare := make([]func(a, b *node) int, 1+len(c.t.local))
	nodes := make([]node, len(c.t.classes))
	for i, x := range c.t.classes {
		nodes[i] = node{members: x.members, kind: -1, at: i}
		c.class = append(c.class, &nodes[i])
		for _, m := range x.members {
			c.of[m] = int32(i)
		}
	}
	compare[0] = func(a, b *node) int { return c.t.compareContent(c.t.classes[a.at], c.t.classes[b.at]) }
	c.order = append(c.order, slices.Clone(c.class))
	for j, l := range c.t.local {
		nodes, list := make([]node, len(l.buckets)), make([]*node, len(l.buckets))
		for i, b := range l.buckets {
			nodes[i] = node{members: b.members, kind: j, at: i}
			list[i] = &nodes[i]
		}
		compare[1+j] = func(a, b *node) int { return slices.Compare(l.buckets[a.at].bag, l.buckets[b.at].bag) }
		c.local = append(c.local, list)
		c.order = append(c.order, slices.Clone(list))
	}
	c.colour(func(kind int) func(a, b *node) int { return compare[kind] })
}

// colour tells apart nodes of one colour that compare differently, kinds side by
// side. Nodes are numbered by colour in ascending order, equal ones alike.
func (c *colouring) colour(by func(kind int) func(a, b *node) int) {
	var wg sync.WaitGroup
	for kind, nodes := range c.order {
		wg.Go(func() {
			next, compare := uint32(0), by(kind)
			for group := range alike(nodes) {
				slices.SortFunc(group, compare)
				from := 0
				for i := 1; i <= len(group); i++ {
					if i < len(group) && compare(group[i-1], group[i]) == 0 {
						continue
					}
					for _, x := range group[from:i] {
						x.fresh, x.alone = next, i == from+1
					}
					next++
					from = i
				}
			}
			for _, x := range nodes {
				x.colour = x.fresh
			}
		})
	}
	wg.Wait()
}

// alike yields the groups of nodes of one colour, of nodes in order of it.
func alike(nodes []*node) func(yield func([]*node) bool) {
	return func(yield func([]*node) bool) {
		for from := 0; from < len(nodes); {
			to := from + 1
			for to < len(nodes) && nodes[to].colour == nodes[from].colour {
				to++
			}
			if !yield(nodes[from:to]) {
				return
			}
			from = to
		}
	}
}

// colours counts them; it grows as long as nodes are told apart.
func (c *colouring) colours() (n int) {
	for _, nodes := range c.order {
		if len(nodes) > 0 {
			n += int(nodes[len(nodes)-1].colour)
		}
	}
	return n
}

// refine colours the nodes that are alike by the rows in them.
func (c *colouring) refine() {
	for _, nodes := range c.order {
		c.t.each(len(nodes), func(_, from, to int) {
			var s scratch
			for _, x := range nodes[from:to] {
				if !x.alone {
					x.key = c.rowsOf(&s, x)
				}
			}
		})
	}
	c.colour(func(int) func(a, b *node) int {
		return func(a, b *node) int { return slices.Compare(a.key, b.key) }
	})
}

// rowsOf lists the rows in a node, each by the colours of its class and buckets.
func (c *colouring) rowsOf(s *scratch, x *node) []uint32 {
	s.ranks = s.ranks[:0]
	for _, m := range x.members {
		s.ranks = append(s.ranks, c.class[c.of[m]].colour)
		for j, l := range c.t.local {
			if b := l.of[m]; b >= 0 {
				s.ranks = append(s.ranks, c.local[j][b].colour+1)
			} else {
				s.ranks = append(s.ranks, 0)
			}
		}
	}
	return c.t.sortRows(s, x.key[:0], 1+len(c.t.local))
}

// number puts classes and buckets into the order that was found.
func (c *colouring) number() {
	for _, nodes := range c.order {
		for group := range alike(nodes) {
			slices.SortFunc(group, func(a, b *node) int { return cmp.Compare(a.visit, b.visit) })
		}
	}
	classes := make([]*class, len(c.class))
	for i, x := range c.order[0] {
		classes[i] = c.t.classes[x.at]
	}
	c.t.classes = classes
	for j, l := range c.t.local {
		buckets := make([]*bucket, len(l.buckets))
		for i, x := range c.order[1+j] {
			buckets[i] = l.buckets[x.at]
			for _, m := range x.members {
				l.of[m] = int32(i)
			}
		}
		l.buckets = buckets
	}
}
