package merge

import "slices"

// instance is a sorted list of bags in the form that the search reads. It belongs to one
// goroutine.
type instance struct {
	size       int64
	values     []uint32 // by place
	caps       []share  // by place
	few        []share  // by place: the same for groups of few parts (fewMost)
	most       int64    // how often values occur in a part, together
	principles []principle
	parts      []part
	square     []int64 // by part: that of its bag
	counts     packed  // a row for each value: how often each part has it
	products   packed  // a row for each part: the products of its bag with all bags; no words if they were too many
	lanes      lanes

	tally   []int64 // by place: scratch
	touched []int32
	bag     Bag
}

// part is a bag with its values numbered from 0.
type part struct {
	bag   []entry
	hot   []int32 // the values of which it has more than their cap
	above []int64 // by how much, in the units of the cap's slack
	lack  int64   // what it lacks alone
}

type entry struct{ at, n int32 }

// tableMost is how many bytes the table of products has at most. For more parts a product
// is computed when it is needed.
const tableMost = 1 << 25

// partsEach is how many parts a goroutine takes at once. stopEach is a multiple.
const partsEach = 32

func newInstance(list []Bag, size int, requirement Requirement) *instance {
	x := &instance{size: int64(size), principles: requirement.Extra, parts: make([]part, len(list)), square: make([]int64, len(list))}
	place, total := map[uint32]int32{}, 0
	for _, c := range sum(list) {
		place[c.Value] = int32(len(x.values))
		x.values = append(x.values, c.Value)
	}
	for i, b := range list {
		total += len(b)
		for _, c := range b {
			x.square[i] += int64(c.N) * int64(c.N)
		}
		x.most = max(x.most, int64(b.Total()))
	}
	x.caps, x.few = x.sharesOf(requirement, x.size*int64(len(list))), x.sharesOf(requirement, fewMost(x.size))
	x.tally, x.lanes = make([]int64, len(x.values)), newLanes(x.few, x.size)
	x.counts = newPacked(len(x.values), len(list), max(x.size, slices.Max(x.square))) // a product is at most the larger square
	// One after the other in few slices, which is twice as fast.
	all, hot, above := make([]entry, 0, total), make([]int32, 0, len(list)), make([]int64, 0, len(list))
	for i, b := range list {
		p, from, cold := &x.parts[i], len(all), len(hot)
		for _, c := range b {
			e := entry{place[c.Value], int32(c.N)}
			all = append(all, e)
			x.counts.set(int(e.at), i, uint64(c.N))
		}
		p.bag = all[from:len(all):len(all)]
		for _, e := range p.bag {
			if slack := x.slackIn(x.caps[e.at], e.at, i); slack < 0 {
				hot, above = append(hot, e.at), append(above, -slack)
			}
		}
		p.hot, p.above = hot[cold:len(hot):len(hot)], above[cold:len(hot):len(hot)]
		p.lack = x.lacks([]int32{int32(i)})
	}
	if len(list)*x.counts.row*8 <= tableMost {
		x.products = x.counts
		x.products.words = make([]uint64, len(list)*x.counts.row)
		for p := range list {
			x.productsOf(p, x.products.words[p*x.counts.row:][:x.counts.row])
		}
	}
	return x
}

// several reports whether there are several attributes: groups have more parts then, and steps take longer.
func (x *instance) several() bool { return x.most > x.size }

// productsOf adds to a row of zeros the products of a part's bag with all bags: one
// multiplication for as many of them as a word has.
func (x *instance) productsOf(p int, row []uint64) {
	for _, e := range x.parts[p].bag {
		n, column := uint64(e.n), x.counts.words[int(e.at)*x.counts.row:][:len(row)]
		for w := range row {
			row[w] += n * column[w]
		}
	}
}

// apart is the squared distance of two bags.
func (x *instance) apart(p, q int32) int64 {
	var product int64
	if x.products.words != nil {
		product = x.products.at(int(p), int(q))
	} else {
		for _, e := range x.parts[p].bag {
			product += int64(e.n) * x.counts.at(int(e.at), int(q))
		}
	}
	return x.square[p] + x.square[q] - 2*product
}

// sumUp adds up the bags of some parts.
func (x *instance) sumUp(members []int32) {
	for _, v := range x.touched {
		x.tally[v] = 0
	}
	x.touched = x.touched[:0]
	for _, p := range members {
		for _, e := range x.parts[p].bag {
			if x.tally[e.at] == 0 {
				x.touched = append(x.touched, e.at)
			}
			x.tally[e.at] += int64(e.n)
		}
	}
}

// lacks is what the bag of some parts lacks: the records above the caps, and what the
// extra principles say, in units.
func (x *instance) lacks(members []int32) int64 {
	x.sumUp(members)
	size := int64(len(members)) * x.size
	return x.above(size) + x.ask(size)
}

// suffices reports whether some parts lack nothing together. Of values that no part has above their cap they cannot have too many.
func (x *instance) suffices(members []int32) bool {
	for _, p := range members {
		for _, v := range x.parts[p].hot {
			var slack int64
			for _, q := range members {
				slack += x.slackIn(x.caps[v], v, int(q))
			}
			if slack < 0 {
				return false
			}
		}
	}
	return len(x.principles) == 0 || x.lacks(members) == 0
}

// above is what the bag that was summed up has above the caps.
func (x *instance) above(size int64) (out int64) {
	for _, v := range x.touched {
		c, of := x.caps[v], size
		if c.without >= 0 {
			of -= x.tally[c.without]
		}
		if slack := c.slack(x.tally[v], of); slack < 0 {
			out += c.above(slack)
		}
	}
	return out
}

// ask returns what the bag that was summed up lacks by the extra principles.
func (x *instance) ask(size int64) (out int64) {
	if len(x.principles) == 0 {
		return 0
	}
	slices.Sort(x.touched)
	x.bag = x.bag[:0]
	for _, v := range x.touched {
		x.bag = append(x.bag, Count{x.values[v], uint32(x.tally[v])})
	}
	for _, p := range x.principles {
		out += p.Lack(x.bag, int(size))
	}
	return out
}

// hot lists the values of which some part has more than their cap. A group of parts cannot
// have more than the cap of any other value.
func (x *instance) hot() (out []int32) {
	is := make([]bool, len(x.values))
	for i := range x.parts {
		for _, v := range x.parts[i].hot {
			is[v] = true
		}
	}
	for v, hot := range is {
		if hot {
			out = append(out, int32(v))
		}
	}
	return out
}

// spread is the mean energy of a part if all parts were one group, at least 1.
func (x *instance) spread() int64 {
	var parts, square int64
	all := make([]int64, len(x.values))
	for i := range x.parts {
		parts += x.square[i]
		for _, e := range x.parts[i].bag {
			all[e.at] += int64(e.n)
		}
	}
	for _, n := range all {
		square += n * n
	}
	m := int64(len(x.parts))
	return max(1, parts/m-square/m/m)
}

// packed is rows of numbers, as many in a word as fit.
type packed struct {
	words []uint64
	row   int    // words
	shift uint   // a word has 1<<shift numbers
	log   uint   // of the bits of a number
	mask  uint64 // of a number
}

// newPacked returns rows of zeros for numbers up to a limit.
func newPacked(rows, columns int, most int64) packed {
	t := packed{shift: 3}
	for t.shift > 0 && most >= 1<<(64>>t.shift) {
		t.shift--
	}
	t.row, t.log, t.mask = (columns+1<<t.shift-1)>>t.shift, 6-t.shift, 1<<(64>>t.shift)-1
	t.words = make([]uint64, rows*t.row)
	return t
}

// place is how far a column's number is from the lowest bit of its word.
func (t *packed) place(column int) uint { return uint(column) & (1<<t.shift - 1) << t.log & 63 }

func (t *packed) at(row, column int) int64 {
	return int64(t.words[row*t.row+column>>t.shift] >> t.place(column) & t.mask)
}

func (t *packed) set(row, column int, n uint64) {
	t.words[row*t.row+column>>t.shift] |= n << t.place(column)
}
