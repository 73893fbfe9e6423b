package extract

// refiner lets the classes of a division exchange records among each other, in the fixed
// point of regrow.go, before the division is judged. Many divisions that lose a little more
// than the classes before are near one that loses less.
type refiner struct {
	fixed   *fixed
	k       int
	ids     []int32       // the rows of all classes, one class after the other
	words   [][][8]uint32 // the same, by eight dimensions
	classes []refined     // of k rows each
	tried   []int32       // by pair: see exchange
	net     [2][]int64    // scratch of swap: what a row's leaving saves, less what it costs elsewhere at least
}

// refined is a class of a division.
type refined struct {
	sides   []refinedSide
	span    uint64
	gain    []int64 // by row: how much less the class would lose without it
	most    int64   // of gain
	changed int32   // see exchange
}

// refinedSide is what a class has in one dimension.
type refinedSide struct {
	outermost
	set, alone uint64 // listed: its categories, those of one row only
}

// take begins with the classes of a division, a multiple of k rows.
func (r *refiner) take(of *fixed, k int, rows, others []int32) {
	if r.fixed == nil {
		r.fixed, r.k, r.words = of, k, make([][][8]uint32, len(of.rows))
	}
	r.ids = append(append(r.ids[:0], rows...), others...)
	for b, all := range of.rows {
		words := r.words[b][:0]
		for _, id := range r.ids {
			words = append(words, all[id])
		}
		r.words[b] = words
	}
	n := len(r.ids) / r.k
	for len(r.classes) < n {
		r.classes = append(r.classes, refined{sides: make([]refinedSide, len(of.dims)), gain: make([]int64, r.k)})
	}
	r.classes = r.classes[:n]
	r.net[0], r.net[1] = grown(r.net[0], r.k), grown(r.net[1], r.k)
	for c := range r.classes {
		r.classes[c].changed = 0
		r.fill(c)
	}
}

// exchange applies the swaps that save most, pair by pair, until none saves anything, and
// returns what the classes lose. Each swap lowers that, so it ends.
func (r *refiner) exchange() (loss uint64) {
	// A pair is looked at again only if one of the two has changed.
	n := len(r.classes)
	r.tried = grown(r.tried, n*n)
	clear(r.tried)
	for clock, before := int32(1), int32(0); clock != before; {
		before = clock
		for a := range r.classes {
			for b := a + 1; b < n; b++ {
				ca, cb, tried := &r.classes[a], &r.classes[b], &r.tried[a*n+b]
				if *tried > max(ca.changed, cb.changed) {
					continue
				}
				for r.swap(a, b) {
					ca.changed, cb.changed = clock, clock
					clock++
				}
				*tried = clock
			}
		}
	}
	for c := range r.classes {
		loss += r.classes[c].span
	}
	return loss
}

// fill computes what a class spans, and what each of its rows adds to that.
func (r *refiner) fill(class int) {
	c := &r.classes[class]
	c.span = 0
	clear(c.gain)
	for j := range c.sides {
		words := r.words[j/8][class*r.k : (class+1)*r.k]
		if r.fixed.dims[j].kind == listed {
			r.fillSet(c, words, j)
		} else {
			r.fillRange(c, words, j)
		}
	}
	c.most = 0
	for _, g := range c.gain {
		c.most = max(c.most, g)
	}
}

func (r *refiner) fillRange(c *refined, words [][8]uint32, j int) {
	o, at := noWords, j&7
	for i := range words {
		o = o.and(words[i][at])
	}
	c.sides[j].outermost = o
	loss := r.rangeLoss(j, o.low, o.high)
	c.span += loss
	if o.low == o.low2 && o.high == o.hi2 {
		return // no row alone is outermost
	}
	gain := c.gain[:len(words)]
	for i := range words {
		if v := words[i][at]; v == o.low || v == o.high {
			lo, hi := o.rangeWithout(v)
			gain[i] += int64(loss) - int64(r.rangeLoss(j, lo, hi))
		}
	}
}

func (r *refiner) rangeLoss(j int, lo, hi uint32) uint64 {
	if r.fixed.dims[j].kind == ranged {
		return uint64(hi - lo)
	}
	return uint64(r.fixed.otherLoss(j, lo, hi))
}

func (r *refiner) fillSet(c *refined, words [][8]uint32, j int) {
	var once, twice uint64
	at := j & 7
	for i := range words {
		b := uint64(1) << (words[i][at] & 63)
		once, twice = once|b, twice|once&b
	}
	s, weight := &c.sides[j], uint64(r.fixed.dims[j].weight)
	s.set, s.alone = once, once&^twice
	c.span += uint64(count(once)-1) * weight
	if s.alone == 0 {
		return
	}
	for i := range words {
		c.gain[i] += int64(weight & -(s.alone >> (words[i][at] & 63) & 1))
	}
}

// swap exchanges the two rows of classes a and b that save most; false if none saves
// anything. What a row's leaving saves, less what its arrival costs at least, is known for
// each row and excludes most pairs.
func (r *refiner) swap(a, b int) bool {
	ca, cb := &r.classes[a], &r.classes[b]
	if ca.most+cb.most <= 0 {
		return false
	}
	na, nb := r.net[0], r.net[1]
	mostA, mostB := r.nets(na, a, b), r.nets(nb, b, a)
	best, bi, bj := int64(0), -1, -1
	if mostA+mostB <= 0 {
		return false
	}
	for i, n := range na {
		if n+mostB <= best {
			continue
		}
		for j, m := range nb {
			if n+m <= best {
				continue
			}
			u, v := a*r.k+i, b*r.k+j
			left := ca.span + cb.span - uint64(best)
			lost := r.with(ca, u, v)
			if lost >= left {
				continue
			}
			if lost += r.with(cb, v, u); lost < left {
				best, bi, bj = int64(ca.span+cb.span-lost), u, v
			}
		}
	}
	if bi < 0 {
		return false
	}
	r.ids[bi], r.ids[bj] = r.ids[bj], r.ids[bi]
	for _, words := range r.words {
		words[bi], words[bj] = words[bj], words[bi]
	}
	r.fill(a)
	r.fill(b)
	return true
}

// nets fills for each row of class a what its leaving saves, less what its arrival in class b
// costs at least, and returns the largest.
func (r *refiner) nets(net []int64, a, b int) int64 {
	ca, cb := &r.classes[a], &r.classes[b]
	most := int64(-1 << 62)
	copy(net, ca.gain)
	for part, words := range r.words {
		sides := cb.sides[part*8 : min(len(cb.sides), part*8+8)]
		dims := r.fixed.dims[part*8:][:len(sides)]
		for i := range net {
			row := &words[a*r.k+i]
			n := net[i]
			for j := range sides {
				s, v := &sides[j], row[j&7]
				switch dims[j].kind {
				case ranged:
					n -= int64(max(s.low, v)-v) + int64(max(s.high, v)-s.high)
				case listed:
					n -= int64(dims[j].weight) & (int64(s.set>>(v&63)&1) - 1)
				}
			}
			net[i] = n
		}
	}
	for _, n := range net {
		most = max(most, n)
	}
	return most
}

// with is what a class would lose with row v in the place of its row u.
func (r *refiner) with(c *refined, u, v int) (loss uint64) {
	for part, words := range r.words {
		sides := c.sides[part*8 : min(len(c.sides), part*8+8)]
		gone, come := &words[u], &words[v]
		for j := range sides {
			s, out, in := &sides[j], gone[j&7], come[j&7]
			if dim := &r.fixed.dims[part*8+j]; dim.kind == listed {
				set := s.set&^(s.alone&(1<<(out&63))) | 1<<(in&63)
				loss += uint64(count(set)-1) * uint64(dim.weight)
				continue
			}
			lo, hi := s.rangeWithout(out)
			loss += r.rangeLoss(part*8+j, min(lo, in), max(hi, in))
		}
	}
	return loss
}
