package query

import (
	"slices"

	"anond/equivclass"
)

// lanes is how many queries EstimateCounts asks at a time: one byte of a word each.
const lanes = 8

// laneRun is how many places a byte can count.
const laneRun = 255

// laneOnes is a word with 1 in each byte.
const laneOnes = 0x0101010101010101

// EstimateCounts returns exactly what Estimate does for many count queries, but
// without bounds, and several times faster: workloads of the papers ask
// thousands of queries of a release of 500,000 rows.
//
// Method: for eight queries at a time, each value of an attribute has a word
// whose bytes say which of the queries it matches. A record's word is the
// conjunction over its attributes, and the sum of a group's words counts the
// matches of all eight at once.
//
// Cost: queries/8 x places x attributes that any of the eight restricts.
func (r *BlockRelease) EstimateCounts(queries []*Bound) []float64 {
	out := make([]float64, len(queries))
	for from := 0; from < len(queries); from += lanes {
		to := min(from+lanes, len(queries))
		r.countLanes(queries[from:to], out[from:to])
	}
	return out
}

// laneColumn is an attribute with the word of each of its values.
type laneColumn struct {
	codes []equivclass.Code
	words []uint64
}

func (r *BlockRelease) countLanes(queries []*Bound, out []float64) {
	var blocks [][]laneColumn
	var asked [lanes][]int // by lane, the blocks that its query restricts
	for _, block := range r.Blocks {
		columns := r.laneColumns(block, queries)
		if len(columns) == 0 {
			continue
		}
		for lane, q := range queries {
			if q.restricts(block) {
				asked[lane] = append(asked[lane], len(blocks))
			}
		}
		blocks = append(blocks, columns)
	}
	hits, shares, of := make([][lanes]int, len(blocks)), shareTable{}, []float64{}
	for g := 1; g < len(r.Start); g++ {
		from, to := int(r.Start[g-1]), int(r.Start[g])
		for b, columns := range blocks {
			hits[b] = laneHits(columns, from, to)
		}
		if len(of) != to-from+1 {
			of = shares.of(to - from)
		}
		for lane := range out {
			share := 1.0
			for _, b := range asked[lane] {
				share *= of[hits[b][lane]]
			}
			out[lane] += share * float64(to-from)
		}
	}
}

// restricts reports whether a query has a predicate on one of the attributes.
func (q *Bound) restricts(block []int) bool {
	return slices.ContainsFunc(q.Preds, func(p Predicate) bool { return slices.Contains(block, p.Attribute) })
}

// shareTable keeps m/n for all m up to n, as most groups are of a few sizes.
type shareTable map[int][]float64

func (t shareTable) of(n int) []float64 {
	s, ok := t[n]
	if !ok {
		s = make([]float64, n+1)
		for m := range s {
			s[m] = float64(m) / float64(n)
		}
		t[n] = s
	}
	return s
}

// laneColumns returns the attributes of a block that any query restricts. Queries
// that do not restrict one match all of its values.
func (r *BlockRelease) laneColumns(block []int, queries []*Bound) []laneColumn {
	var out []laneColumn
	for _, j := range block {
		var words []uint64
		for lane, q := range queries {
			for i := range q.Preds {
				if q.Preds[i].Attribute != j {
					continue
				}
				if words == nil {
					words = make([]uint64, len(q.Preds[i].Match))
					for v := range words {
						words[v] = laneOnes
					}
				}
				for v, match := range q.Preds[i].Match {
					if !match {
						words[v] &^= 0xff << (8 * lane)
					}
				}
			}
		}
		if words != nil {
			out = append(out, laneColumn{r.Codes[j], words})
		}
	}
	return out
}

// laneHits counts for each lane the places from..to that match in all columns.
func laneHits(columns []laneColumn, from, to int) (hits [lanes]int) {
	for from < to {
		end, sum := min(from+laneRun, to), uint64(0)
		if len(columns) == 1 {
			words := columns[0].words
			for _, c := range columns[0].codes[from:end] {
				sum += words[c]
			}
		} else {
			for i := from; i < end; i++ {
				word := uint64(laneOnes)
				for _, c := range columns {
					word &= c.words[c.codes[i]]
				}
				sum += word
			}
		}
		for lane := range hits {
			hits[lane] += int(sum >> (8 * lane) & 0xff)
		}
		from = end
	}
	return hits
}
