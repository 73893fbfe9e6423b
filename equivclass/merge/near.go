package merge

// Near parts are those that would make a good pair: at a small distance, without much
// above the caps.
const nearMost = 32

// nearest lists for each part its near parts, best first, as many for each.
func (x *instance) nearest(run Run) (near []int32, most int) {
	m := len(x.parts)
	most = min(nearMost, m-1)
	near = make([]int32, m*most)
	spread := x.spread()
	own := make([][]uint64, max(1, min(run.Workers, m/partsEach))) // by goroutine: a row of products that are in no table
	for i := range own {
		own[i] = make([]uint64, x.counts.row)
	}
	each((m+partsEach-1)/partsEach, own, func(i int, own []uint64) {
		if i%(stopEach/partsEach) == 0 && run.Stop() {
			return
		}
		for p := i * partsEach; p < min(m, (i+1)*partsEach); p++ {
			x.listNear(p, spread, own, near[p*most:][:most])
		}
	})
	return near, most
}

// listNear lists the near parts of one part.
func (x *instance) listNear(p int, spread int64, own []uint64, near []int32) {
	row := x.counts
	if row.words = own; x.products.words != nil {
		row.words = x.products.words[p*row.row:][:row.row]
	} else {
		clear(own)
		x.productsOf(p, own)
	}
	best := shortlist{each: len(near)}
	for w, word := range row.words {
		first := w << row.shift
		for i, square := range x.square[first:min(len(x.parts), first+1<<row.shift)] {
			energy := square - 2*int64(word&row.mask)
			word >>= 1 << row.log
			if q := first + i; q != p && !best.full(energy) {
				best.offer(energy+spread*x.over(p, q)/x.size, int32(q))
			}
		}
	}
	copy(near, best.part[:])
}

// over is how many records two parts together have above the caps.
func (x *instance) over(p, q int) (out int64) {
	for _, v := range x.parts[p].hot {
		out += x.overAt(v, p, q)
	}
	for _, v := range x.parts[q].hot {
		if x.slackIn(x.caps[v], v, p) >= 0 {
			out += x.overAt(v, p, q)
		}
	}
	return out
}

func (x *instance) overAt(v int32, p, q int) int64 {
	c := x.caps[v]
	return max(0, -x.slackIn(c, v, p)-x.slackIn(c, v, q)) / c.den
}

// shortlist keeps the least offers; the first of equal ones.
type shortlist struct {
	energy  [nearMost]int64
	part    [nearMost]int32
	n, each int
}

// full reports whether an offer would not be kept.
func (b *shortlist) full(energy int64) bool { return b.n == b.each && energy >= b.energy[b.n-1] }

func (b *shortlist) offer(energy int64, part int32) {
	if b.full(energy) {
		return
	}
	at := min(b.n, b.each-1)
	for ; at > 0 && b.energy[at-1] > energy; at-- {
		b.energy[at], b.part[at] = b.energy[at-1], b.part[at-1]
	}
	b.energy[at], b.part[at] = energy, part
	b.n = min(b.n+1, b.each)
}
