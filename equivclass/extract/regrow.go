package extract

import "math"

// few are some rows among which cells grow again and again: their words, and what each
// dimension of the cell would lose with each of them. A row more in the cell changes few
// dimensions, so few of these terms are computed anew. The spans are sums of the same
// terms in the same order as those of extraction.with.
//
// Rows are named by their places, which change: a cell that grows has its rows in front.
type few struct {
	x     *extraction
	ids   []int32
	parts []fewTerms // each eight dimensions
	sums  []float32  // scratch
	cell  cell
	fresh []int // the dimensions that changed last
}

// fewTerms are eight dimensions of the rows; the last ones may be none, and add nothing.
type fewTerms struct {
	words [][8]uint32
	terms [][8]float32
}

func (f *few) reset(x *extraction) {
	if f.cell == nil {
		f.x, f.cell, f.parts = x, x.newCell(), make([]fewTerms, (x.d+7)/8)
	}
	f.ids = f.ids[:0]
	for b := range f.parts {
		f.parts[b].words = f.parts[b].words[:0]
	}
}

func (f *few) add(rows []int32) {
	f.ids = append(f.ids, rows...)
	for b := range f.parts {
		p := &f.parts[b]
		for _, r := range rows {
			var w [8]uint32
			copy(w[:], f.x.row(r)[8*b:])
			p.words = append(p.words, w)
		}
		if n := len(p.words); len(p.terms) < n {
			p.terms, f.sums = make([][8]float32, n), make([]float32, n)
		}
	}
}

func (f *few) swap(i, j int) {
	f.ids[i], f.ids[j] = f.ids[j], f.ids[i]
	for b := range f.parts {
		p := &f.parts[b]
		p.words[i], p.words[j] = p.words[j], p.words[i]
		p.terms[i], p.terms[j] = p.terms[j], p.terms[i]
	}
}

// grow moves to place from a row, the seed, and behind it, one by one, the size-1 rows
// that enlarge its cell least, and returns the span of the cell; or the limit if it is
// not below.
func (f *few) grow(from, seed, size int, limit float32) float32 {
	f.swap(from, seed)
	f.start(from)
	var span float32
	for n := from + 1; n < from+size; n++ {
		f.refresh(n)
		best, at := f.best(n)
		if span = best; best >= limit {
			return limit
		}
		f.swap(n, at)
		f.widen(n)
	}
	return span
}

// best is the row, of those from a place on, with which the cell has the smallest span.
func (f *few) best(from int) (least float32, at int) {
	sums := f.sums[from:len(f.ids)]
	clear(sums)
	for b := range f.parts {
		terms := f.parts[b].terms[from:][:len(sums)]
		for i := range terms {
			t := &terms[i]
			sums[i] = sums[i] + t[0] + t[1] + t[2] + t[3] + t[4] + t[5] + t[6] + t[7]
		}
	}
	least = maxSpan
	for i, sum := range sums {
		if sum < least {
			least, at = sum, i
		}
	}
	return least, from + at
}

// refresh computes the terms of the dimensions that changed, of the rows from a place on.
func (f *few) refresh(from int) {
	for _, j := range f.fresh {
		s, p, at := &f.cell[j], &f.parts[j/8], j%8
		words := p.words[from:]
		terms := p.terms[from:][:len(words)]
		switch s.kind {
		case ranged:
			for i := range words {
				v := words[i][at]
				terms[i][at] = math.Float32frombits(max(s.hi, v)) - math.Float32frombits(min(s.lo, v))
			}
		case listed:
			set, loss := s.set, s.loss
			for i := range words {
				terms[i][at] = loss[set>>(words[i][at]&63)&1]
			}
		default:
			for i := range words {
				v := words[i][at]
				terms[i][at] = f.x.losses.of(j, min(s.lo, v), max(s.hi, v))
			}
		}
	}
}

// start makes the cell that of one row.
func (f *few) start(at int) {
	f.fresh = f.fresh[:0]
	for j := range f.cell {
		s, v := &f.cell[j], f.parts[j/8].words[at][j%8]
		if s.lo, s.hi = v, v; s.kind == listed {
			s.set, s.loss = 1<<v, f.x.losses.pair(j, 1)
		}
		f.fresh = append(f.fresh, j)
	}
}

// widen extends the cell and notes what changed.
func (f *few) widen(at int) {
	f.fresh = f.fresh[:0]
	for j := range f.cell {
		s, v := &f.cell[j], f.parts[j/8].words[at][j%8]
		if s.kind == listed {
			if s.set>>(v&63)&1 == 0 {
				s.set |= 1 << v
				s.loss = f.x.losses.pair(j, count(s.set))
				f.fresh = append(f.fresh, j)
			}
		} else if v < s.lo || v > s.hi {
			s.lo, s.hi = min(s.lo, v), max(s.hi, v)
			f.fresh = append(f.fresh, j)
		}
	}
}

// span is that of a cell of all rows from a place on.
func (f *few) span(from int) float32 {
	f.start(from)
	for i := from + 1; i < len(f.ids); i++ {
		f.widen(i)
	}
	return f.x.span(f.cell)
}
