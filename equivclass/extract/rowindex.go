package extract

import "slices"

// rowIndex finds the rows of a bucket that are nearest to one of them, while classes are taken out.
//
// It is given coordinates alone and breaks ties by the order of the rows, which is that of their
// coordinates in Blind, so what it finds is a function of coordinates and arrival (rule B, buckets).
//
// A dimension is seven bits of a word, relative to the bucket: what a range of two rows loses is the
// difference of their bits, but for rounding, and what two categories lose is a weight. The rows stand
// in the order of a tree of cuts, in leaves of 16 and blocks of 16 leaves, each with the box of its
// rows, so most are left out by their boxes. Claim: none is left out that is nearer than the limit.
// Proof: in each dimension a row of the box has bits between those of the box, so its difference, and
// what two categories or a range of a hierarchy lose, is at least that of the nearest side of the box. QED
type rowIndex struct {
	fixed  *fixed
	others []otherBits
	parts  []packing
	rows   []int32
	place  []int32 // by row of the pool: where it is in rows
	count  []uint8 // rows in a leaf, the first of its 16 places
	live   int
	scale  uint64 // of losses, by 2^32
	hist   []int32
	list   []uint64 // scratch of nearest: the distance, and below it the place
	found  []int32
}

// otherBits is a dimension of kind other: its bits tell how far two rows stand apart, not what their range
// loses.
type otherBits struct {
	dim   int
	from  uint32
	exact bool // the bits are the leaf, less from
}

// packing is eight dimensions of the rows.
type packing struct {
	words          []uint64 // by place
	leaves, blocks []box
	ranged         uint64 // all bits of the dimensions of kind ranged
	weight         uint64 // listed: of a category more
}

// box has the smallest and the largest bits of some rows.
type box struct{ lo, hi uint64 }

const (
	indexLeaf  = 16
	indexBlock = 16 * indexLeaf
	farthest   = 1024 // above any distance in eight dimensions
)

// newRowIndex takes some rows; place is scratch space by row of the pool.
func newRowIndex(f *fixed, rows, place []int32) *rowIndex {
	x := &rowIndex{fixed: f, parts: make([]packing, len(f.rows)), rows: rows, place: place, live: len(rows)}
	x.hist = make([]int32, farthest*len(x.parts)+1)
	x.pack()
	x.sort(0, len(rows))
	x.chunk()
	return x
}

// pack computes the words.
func (x *rowIndex) pack() {
	f, most := x.fixed, uint32(1)
	from, wide := make([]uint32, len(f.dims)), make([]uint32, len(f.dims))
	for j := range f.dims {
		lo, hi := ^uint32(0), uint32(0)
		for _, r := range x.rows {
			v := f.rows[j/8][r][j%8]
			lo, hi = min(lo, v), max(hi, v)
		}
		if f.dims[j].kind == ranged && hi-lo > 2*unit {
			lo, hi = x.within(j, lo, hi)
		}
		from[j], wide[j] = lo, hi-lo
		switch dim := &f.dims[j]; {
		case dim.kind == ranged:
			most = max(most, hi-lo)
		case dim.kind == other:
			x.others = append(x.others, otherBits{j, lo, f.dims[j].table != nil && hi-lo < 128})
			most = max(most, unit)
		case lo != hi:
			most = max(most, dim.weight)
		}
	}
	x.scale = 127 << 32 / uint64(most)
	for b := range x.parts {
		p := &x.parts[b]
		p.words = make([]uint64, len(x.rows))
		for j := b * 8; j < min(len(f.dims), b*8+8); j++ {
			at, shift := j%8, uint(j%8*8)
			switch dim := &f.dims[j]; dim.kind {
			case ranged:
				p.ranged |= 127 << shift
				for i, r := range x.rows {
					v := max(from[j], min(from[j]+wide[j], f.rows[b][r][at]))
					p.words[i] |= uint64(v-from[j]) * x.scale >> 32 << shift
				}
			case listed:
				p.weight |= max(1, uint64(dim.weight)*x.scale>>32) << shift
				for i, r := range x.rows {
					p.words[i] |= uint64(f.rows[b][r][at]&63) << shift
				}
			default:
				for i, r := range x.rows {
					p.words[i] |= uint64(f.rows[b][r][at]-from[j]) * 127 / uint64(max(127, wide[j])) << shift
				}
			}
		}
	}
}

// within narrows the range of a dimension in which a few rows lie so far from the others that their
// bits would tell these no longer apart, as a placeholder does: to a loss of 1 on each side of the middle
// row. Farther rows have the bits of the ends.
func (x *rowIndex) within(j int, lo, hi uint32) (from, to uint32) {
	column := make([]uint32, len(x.rows))
	for i, r := range x.rows {
		column[i] = x.fixed.rows[j/8][r][j%8]
	}
	slices.Sort(column)
	middle := column[len(column)/2]
	return max(lo, middle-min(middle, unit)), min(hi, middle+unit)
}

// losses tells what a difference loses, dimension by dimension.
func (p *packing) losses(diff uint64) uint64 {
	differ := (diff + ^uint64(highBits)) & highBits
	return diff&p.ranged | (differ-differ>>7)&p.weight
}

// sort puts the rows of some places in the order of cuts: at the dimension that loses most, between two
// values near the middle.
func (x *rowIndex) sort(begin, end int) {
	if end-begin <= indexLeaf {
		return
	}
	var widest, loss uint64
	var part *packing
	var lane uint
	for b := range x.parts {
		p := &x.parts[b]
		of := boxOf(p.words[begin:end])
		wide := p.losses(of.hi - of.lo)
		for _, o := range x.others {
			if o.dim/8 == b {
				lane := o.dim % 8 * 8
				wide |= x.rangeLoss(&o, uint32(of.lo>>lane&127), uint32(of.hi>>lane&127)) << lane
			}
		}
		for shift := uint(0); shift < 64; shift += 8 {
			if loss = wide >> shift & 127; loss > widest {
				widest, part, lane = loss, p, shift
			}
		}
	}
	if widest == 0 {
		return
	}
	var counts [128]int
	for _, w := range part.words[begin:end] {
		counts[w>>lane&127]++
	}
	below, half, value := 0, (end-begin)/2, uint64(0)
	for ; below+counts[value] <= half; value++ {
		below += counts[value]
	}
	if above := below + counts[value]; below == 0 || above < end-begin && above-half < half-below {
		value++
	}
	i, j := begin, end
	for i < j {
		if part.words[i]>>lane&127 < value {
			i++
			continue
		}
		j--
		x.exchange(i, j)
	}
	x.sort(begin, i)
	x.sort(i, end)
}

func (x *rowIndex) exchange(i, j int) {
	x.rows[i], x.rows[j] = x.rows[j], x.rows[i]
	for b := range x.parts {
		w := x.parts[b].words
		w[i], w[j] = w[j], w[i]
	}
}

func boxOf(words []uint64) box {
	of := box{words[0], words[0]}
	for _, w := range words[1:] {
		of = of.and(box{w, w})
	}
	return of
}

func (b box) and(o box) box {
	return box{b.lo - above(b.lo, o.lo), b.hi + above(o.hi, b.hi)}
}

// chunk closes the gaps and forms leaves and blocks anew.
func (x *rowIndex) chunk() {
	if len(x.count) > 0 {
		n := 0
		for leaf, count := range x.count {
			for i := leaf * indexLeaf; i < leaf*indexLeaf+int(count); i++ {
				x.rows[n] = x.rows[i]
				for b := range x.parts {
					x.parts[b].words[n] = x.parts[b].words[i]
				}
				n++
			}
		}
	}
	x.rows = x.rows[:x.live]
	for i, r := range x.rows {
		x.place[r] = int32(i)
	}
	x.count = x.count[:0]
	for i := 0; i < x.live; i += indexLeaf {
		x.count = append(x.count, uint8(min(indexLeaf, x.live-i)))
	}
	for b := range x.parts {
		p := &x.parts[b]
		p.words, p.leaves, p.blocks = p.words[:x.live], p.leaves[:0], p.blocks[:0]
		for i := 0; i < x.live; i += indexLeaf {
			of := boxOf(p.words[i:min(x.live, i+indexLeaf)])
			p.leaves = append(p.leaves, of)
			if i%indexBlock == 0 {
				p.blocks = append(p.blocks, of)
			}
			last := &p.blocks[len(p.blocks)-1]
			*last = last.and(of)
		}
	}
}

// remove takes rows out.
func (x *rowIndex) remove(rows []int32) {
	for _, r := range rows {
		i := x.place[r]
		leaf := i / indexLeaf
		x.count[leaf]--
		last := leaf*indexLeaf + int32(x.count[leaf])
		x.exchange(int(i), int(last))
		x.place[x.rows[i]] = i
		x.place[r] = -1
	}
	if x.live -= len(rows); x.live < len(x.rows)/2 {
		x.chunk()
	}
}

// nearest returns up to room rows that are nearest to one of them, without it; of equally near ones
// those that stand nearer in the order of cuts.
func (x *rowIndex) nearest(seed int32, room int) []int32 {
	s := search{own: x.place[seed], room: room, limit: len(x.hist) - 1}
	x.list = x.list[:0]
	blocks, home := len(x.parts[0].blocks), int(s.own)/indexBlock
	for step := range 2 * blocks {
		block := outward(home, step)
		if block < 0 || block >= blocks || x.beyond(&s, block, false) {
			continue
		}
		first, last := block*indexLeaf, min(block*indexLeaf+indexLeaf, len(x.count))
		start := first
		if block == home {
			start = int(s.own) / indexLeaf
		} else if block < home {
			start = last - 1
		}
		for inner := range 2 * (last - first) {
			leaf := outward(start, inner)
			if leaf >= first && leaf < last && x.count[leaf] > 0 && !x.beyond(&s, leaf, true) {
				x.scan(&s, leaf)
			}
		}
	}
	x.found = x.found[:0]
	ties := room
	for _, key := range x.list {
		d := int(key >> 32)
		x.hist[d] = 0
		if d < s.limit {
			ties--
		}
	}
	for _, key := range x.list {
		if d := int(key >> 32); d < s.limit || d == s.limit && ties > 0 {
			if d == s.limit {
				ties--
			}
			x.found = append(x.found, x.rows[uint32(key)])
		}
	}
	return x.found
}

// search is the state of nearest: as many rows as are wanted are no farther than the limit.
type search struct {
	own    int32 // the place of the row
	room   int
	limit  int
	within int // rows in the list that are no farther
	top    int // farthest of the list
}

// outward counts home, home+1, home-1, home+2, ...
func outward(home, step int) int {
	if step%2 == 1 {
		return home + (step+1)/2
	}
	return home - step/2
}

// beyond reports whether all rows of a leaf, or of a block, are at least as far as the limit.
func (x *rowIndex) beyond(s *search, at int, leaf bool) bool {
	var sum uint64
	for b := range x.parts {
		p := &x.parts[b]
		of := p.blocks
		if leaf {
			of = p.leaves
		}
		o, w := of[at], p.words[s.own]
		sum += sumOf(p.losses(above(o.lo, w) + above(w, o.hi)))
		for i := range x.others {
			of := &x.others[i]
			if lane := of.dim % 8 * 8; of.dim/8 == b && of.exact {
				lo, hi, v := uint32(o.lo>>lane&127), uint32(o.hi>>lane&127), uint32(w>>lane&127)
				sum += x.rangeLoss(of, min(v, hi), max(lo, v))
			}
		}
	}
	return int(sum) >= s.limit
}

// rangeLoss is what a range of bits loses, about if they are not exact.
func (x *rowIndex) rangeLoss(o *otherBits, lo, hi uint32) uint64 {
	if lo == hi || !o.exact {
		return uint64(hi - lo)
	}
	return uint64(x.fixed.otherLoss(o.dim, lo+o.from, hi+o.from)) * x.scale >> 32
}

// scan looks at the rows of a leaf.
func (x *rowIndex) scan(s *search, leaf int) {
	var sums [indexLeaf]uint64
	begin, n := leaf*indexLeaf, int(x.count[leaf])
	for b := range x.parts {
		p := &x.parts[b]
		w := p.words[s.own]
		for i, o := range p.words[begin : begin+n] {
			sums[i&(indexLeaf-1)] += sumOf(p.losses(above(o, w) + above(w, o)))
		}
	}
	for _, of := range x.others {
		j := of.dim
		rows, at := x.fixed.rows[j/8], j%8
		v := rows[x.rows[s.own]][at]
		for i, r := range x.rows[begin : begin+n] {
			u := rows[r][at]
			sums[i&(indexLeaf-1)] += uint64(x.fixed.otherLoss(j, min(u, v), max(u, v))) * x.scale >> 32
		}
	}
	for i, sum := range sums[:n] {
		d := int(sum)
		if d >= s.limit || begin+i == int(s.own) {
			continue
		}
		x.list = append(x.list, sum<<32|uint64(begin+i))
		x.hist[d]++
		s.within++
		if s.top = max(s.top, d); s.within < s.room {
			continue
		}
		for s.limit = min(s.limit, s.top); s.within-int(x.hist[s.limit]) >= s.room; s.limit-- {
			s.within -= int(x.hist[s.limit])
		}
	}
}
