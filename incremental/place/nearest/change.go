package nearest

import "slices"

// Add takes in boxes under numbers that are not in use. Box i reaches from
// boxes[2di : 2di+d] to boxes[2di+d : 2di+2d], both included.
func (x *Index) Add(numbers []int32, boxes []int64) {
	for _, id := range numbers {
		for int(id) >= len(x.home) {
			x.home = append(x.home, -1)
		}
	}
	for i := 0; i < len(boxes); i += 2 * x.d {
		x.reach(boxes[i:i+x.d], boxes[i+x.d:i+2*x.d])
	}
	w := x.words()
	packed := make([]uint64, 2*w*len(numbers))
	for i := range 2 * len(numbers) {
		x.lay.pack(boxes[i*x.d:i*x.d+x.d], packed[i*w:i*w+w])
	}
	if len(numbers) > x.boxes/2 {
		x.rebuild(numbers, packed)
		return
	}
	for i, id := range numbers {
		x.insert(id, packed[2*i*w:2*i*w+2*w])
	}
}

// reach makes coordinates from lo to hi fit the lanes.
func (x *Index) reach(lo, hi []int64) {
	within := true
	for j := range lo {
		if !x.seen {
			x.lo[j], x.hi[j] = lo[j], hi[j]
		}
		x.lo[j], x.hi[j] = min(x.lo[j], lo[j]), max(x.hi[j], hi[j])
		within = within && x.lay.lanes[j].holds(x.lo[j], x.hi[j])
	}
	x.seen = true
	if !within {
		x.relay()
	}
}

// relay packs all boxes anew. Their order stays, so the tree is as good as before.
func (x *Index) relay() {
	old, bounds, words := x.lay, x.bounds, x.words()
	x.lay = newLayout(x.roomy())
	x.Rescale(x.scale)
	w := x.words()
	x.bounds, x.cored = make([]uint64, 2*len(x.nodes)*fan*w), make([]uint64, 2*x.cores*fan*w)
	at := make([]int64, x.d)
	for n := range x.nodes {
		if !x.nodes[n].leaf {
			continue
		}
		for e := 2 * n * fan; e < 2*(n*fan+int(x.nodes[n].n)); e++ { // both ends of each entry
			old.unpack(bounds[e*words:(e+1)*words], at)
			x.lay.pack(at, x.bounds[e*w:(e+1)*w])
		}
	}
	x.cover(x.root)
}

// roomy returns the coordinates that lanes are made for: where one had too few bits, twice
// the range, so that this happens again only after the range has doubled.
func (x *Index) roomy() (lo, hi []int64) {
	lo, hi = slices.Clone(x.lo), slices.Clone(x.hi)
	for j := range lo {
		if !x.lay.lanes[j].holds(lo[j], hi[j]) {
			lo[j], hi[j] = lo[j]-(hi[j]-lo[j])/2, hi[j]+(hi[j]-lo[j])/2
		}
	}
	return lo, hi
}

// cover tightens all entries below a node.
func (x *Index) cover(n int32) {
	if x.nodes[n].leaf {
		return
	}
	for i := range x.nodes[n].n {
		x.cover(x.ref[int(n)*fan+int(i)])
		x.tighten(n, i)
	}
}

// insert puts a box into the leaf whose centres are nearest, and makes its ancestors
// cover it.
func (x *Index) insert(id int32, box []uint64) {
	centre := x.centre
	double(box, centre)
	n := x.root
	for {
		for !x.nodes[n].leaf {
			n = x.ref[int(n)*fan+int(x.toward(n, centre))]
		}
		if x.nodes[n].n < fan {
			break
		}
		x.split(n)
		n = x.nodes[n].parent
	}
	x.append(n, box, id, id)
	x.home[id] = n
	x.boxes++
	for p := x.nodes[n].parent; p >= 0; n, p = p, x.nodes[p].parent {
		place := x.place(n)
		x.lay.extend(x.box(p, place), box)
		x.lay.extend(x.core(p, place), centre)
		e := int(p)*fan + int(place)
		x.least[e] = min(x.least[e], id)
	}
}

// toward returns the entry of an inner node whose centres are nearest.
func (x *Index) toward(n int32, centre []uint64) (best int32) {
	dist := uint64(far)
	for i := range x.nodes[n].n {
		if d := x.metric.apart(x.core(n, i), centre, dist); d < dist {
			best, dist = i, d
		}
	}
	return best
}

// Remove takes a box out.
func (x *Index) Remove(id int32) {
	n := x.home[id]
	x.home[id] = -1
	x.boxes--
	i := int32(slices.Index(x.ref[int(n)*fan:int(n)*fan+int(x.nodes[n].n)], id))
	x.drop(n, i)
	for p := x.nodes[n].parent; p >= 0; n, p = p, x.nodes[p].parent {
		if place := x.place(n); x.nodes[n].n == 0 {
			x.drop(p, place)
			x.free = append(x.free, n)
		} else {
			x.tighten(p, place)
		}
	}
	if x.boxes == 0 {
		x.reset()
	}
}

// drop takes an entry out of a node; the last one takes its place.
func (x *Index) drop(n, i int32) {
	x.nodes[n].n--
	last := x.nodes[n].n
	if i == last {
		return
	}
	x.move(n, last, n, i)
}

// move copies an entry over another one.
func (x *Index) move(n, i, to, at int32) {
	copy(x.box(to, at), x.box(n, i))
	from, into := int(n)*fan+int(i), int(to)*fan+int(at)
	x.ref[into], x.least[into] = x.ref[from], x.least[from]
	if x.nodes[n].leaf {
		x.home[x.ref[into]] = to
		return
	}
	x.nodes[x.ref[into]].parent = to
	copy(x.core(to, at), x.core(n, i))
}
