package nearest

import "math"

// walk is a search for the box nearest to a point. Most points lie in a box, and whether a
// box holds a point takes less time than how far it is. So a search looks for a box that
// holds the point first, and for the nearest one if there is none.
type walk struct {
	x     *Index
	at    []uint64
	best  int32
	dist  uint64
	entry int // of the best
}

// find searches from the root. What the search before found is the first guess.
func (s *walk) find() {
	x, w := s.x, 2*s.x.words()
	guess, number := uint64(far), int32(math.MaxInt32)
	if s.best >= 0 {
		guess, number = x.metric.apart(x.bounds[s.entry*w:s.entry*w+w], s.at, far), s.best
	}
	s.best, s.dist = math.MaxInt32, 0
	if guess == 0 {
		s.best = number
	}
	if w == 2 {
		s.holdsWord(x.root, s.at[0], x.metric.guards[0], x.metric.counts[0])
	} else {
		s.holds(x.root)
	}
	if s.best == math.MaxInt32 {
		s.best, s.dist = number, guess
		s.visit(x.root)
	}
}

// holds looks below a node for the box with the smallest number that holds the point.
func (s *walk) holds(n int32) {
	x := s.x
	w, leaf := 2*x.words(), x.nodes[n].leaf
	for e := int(n) * fan; e < int(n)*fan+int(x.nodes[n].n); e++ {
		if x.least[e] > s.best || x.metric.apart(x.bounds[e*w:e*w+w], s.at, 0) > 0 {
			continue
		}
		if leaf {
			s.best, s.entry = x.ref[e], e
		} else {
			s.holds(x.ref[e])
		}
	}
}

// holdsWord is holds where all dimensions share a word.
func (s *walk) holdsWord(n int32, at, guards, counts uint64) {
	x := s.x
	from, count := int(n)*fan, int(x.nodes[n].n)
	least, ref := x.least[from:from+count], x.ref[from:from+count]
	box := x.bounds[2*from : 2*(from+count)]
	leaf := x.nodes[n].leaf
	for i, number := range least {
		if len(box) < 2*i+2 || ((at|guards)-box[2*i])&((box[2*i+1]|guards)-at)&counts != counts || number > s.best {
			continue
		}
		if leaf {
			s.best, s.entry = number, from+i
		} else {
			s.holdsWord(ref[i], at, guards, counts)
		}
	}
}

// reached is a child that a search may go on with.
type reached struct {
	dist        uint64
	least, node int32
}

// beyond reports whether nothing at that distance, under numbers from least on, can take
// the place of what is found.
func beyond(dist uint64, least int32, found uint64, number int32) bool {
	return dist > found || dist == found && least > number
}

// visit looks below a node for the nearest box, nearer children first.
func (s *walk) visit(n int32) {
	x := s.x
	w, from, count := 2*x.words(), int(n)*fan, int(x.nodes[n].n)
	var todo [fan]reached
	k := 0
	for e := from; e < from+count; e++ {
		d := x.metric.apart(x.bounds[e*w:e*w+w], s.at, s.dist)
		switch {
		case beyond(d, x.least[e], s.dist, s.best):
		case x.nodes[n].leaf:
			s.best, s.dist, s.entry = x.ref[e], d, e
		default:
			k = enqueue(&todo, k, reached{d, x.least[e], x.ref[e]})
		}
	}
	for _, r := range todo[:k] {
		if !beyond(r.dist, r.least, s.dist, s.best) {
			s.visit(r.node)
		}
	}
}

// enqueue puts a child among the first k, nearest first.
func enqueue(todo *[fan]reached, k int, r reached) int {
	i := k
	for ; i > 0 && beyond(todo[i-1].dist, todo[i-1].least, r.dist, r.least); i-- {
		todo[i] = todo[i-1]
	}
	todo[i] = r
	return k + 1
}
