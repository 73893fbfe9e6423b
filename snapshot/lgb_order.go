package snapshot

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"slices"
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
	of    []int32 // by record: its class
}

// node is a class or a bucket.
type node struct {
	members []Record
	kind    int    // -1: a class; else the attribute that it is a bucket of
	at      int    // its place in t.classes or in the attribute's buckets
	colour  uint32 // among the nodes of its kind
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
	for _, nodes := range append([][]*node{c.class}, c.local...) {
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
	for i, x := range c.t.classes {
		c.class = append(c.class, &node{members: x.members, kind: -1, at: i})
		for _, m := range x.members {
			c.of[m] = int32(i)
		}
	}
	colour(c.class, func(a, b *node) int { return c.t.compareContent(c.t.classes[a.at], c.t.classes[b.at]) })
	for j, l := range c.t.local {
		nodes := make([]*node, len(l.buckets))
		for i, b := range l.buckets {
			nodes[i] = &node{members: b.members, kind: j, at: i}
		}
		colour(nodes, func(a, b *node) int { return slices.Compare(l.buckets[a.at].bag, l.buckets[b.at].bag) })
		c.local = append(c.local, nodes)
	}
}

// colour gives equal nodes a colour, in ascending order. The slice keeps its order.
func colour(nodes []*node, compare func(a, b *node) int) {
	sorted := slices.Clone(nodes)
	slices.SortFunc(sorted, compare)
	next := uint32(0)
	fresh := make([]uint32, len(sorted))
	for i := range sorted {
		if i > 0 && compare(sorted[i-1], sorted[i]) != 0 {
			next++
		}
		fresh[i] = next
	}
	for i, n := range sorted {
		n.colour = fresh[i]
		n.alone = (i == 0 || fresh[i-1] != fresh[i]) && (i == len(sorted)-1 || fresh[i+1] != fresh[i])
	}
}

// colours counts them; it grows as long as nodes are told apart.
func (c *colouring) colours() (n int) {
	for _, nodes := range append([][]*node{c.class}, c.local...) {
		var most uint32
		for _, x := range nodes {
			most = max(most, x.colour)
		}
		n += int(most)
	}
	return n
}

// refine colours the nodes that are alike by the rows in them.
func (c *colouring) refine() {
	all := append([][]*node{c.class}, c.local...)
	for _, nodes := range all {
		for _, x := range nodes {
			if !x.alone {
				x.key = c.rowsOf(x)
			}
		}
	}
	for _, nodes := range all {
		colour(nodes, func(a, b *node) int {
			return cmp.Or(cmp.Compare(a.colour, b.colour), slices.Compare(a.key, b.key))
		})
	}
}

// rowsOf lists the rows in a node, each by the colours of its class and buckets.
func (c *colouring) rowsOf(x *node) []uint32 {
	s := &scratch{}
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
	return c.t.sortRows(s, nil, 1+len(c.t.local))
}

// walk meets the nodes, each part of the graph from its first class that is
// not met yet, breadth first.
func (c *colouring) walk() {
	starts := slices.Clone(c.class)
	c.draw(starts)
	slices.SortFunc(starts, before)
	next := uint32(1)
	meet := func(queue []*node, x *node) []*node {
		if x.visit == 0 {
			x.visit = next
			next++
			queue = append(queue, x)
		}
		return queue
	}
	for _, s := range starts {
		for queue := meet(nil, s); len(queue) > 0; queue = queue[1:] {
			for _, y := range c.around(queue[0]) {
				queue = meet(queue, y)
			}
		}
	}
}

// around lists the nodes that share a record with one, those met first, then by
// colour, classes before buckets.
func (c *colouring) around(x *node) []*node {
	var out []*node
	for _, m := range x.members {
		out = append(out, c.class[c.of[m]])
		for j, l := range c.t.local {
			if b := l.of[m]; b >= 0 {
				out = append(out, c.local[j][b])
			}
		}
	}
	c.draw(out)
	slices.SortFunc(out, before)
	return slices.Compact(out)
}

// draw gives each of the nodes that are alike a random number. The key names a node by its
// smallest record, so that a retry gives the same.
func (c *colouring) draw(nodes []*node) {
	for _, x := range nodes {
		if x.alone || x.drawn != 0 {
			continue
		}
		if c.keep {
			x.drawn = uint64(x.at) + 1
			continue
		}
		mac := hmac.New(sha256.New, c.seed[:])
		text := binary.BigEndian.AppendUint64([]byte("anond lgb 1\x00"), uint64(x.kind+1))
		mac.Write(binary.BigEndian.AppendUint64(text, uint64(c.t.least(x.members))))
		x.drawn = binary.BigEndian.Uint64(mac.Sum(nil)) | 1
	}
}

// before orders the nodes that a walk may go to.
func before(a, b *node) int {
	met := func(x *node) uint32 { return x.visit - 1 } // not met: the greatest
	return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.colour, b.colour), cmp.Compare(met(a), met(b)), cmp.Compare(a.drawn, b.drawn))
}

// number puts classes and buckets into the order that was found.
func (c *colouring) number() {
	final := func(nodes []*node) []*node {
		sorted := slices.Clone(nodes)
		slices.SortFunc(sorted, func(a, b *node) int { return cmp.Or(cmp.Compare(a.colour, b.colour), cmp.Compare(a.visit, b.visit)) })
		return sorted
	}
	classes := make([]*class, len(c.class))
	for i, x := range final(c.class) {
		classes[i] = c.t.classes[x.at]
	}
	c.t.classes = classes
	for j, l := range c.t.local {
		buckets := make([]*bucket, len(l.buckets))
		for i, x := range final(c.local[j]) {
			buckets[i] = l.buckets[x.at]
			for _, m := range x.members {
				l.of[m] = int32(i)
			}
		}
		l.buckets = buckets
	}
}
