package bucketize

import (
	"slices"

	"anond/equivclass"
	"anond/equivclass/cut"
	"anond/lab/split"
)

// correspondence says which sensitive values occur with which quasi-identifiers
// in the original table: S_t of Zhu et al. 2015, definition 3, the values of
// the records whose quasi-identifiers equal those of t. The normalized and the
// global correspondence loss penalty (NLP and GLP) are computed from it.
type correspondence struct {
	sa    split.Column
	cell  []int32 // by row: number of its quasi-identifiers' combination
	start []int32 // by cell: where its values start in held
	held  []int32 // dense sensitive values by cell, ascending, each once
	tally *split.Tally
	done  *split.Tally // cells of the current class
}

// NewCorrespondence reads the table. Cost: n log n x D; memory: about 16 bytes
// a record.
func NewCorrespondence(p *equivclass.Pool) *correspondence {
	c := &correspondence{sa: split.Sensitive(p), cell: make([]int32, p.Len())}
	lex := &lexicographic{p: p, sa: c.sa}
	for j := range p.D() {
		lex.by = append(lex.by, split.Dimension(p, j))
	}
	rows := cut.Identity(p.Len())
	lex.sort(rows)
	for lo := 0; lo < len(rows); {
		hi, from := lo, len(c.held)
		for hi < len(rows) && lex.same(rows[lo], rows[hi]) {
			c.cell[rows[hi]] = int32(len(c.start))
			c.held = append(c.held, c.sa.Codes[rows[hi]])
			hi++
		}
		slices.Sort(c.held[from:])
		c.held = c.held[:from+len(slices.Compact(c.held[from:]))]
		c.start = append(c.start, int32(from))
		lo = hi
	}
	c.tally, c.done = split.NewTally(c.sa.Size), split.NewTally(len(c.start))
	c.start = append(c.start, int32(len(c.held)))
	return c
}

func (l *lexicographic) same(a, b int32) bool {
	for i := range l.by {
		if l.by[i].Codes[a] != l.by[i].Codes[b] {
			return false
		}
	}
	return true
}

// values returns S_t of a row, dense and ascending.
func (c *correspondence) values(row int32) []int32 {
	return c.held[c.start[c.cell[row]]:c.start[c.cell[row]+1]]
}

// NLP returns the penalty of one record whose sensitive value, as published,
// may be that of any row of candidates, each equally likely: the probability of
// the values outside S_t. 0 is no loss. Cost: len(candidates).
func (c *correspondence) NLP(row int32, candidates []int32) float64 {
	values, outside := c.values(row), 0
	for _, q := range candidates {
		if _, ok := slices.BinarySearch(values, c.sa.Codes[q]); !ok {
			outside++
		}
	}
	return float64(outside) / float64(len(candidates))
}

// GLP returns the mean penalty over all records of a publication by classes:
// bucketization, or any recoding in which every record of a class may have
// every sensitive value of the class. A suppressed record costs 1. The paper
// calls GLP "a normalized version of NLP" without a formula; we take the mean,
// so that 0 is no loss and 1 the worst. Cost: n plus, for each class, the
// values of S_t of its different cells.
func (c *correspondence) GLP(groups [][]int32, suppressed int) float64 {
	sum, n := float64(suppressed), suppressed
	for _, g := range groups {
		sum += c.class(g)
		n += len(g)
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

// class returns the sum of NLP over a class.
func (c *correspondence) class(g []int32) float64 {
	for _, r := range g {
		c.tally.Add(c.sa.Codes[r])
		c.done.Add(c.cell[r])
	}
	inside := 0
	for _, cell := range c.done.Seen {
		of := 0
		for _, v := range c.held[c.start[cell]:c.start[cell+1]] {
			of += int(c.tally.N[v])
		}
		inside += of * int(c.done.N[cell])
	}
	c.tally.Clear()
	c.done.Clear()
	return float64(len(g)) - float64(inside)/float64(len(g))
}

// RingGLP returns the mean penalty over all records of a publication by rings
// of l neighbours (partitioner ng): a record may have its own sensitive value
// and those of the l-1 places before it. Cost: n x l.
func (c *correspondence) RingGLP(rings [][]int32, l, suppressed int) float64 {
	sum, n := float64(suppressed), suppressed
	for _, ring := range rings {
		width := max(1, min(l, len(ring)))
		for i, w := range RingWindows(ring, width) {
			sum += c.NLP(ring[(i+width-1)%len(ring)], w)
		}
		n += len(ring)
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}
