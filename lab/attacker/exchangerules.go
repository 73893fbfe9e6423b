package attacker

// exchanges is what the exchange step of Extract tells. It ends when no
// exchange of two rows of neighbouring classes lowers the loss and keeps both
// classes eligible. The loss follows from quasi-identifiers. So each pair of rows
// whose exchange would lower it says: their values differ, and one of the two
// could not have joined the other class, where its value is full. Which values are
// full is public. Moves of one row tell likewise.
type exchanges struct {
	p        *publicView
	partners [][]int32 // by row: rows of other classes with whom an exchange would lower the loss
	full     []bool    // by class and value: no further row with it may replace one with another
	barred   []int16   // by row and value: moves that would lower the loss, and that nothing forbids
	n        int       // conditions
}

// surely is the gain that an exchange must have to be counted on: above what
// Extract asks for, plus rounding.
const surely = 1e-4

// nearClasses is how many neighbours of a class Extract considers in its search.
const nearClasses = 24

func exchangeRules(p *publicView) func() rules {
	x := &exchanges{p: p, partners: make([][]int32, len(p.group)), full: make([]bool, len(p.classes)*p.values),
		barred: make([]int16, len(p.group)*p.values)}
	for c, rows := range p.classes {
		for v, n := range p.bags[c] {
			x.full[c*p.values+v] = int(n)+1 > len(rows)/p.l
		}
	}
	cells := cellsOf{p.points.Space, p.points.X, len(p.points.Space.Dims)}
	sides := make([]side, len(p.classes))
	for c, rows := range p.classes {
		sides[c] = cells.side(rows)
	}
	for _, pair := range neighbours(sides, nearClasses) {
		x.swaps(cells, &sides[pair[0]], &sides[pair[1]])
		x.moves(cells, &sides[pair[0]], &sides[pair[1]])
		x.moves(cells, &sides[pair[1]], &sides[pair[0]])
	}
	return func() rules { return x } // it keeps nothing of a world
}

// side is a class with its cells without each of its rows.
type side struct {
	rows []int32
	all  lacking
	span float32
	lack []lacking
	less []float32 // spans of lack
	mid  []float32
}

func (c cellsOf) side(rows []int32) side {
	s := side{rows: rows, all: c.without(rows, -1)}
	s.span = c.span(&s.all, -1)
	for j, lo := range s.all.lo {
		s.mid = append(s.mid, (lo+s.all.hi[j])/2)
	}
	for i := range rows {
		s.lack = append(s.lack, c.without(rows, i))
		s.less = append(s.less, c.span(&s.lack[i], -1))
	}
	return s
}

// neighbours lists pairs of classes of which one is among the nearest of the other.
func neighbours(sides []side, near int) (pairs [][2]int32) {
	type other struct {
		dist float32
		c    int32
	}
	seen := map[[2]int32]bool{}
	var list []other
	for a := range sides {
		list = list[:0]
		for b := range sides {
			dist := distance(sides[a].mid, sides[b].mid)
			if a == b || len(list) == near && dist >= list[near-1].dist {
				continue
			}
			list = append(list[:min(len(list), near-1)], other{dist, int32(b)})
			for i := len(list) - 1; i > 0 && list[i].dist < list[i-1].dist; i-- {
				list[i], list[i-1] = list[i-1], list[i]
			}
		}
		for _, o := range list {
			pair := [2]int32{min(int32(a), o.c), max(int32(a), o.c)}
			if !seen[pair] {
				seen[pair] = true
				pairs = append(pairs, pair)
			}
		}
	}
	return pairs
}

func distance(a, b []float32) (sum float32) {
	for j, v := range a {
		sum += max(v-b[j], b[j]-v)
	}
	return sum
}

// swaps notes the pairs of rows whose exchange would lower the loss.
func (x *exchanges) swaps(c cellsOf, a, b *side) {
	na, nb := float32(len(a.rows)), float32(len(b.rows))
	limit := na*a.span + nb*b.span - surely
	for i, ra := range a.rows {
		for j, rb := range b.rows {
			if na*a.less[i]+nb*b.less[j] >= limit {
				continue
			}
			if na*c.span(&a.lack[i], rb)+nb*c.span(&b.lack[j], ra) < limit {
				x.partners[ra] = append(x.partners[ra], rb)
				x.partners[rb] = append(x.partners[rb], ra)
				x.n++
			}
		}
	}
}

// moves notes, for each row whose move to another class would lower the loss, the
// values with which nothing would have forbidden it.
func (x *exchanges) moves(c cellsOf, from, to *side) {
	p := x.p
	most := 2*max(p.k, p.l) - 1
	if len(from.rows) <= p.k || len(to.rows) >= most {
		return
	}
	a, b := int(p.class[from.rows[0]]), int(p.class[to.rows[0]])
	nf, nt := float32(len(from.rows)), float32(len(to.rows))
	limit := nf*from.span + nt*to.span - surely
	for i, r := range from.rows {
		if (nf-1)*from.less[i]+(nt+1)*c.span(&to.all, r) >= limit {
			continue
		}
		for v := range p.values {
			if p.bags[a][v] > 0 && int(p.bags[b][v])+1 <= (len(to.rows)+1)/p.l && mostWithout(p.bags[a], v) <= (len(from.rows)-1)/p.l {
				x.barred[int(r)*p.values+v]++
			}
		}
		x.n++
	}
}

// mostWithout is the largest count of a bag without one v.
func mostWithout(bag []int32, v int) int {
	most := int32(0)
	for u, n := range bag {
		if u == v {
			n--
		}
		most = max(most, n)
	}
	return int(most)
}

// breaks is 1 if two partners with these values could have been exchanged.
func (x *exchanges) breaks(r, s int32, vr, vs value) int {
	n := x.p.values
	if vr == vs || !x.full[int(x.p.class[s])*n+int(vr)] && !x.full[int(x.p.class[r])*n+int(vs)] {
		return 1
	}
	return 0
}

// Conditions implements Rules.
func (x *exchanges) Conditions() int { return x.n }

// Broken implements Rules.
func (x *exchanges) Broken(w world) (n int) {
	for r, partners := range x.partners {
		for _, s := range partners {
			n += x.breaks(int32(r), s, w[r], w[s])
		}
	}
	n /= 2
	for r, v := range w {
		if x.p.class[r] >= 0 {
			n += int(x.barred[r*x.p.values+int(v)])
		}
	}
	return n
}

// Change implements Rules.
func (x *exchanges) Change(w world, i, j int32) int {
	return x.becomes(w, i, w[j]) + x.becomes(w, j, w[i])
}

// becomes is the change if a row gets a value and its partners keep theirs. Two
// rows of one class are no partners.
func (x *exchanges) becomes(w world, r int32, v value) (more int) {
	at := int(r) * x.p.values
	more = int(x.barred[at+int(v)]) - int(x.barred[at+int(w[r])])
	for _, s := range x.partners[r] {
		more += x.breaks(r, s, v, w[s]) - x.breaks(r, s, w[r], w[s])
	}
	return more
}

// Exchanged implements Rules.
func (x *exchanges) Exchanged(world, int32, int32) {}
