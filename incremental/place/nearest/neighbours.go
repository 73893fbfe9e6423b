package nearest

import "math"

// found is a box and the square of the distance of its centre, in units of its own.
type found struct {
	Number int32
	dist   uint64
}

// Neighbours appends the n boxes whose centres are nearest to the centre of a box, nearest
// first, of equals the one with the smaller number. It must not run concurrently.
func (x *Index) Neighbours(of []int64, n int, found []found) []found {
	if x.boxes == 0 || n == 0 {
		return found
	}
	x.reach(of[:x.d], of[x.d:])
	w := x.words()
	box, s := make([]uint64, 2*w), around{x: x, at: make([]uint64, 2*w), centre: make([]uint64, 2*w), n: n, found: found, from: len(found)}
	x.lay.pack(of[:x.d], box[:w])
	x.lay.pack(of[x.d:], box[w:])
	double(box, s.at)
	s.visit(x.root)
	return s.found
}

// around is a search for the nearest centres. Centres are doubled: lanes have a bit for it.
type around struct {
	x      *Index
	at     []uint64
	centre []uint64 // scratch
	n      int
	found  []found
	from   int // what was found by this search begins there
}

// worst is what the next box has to be nearer than.
func (s *around) worst() (dist uint64, number int32) {
	if len(s.found)-s.from < s.n {
		return far, math.MaxInt32
	}
	last := s.found[len(s.found)-1]
	return last.dist, last.Number
}

// visit searches below a node.
func (s *around) visit(n int32) {
	x := s.x
	var todo [fan]reached
	k := 0
	for i := range x.nodes[n].n {
		core := s.centre
		if x.nodes[n].leaf {
			double(x.box(n, i), core)
		} else {
			core = x.core(n, i)
		}
		e := int(n)*fan + int(i)
		limit, number := s.worst()
		d := x.halves.apart(core, s.at, limit)
		switch {
		case beyond(d, x.least[e], limit, number):
		case x.nodes[n].leaf:
			s.enter(found{x.ref[e], d})
		default:
			k = enqueue(&todo, k, reached{d, x.least[e], x.ref[e]})
		}
	}
	for _, r := range todo[:k] {
		if limit, number := s.worst(); !beyond(r.dist, r.least, limit, number) {
			s.visit(r.node)
		}
	}
}

// enter puts a box among the n nearest.
func (s *around) enter(f found) {
	if len(s.found)-s.from < s.n {
		s.found = append(s.found, f)
	}
	i := len(s.found) - 1
	for ; i > s.from && (s.found[i-1].dist > f.dist || s.found[i-1].dist == f.dist && s.found[i-1].Number > f.Number); i-- {
		s.found[i] = s.found[i-1]
	}
	s.found[i] = f
}
