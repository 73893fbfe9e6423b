package snapshot

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

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
