package incremental

import "anond/equivclass"

// positionLeaves and neighbourLeaves bound the searches.
const (
	positionLeaves  = 24
	neighbourLeaves = 24
)

// reached is a node that a search may go on with.
type reached struct {
	node int32
	dist float32
}

// position returns the slot whose box contains the point, else the nearest
// box; -1 if there is none. Of several, the first met by the walk.
func (x *index) position(at []float32) int32 {
	w := walk{x: x, at: at, leaves: positionLeaves, best: -1, dist: inf}
	if len(x.nodes) > 0 {
		w.node(0)
	}
	return w.best
}

// walk is a depth-first search for the box nearest to a point, nearer child first.
type walk struct {
	x      *index
	at     []float32
	leaves int // that may still be visited
	best   int32
	dist   float32
}

func (w *walk) node(n int32) {
	x := w.x
	node := &x.nodes[n]
	if node.left == 0 {
		w.leaves--
		for i := node.from; i < node.to; i++ {
			if d := x.apart(x.leafy, i, w.at, w.dist); d < w.dist {
				w.best, w.dist = x.order[i], d
			}
		}
		return
	}
	near, far := node.left, node.left+1
	dn, df := x.apart(x.bound, near, w.at, w.dist), x.apart(x.bound, far, w.at, w.dist)
	if df < dn {
		near, far, dn, df = far, near, df, dn
	}
	if dn < w.dist {
		w.node(near)
	}
	if w.leaves > 0 && df < w.dist {
		w.node(far)
	}
}

// apart is the squared distance of a point to the i-th box, or some number of at
// least limit if it is that far. Most boxes are given up after a dimension or two.
func (x *index) apart(boxes []float32, i int32, at []float32, limit float32) float32 {
	d := x.d
	box := boxes[2*d*int(i) : 2*d*int(i)+2*d]
	lo, hi := box[:d], box[d:]
	sum := float32(0)
	for j, v := range at {
		gap := lo[j] - v
		if gap < 0 {
			gap = v - hi[j]
		}
		if gap > 0 {
			if sum += float32(gap * gap); sum >= limit {
				return sum
			}
		}
	}
	return sum
}

// neighbours returns up to n slots whose boxes have the nearest centres,
// nearest first, appended to out. It goes on with the node whose centres are
// nearest, wherever in the tree that is: at 8,000 classes in 7 dimensions the
// same number of leaves gives 98 % of the 32 nearest, a depth-first walk 40 %.
func (x *index) neighbours(at []float32, n int, out []int32) []int32 {
	x.near, x.queue = x.near[:0], x.queue[:0]
	if len(x.nodes) > 0 {
		x.push(0, at)
	}
	from := len(out)
	for leaves := 0; len(x.queue) > 0 && leaves < neighbourLeaves; {
		next := x.pop()
		if len(x.near) == n && next.dist >= x.near[n-1] {
			break
		}
		node := x.nodes[next.node]
		if node.left != 0 {
			x.push(node.left, at)
			x.push(node.left+1, at)
			continue
		}
		leaves++
		for i := node.from; i < node.to; i++ {
			out = x.enter(x.order[i], centreDistance(boxAt(x.leafy, x.d, i), at), n, from, out)
		}
	}
	return out
}

// enter puts a slot among the n nearest so far, if it belongs there.
func (x *index) enter(slot int32, dist float32, n, from int, out []int32) []int32 {
	switch {
	case len(x.near) < n:
		x.near, out = append(x.near, 0), append(out, 0)
	case n == 0 || dist >= x.near[n-1]:
		return out
	}
	i := len(x.near) - 1
	for ; i > 0 && x.near[i-1] > dist; i-- {
		x.near[i], out[from+i] = x.near[i-1], out[from+i-1]
	}
	x.near[i], out[from+i] = dist, slot
	return out
}

// push puts a node into the queue, a binary heap: nearest first, of equals the
// one with the smaller number.
func (x *index) push(n int32, at []float32) {
	x.queue = append(x.queue, reached{n, boxAt(x.core, x.d, n).Distance2(at)})
	for i := len(x.queue) - 1; i > 0; {
		up := (i - 1) / 2
		if !x.queue[i].before(x.queue[up]) {
			return
		}
		x.queue[i], x.queue[up] = x.queue[up], x.queue[i]
		i = up
	}
}

func (x *index) pop() reached {
	top, last := x.queue[0], len(x.queue)-1
	x.queue[0] = x.queue[last]
	x.queue = x.queue[:last]
	for i := 0; ; {
		down := 2*i + 1
		if down >= last {
			return top
		}
		if down+1 < last && x.queue[down+1].before(x.queue[down]) {
			down++
		}
		if !x.queue[down].before(x.queue[i]) {
			return top
		}
		x.queue[i], x.queue[down] = x.queue[down], x.queue[i]
		i = down
	}
}

func (a reached) before(b reached) bool {
	return a.dist < b.dist || a.dist == b.dist && a.node < b.node
}

const inf = float32(3.4e38)

// centreDistance is the squared distance of a point to the centre of a box.
func centreDistance(b equivclass.Box, at []float32) float32 {
	sum := float32(0)
	for j, v := range at {
		q := v - (b.Lo[j]+b.Hi[j])/2
		sum += float32(q * q)
	}
	return sum
}
