package estimate

import (
	"math"
	"slices"

	"anond/equivclass/query"
)

// paperSums answers many sums over one attribute with the bounds of PaperSum.
// It serves tables in which every value of the attribute is bucketed and no
// query restricts it, as those of Li, He and Sun do; the rows of a group are
// neighbours.
//
// Cost: for each query the different cells of its attributes, and a product for
// each row of a group that can match.
type paperSums struct {
	r       *LocalRelease
	sum     int
	from    []int32        // by group, where its rows begin; and the end
	cells   [][]query.Cell // by attribute, the different ones
	cellOf  [][]int32      // by attribute, then group; -1: bucketed
	help    [][]float64
	share   [][]float64 // by predicate, then cell
	bucket  [][]float64 // by predicate, then bucket
	expects []float64   // by bucket of the summed attribute: rows that match
	inside  []int       // predicates on what the group has bucketed
}

// NewPaperSums prepares a release. help is the paper's help table: for each
// bucket the sums of its smallest values, from none of them to all.
func NewPaperSums(r *LocalRelease, sum int) *paperSums {
	s := &paperSums{r: r, sum: sum, cells: make([][]query.Cell, len(r.Dicts)), cellOf: make([][]int32, len(r.Dicts)),
		expects: make([]float64, len(r.Values[sum]))}
	for row, g := range r.Group {
		if row == 0 || r.Group[row-1] != g {
			s.from = append(s.from, int32(row))
		}
	}
	s.from = append(s.from, int32(len(r.Group)))
	for j := range r.Dicts {
		s.index(j)
	}
	for b := range r.Values[sum] {
		values := r.matchingNumbers(sum, b, query.AllNumbers)
		slices.Sort(values)
		sums := make([]float64, len(values)+1)
		for i, v := range values {
			sums[i+1] = sums[i] + v
		}
		s.help = append(s.help, sums)
	}
	return s
}

// index numbers the different cells of an attribute.
func (s *paperSums) index(j int) {
	seen := map[query.CellKey]int32{}
	for g := range s.r.Cells {
		if s.r.Bucket[j] != nil && s.r.Bucket[j][s.from[g]] >= 0 {
			s.cellOf[j] = append(s.cellOf[j], -1)
			continue
		}
		key := s.r.Cells[g][j].Key()
		at, ok := seen[key]
		if !ok {
			at = int32(len(s.cells[j]))
			seen[key] = at
			s.cells[j] = append(s.cells[j], s.r.Cells[g][j])
		}
		s.cellOf[j] = append(s.cellOf[j], at)
	}
}

// Bounds returns the paper's lower and upper bound of a query.
func (s *paperSums) Bounds(q *query.Bound) (lower, upper float64) {
	s.prepare(q)
	clear(s.expects)
	for g := range s.r.Cells {
		s.group(q, g)
	}
	for b, expected := range s.expects {
		sums := s.help[b]
		n := len(sums) - 1
		least, most := int(math.Floor(expected+1e-9)), min(n, int(math.Ceil(expected-1e-9)))
		lower += sums[min(n, least)]
		upper += sums[n] - sums[n-most]
	}
	return lower, upper
}

// prepare finds the share of each cell and bucket that matches each predicate.
func (s *paperSums) prepare(q *query.Bound) {
	for len(s.share) < len(q.Preds) {
		s.share, s.bucket = append(s.share, nil), append(s.bucket, nil)
	}
	for i := range q.Preds {
		p := &q.Preds[i]
		j := p.Attribute
		s.share[i], s.bucket[i] = s.share[i][:0], s.bucket[i][:0]
		for _, c := range s.cells[j] {
			s.share[i] = append(s.share[i], p.Fit(s.r.Dicts[j], c, query.GrainOf(s.r.Grain, j)).Share)
		}
		for _, values := range s.r.Values[j] {
			hits := 0
			for _, v := range values {
				if p.Match[v] {
					hits++
				}
			}
			s.bucket[i] = append(s.bucket[i], float64(hits)/float64(len(values)))
		}
	}
}

// group adds the probabilities of a group's rows to the buckets of their values.
func (s *paperSums) group(q *query.Bound, g int) {
	of := s.r.Bucket[s.sum]
	common := 1.0
	s.inside = s.inside[:0]
	for i := range q.Preds {
		if at := s.cellOf[q.Preds[i].Attribute][g]; at >= 0 {
			common *= s.share[i][at]
		} else {
			s.inside = append(s.inside, i)
		}
	}
	if common == 0 {
		return
	}
	for row := s.from[g]; row < s.from[g+1]; row++ {
		x := common
		for _, i := range s.inside {
			x *= s.bucket[i][s.r.Bucket[q.Preds[i].Attribute][row]]
		}
		s.expects[of[row]] += x
	}
}
