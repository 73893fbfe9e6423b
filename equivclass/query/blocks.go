package query

import (
	"anond/equivclass"
)

// BlockRelease is a release whose groups show exact values in blocks of columns
// that are shuffled against each other. One block of everything is the
// microdata itself; quasi-identifiers together and the sensitive attribute
// alone is anatomy (and every bucketization, and Sun's NSS and SS tables); every
// column alone is permutation anonymization; anything between is slicing.
type BlockRelease struct {
	Dicts  []*equivclass.Dictionary
	Codes  [][]equivclass.Code // by attribute, then place; groups one after the other
	Start  []int32             // first place of each group, and after the last
	Blocks [][]int             // the attributes of each block; every attribute in one
}

// NewBlockRelease gathers the columns of a table by group.
func NewBlockRelease(dicts []*equivclass.Dictionary, codes [][]equivclass.Code, groups [][]int32, blocks [][]int) *BlockRelease {
	r := &BlockRelease{Dicts: dicts, Codes: make([][]equivclass.Code, len(codes)), Start: []int32{0}, Blocks: blocks}
	for j, column := range codes {
		for _, g := range groups {
			for _, row := range g {
				r.Codes[j] = append(r.Codes[j], column[row])
			}
		}
	}
	for _, g := range groups {
		r.Start = append(r.Start, r.Start[len(r.Start)-1]+int32(len(g)))
	}
	return r
}

// WholeBlock is the blocks of microdata: all attributes together.
func WholeBlock(attributes int) [][]int {
	all := make([]int, attributes)
	for j := range all {
		all[j] = j
	}
	return [][]int{all}
}

// AnatomyBlocks is the blocks of anatomy: one attribute apart from the others.
func AnatomyBlocks(attributes, sensitive int) [][]int {
	var rest []int
	for j := range attributes {
		if j != sensitive {
			rest = append(rest, j)
		}
	}
	return [][]int{rest, {sensitive}}
}

// SingleBlocks is the blocks of permutation anonymization: each attribute alone.
func SingleBlocks(attributes int) [][]int {
	blocks := make([][]int, attributes)
	for j := range blocks {
		blocks[j] = []int{j}
	}
	return blocks
}

// Estimate implements Estimator by group shares: of n records of a group the
// query is expected to hit n times the product of the shares of its blocks
// (permutation paper, examples 1 and 2). The bounds are Fréchet's: blocks with
// m1, m2, … hits meet in at least m1 + m2 + … - (blocks - 1) n records, and in
// at most the least m. With one block they are exact.
// Cost: places x restricted attributes.
func (r *BlockRelease) Estimate(q *Bound) Answer {
	blocks := r.asked(q)
	if q.Sum < 0 {
		return r.count(blocks)
	}
	var out total
	for g := 1; g < len(r.Start); g++ {
		out.add(q, r.group(q, blocks, int(r.Start[g-1]), int(r.Start[g])))
	}
	return out.answer(q)
}

// askedBlock is a block with what a query asks of it.
type askedBlock struct {
	preds []*Predicate
	sums  bool
}

func (r *BlockRelease) asked(q *Bound) []askedBlock {
	var out []askedBlock
	for _, block := range r.Blocks {
		var a askedBlock
		for _, j := range block {
			a.sums = a.sums || j == q.Sum
			for i := range q.Preds {
				if q.Preds[i].Attribute == j {
					a.preds = append(a.preds, &q.Preds[i])
				}
			}
		}
		if len(a.preds) > 0 || a.sums {
			out = append(out, a)
		}
	}
	return out
}

func (r *BlockRelease) group(q *Bound, blocks []askedBlock, from, to int) said {
	n := to - from
	share, least, most := 1.0, n, n // of the blocks that are not summed
	var values []float64
	for _, b := range blocks {
		hits := 0
		for i := from; i < to; i++ {
			if !r.matches(b.preds, i) {
				continue
			}
			hits++
			if b.sums {
				values = append(values, Worth(r.Dicts[q.Sum], r.Codes[q.Sum][i]))
			}
		}
		if !b.sums {
			share *= float64(hits) / float64(n)
			least, most = max(0, least+hits-n), min(most, hits)
		}
	}
	if q.Sum < 0 {
		return said{Answer: Answer{share * float64(n), float64(least), float64(most)}}
	}
	return sumSaid(values, n, share, least, most)
}

func (r *BlockRelease) matches(preds []*Predicate, place int) bool {
	for _, p := range preds {
		if !p.Match[r.Codes[p.Attribute][place]] {
			return false
		}
	}
	return true
}
