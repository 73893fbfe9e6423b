package extract

import (
	"slices"

	"anond/equivclass"
)

// Blind divides classes anew many times (divide.go). It does so in fixed point, because
// sums of integers can be kept up to date: a row more in a cell changes few dimensions,
// and only what these add is added to the sums of the other rows.

// unit is a loss of one dimension as a whole.
const unit = 1 << 24

// fixed are the rows of a pool and the losses of its dimensions in fixed point.
type fixed struct {
	losses *losses
	dims   []fixedDim
	rows   [][][8]uint32 // by eight dimensions, by row
	others bool          // there is a dimension of kind other
}

// fixedDim is a dimension in fixed point. ranged: rows are coordinates; listed: rows are
// categories modulo 64; other: rows are leaves where there is a table, else keys.
type fixedDim struct {
	kind   kind
	weight uint32   // listed: of a category more
	table  []uint32 // other: by first and last leaf, or nil
	size   uint32   // leaves in the table
}

func newFixed(l *losses) *fixed {
	p, d := l.p, l.d
	f := &fixed{losses: l, dims: make([]fixedDim, d), rows: make([][][8]uint32, (d+7)/8)}
	for b := range f.rows {
		f.rows[b] = make([][8]uint32, p.Len())
	}
	for j := range f.dims {
		dim := &f.dims[j]
		dim.kind = l.kinds[j]
		f.others = f.others || dim.kind == other
		switch {
		case dim.kind == listed:
			dim.weight = inUnits(l.sets[j][2])
		case l.trees[j] != nil:
			dim.size = uint32(l.dims[j].Size)
			for _, loss := range l.trees[j] {
				dim.table = append(dim.table, inUnits(loss))
			}
		}
		rows, at := f.rows[j/8], j%8
		from := origin(p, j)
		for i := range rows {
			switch v := p.X[i*d+j]; {
			case dim.kind == ranged:
				rows[i][at] = uint32(min(mostCoordinate, max(0, v-from)) * unit)
			case dim.table != nil:
				rows[i][at] = uint32(l.dims[j].Code(v))
			default:
				rows[i][at] = l.words[i*d+j]
			}
		}
	}
	return f
}

// mostCoordinate is the largest coordinate in fixed point. Farther ones are taken as if
// they were there.
const mostCoordinate = 255

// origin is the coordinate that is 0 in fixed point: of a pool that spans more, the middle
// record is in the middle.
func origin(p *equivclass.Pool, j int) float32 {
	most := float32(0)
	for i := j; i < len(p.X); i += p.D() {
		most = max(most, p.X[i])
	}
	if most <= mostCoordinate {
		return 0
	}
	var column []float32
	for i := j; i < len(p.X); i += p.D() {
		column = append(column, p.X[i])
	}
	slices.Sort(column)
	return column[len(column)/2] - mostCoordinate/2
}

// inUnits returns a loss between 0 and 1 in units, rounded down.
func inUnits(v float32) uint32 { return uint32(min(1, max(0, v)) * unit) }

// few are some rows out of which classes grow, each of the rows that the ones before left.
type few struct {
	fixed *fixed
	parts []fewPart
	cell  []fewSide
	taken []int32 // rows of the classes so far, one class after the other
	ids   []int32 // the rows that are left, by place
	// sums are by place: the loss of the cell with that row, and below it the place, so
	// that the smallest number tells both.
	sums []uint64
}

const (
	placeBits = 24
	placeMask = 1<<placeBits - 1
)

// fewPart is eight dimensions of the rows that are left, by place.
type fewPart struct {
	words [][8]uint32
	terms [][8]uint32 // other: the loss of the cell with that row
}

// fewSide is what the cell spans in one dimension.
type fewSide struct {
	lo, hi uint32
	set    uint64 // listed
}

func (f *few) reset(of *fixed) {
	if f.fixed == nil {
		f.fixed, f.cell, f.parts = of, make([]fewSide, len(of.dims)), make([]fewPart, len(of.rows))
	}
	f.ids, f.taken = f.ids[:0], f.taken[:0]
	for b := range f.parts {
		f.parts[b].words = f.parts[b].words[:0]
	}
}

func (f *few) add(rows []int32) {
	f.ids = append(f.ids, rows...)
	for b := range f.parts {
		p, all := &f.parts[b], f.fixed.rows[b]
		for _, r := range rows {
			p.words = append(p.words, all[r])
		}
		if f.fixed.others {
			p.terms = grown(p.terms, len(p.words))
		}
	}
	f.sums = grown(f.sums, len(f.ids))
}

// take removes a row from those that are left.
func (f *few) take(at int) {
	last := len(f.ids) - 1
	f.taken = append(f.taken, f.ids[at])
	f.ids[at], f.ids = f.ids[last], f.ids[:last]
	f.sums[at], f.sums = f.sums[last]&^placeMask|uint64(at), f.sums[:last]
	for b := range f.parts {
		p := &f.parts[b]
		p.words[at], p.words = p.words[last], p.words[:last]
		if p.terms != nil {
			p.terms[at] = p.terms[last]
		}
	}
}

// grow takes a seed, the row at a place, and then, one by one, the rows that enlarge the
// cell least, and returns the loss of the cell. It ends early if that reaches the limit.
func (f *few) grow(seed, size int, limit uint64) (loss uint64) {
	f.start(seed)
	for n := 1; n < size; n++ {
		least := least(f.sums)
		if loss = least >> placeBits; loss >= limit {
			return loss
		}
		if at := int(least & placeMask); n == size-1 {
			f.take(at) // nobody asks any more what the cell loses with the others
		} else {
			f.widen(at)
		}
	}
	return loss
}

// least is the smallest number of a list; four comparisons do not wait for each other.
func least(list []uint64) uint64 {
	a, b, c, d := ^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)
	for ; len(list) >= 4; list = list[4:] {
		a, b, c, d = min(a, list[0]), min(b, list[1]), min(c, list[2]), min(d, list[3])
	}
	for _, v := range list {
		a = min(a, v)
	}
	return min(a, b, c, d)
}

// start makes the cell that of one row, and takes it.
func (f *few) start(seed int) {
	f.sums = f.sums[:len(f.ids)]
	for i := range f.sums {
		f.sums[i] = uint64(i)
	}
	for j := range f.cell {
		v := f.parts[j/8].words[seed][j&7]
		f.cell[j] = fewSide{lo: v, hi: v, set: 1 << (v & 63)}
		switch f.fixed.dims[j].kind {
		case ranged:
			f.addRange(j, v)
		case listed:
			f.addCategory(j, v)
		default:
			f.addOther(j, true)
		}
	}
	f.take(seed)
}

// widen extends the cell to a row, and takes it.
func (f *few) widen(row int) {
	dims := f.fixed.dims[:len(f.cell)]
	var words *[8]uint32
	for j := range f.cell {
		if j&7 == 0 {
			words = &f.parts[j/8].words[row]
		}
		s, v := &f.cell[j], words[j&7]
		switch dims[j].kind {
		case ranged:
			if v < s.lo {
				f.addLow(j, s.lo, v)
				s.lo = v
			} else if v > s.hi {
				f.addHigh(j, s.hi, v)
				s.hi = v
			}
		case listed:
			if s.set>>(v&63)&1 == 0 {
				s.set |= 1 << (v & 63)
				f.addCategory(j, v)
			}
		default:
			if v < s.lo || v > s.hi {
				s.lo, s.hi = min(s.lo, v), max(s.hi, v)
				f.addOther(j, false)
			}
		}
	}
	f.take(row)
}

// addRange adds what a cell of one coordinate loses with each row.
func (f *few) addRange(j int, v uint32) {
	at, words := j&7, f.parts[j/8].words
	sums := f.sums[:len(words)]
	for i := range words {
		w := words[i][at]
		sums[i] += uint64(max(v, w)-min(v, w)) << placeBits
	}
}

// addLow adds what a cell loses more with each row because it begins at lo instead of was.
func (f *few) addLow(j int, was, lo uint32) {
	at, words := j&7, f.parts[j/8].words
	sums := f.sums[:len(words)]
	for i := range words {
		w := words[i][at]
		sums[i] += uint64(min(was, w)-min(lo, w)) << placeBits
	}
}

// addHigh adds what a cell loses more with each row because it ends at hi instead of was.
func (f *few) addHigh(j int, was, hi uint32) {
	at, words := j&7, f.parts[j/8].words
	sums := f.sums[:len(words)]
	for i := range words {
		w := words[i][at]
		sums[i] += uint64(max(hi, w)-max(was, w)) << placeBits
	}
}

// addCategory adds a category to the cell: rows that do not have it lose one more.
func (f *few) addCategory(j int, v uint32) {
	at, words, weight := j&7, f.parts[j/8].words, uint64(f.fixed.dims[j].weight)<<placeBits
	sums := f.sums[:len(words)]
	for i := range words {
		diff := uint64(words[i][at] ^ v)
		sums[i] += weight & -((diff + 63) >> 6) // 0 if it has it
	}
}

// addOther replaces what the cell loses with each row.
func (f *few) addOther(j int, fresh bool) {
	at, p, s := j&7, &f.parts[j/8], f.cell[j]
	terms, sums := p.terms[:len(p.words)], f.sums[:len(p.words)]
	for i := range p.words {
		w := p.words[i][at]
		loss := f.fixed.otherLoss(j, min(s.lo, w), max(s.hi, w))
		before := terms[i][at]
		if fresh {
			before = 0
		}
		sums[i] += (uint64(loss) - uint64(before)) << placeBits // modulo 2^64 if it is less
		terms[i][at] = loss
	}
}

// otherLoss is the loss of a range of a dimension of kind other.
func (f *fixed) otherLoss(j int, lo, hi uint32) uint32 {
	if dim := &f.dims[j]; dim.table != nil {
		return dim.table[lo*dim.size+hi]
	}
	return inUnits(f.losses.of(j, lo, hi))
}

// rest is the loss of the rows that are left, all of them in one cell.
func (f *few) rest() (loss uint64) {
	for j := range f.cell {
		at, words := j&7, f.parts[j/8].words
		dim := &f.fixed.dims[j]
		if dim.kind == listed {
			var set uint64
			for i := range words {
				set |= 1 << (words[i][at] & 63)
			}
			loss += uint64(count(set)-1) * uint64(dim.weight)
			continue
		}
		lo, hi := ^uint32(0), uint32(0)
		for i := range words {
			lo, hi = min(lo, words[i][at]), max(hi, words[i][at])
		}
		if dim.kind == ranged {
			loss += uint64(hi - lo)
		} else {
			loss += uint64(f.fixed.otherLoss(j, lo, hi))
		}
	}
	return loss
}
