package estimate

import (
	"cmp"
	"slices"

	"anond/equivclass"
	"anond/equivclass/query"
)

// A regression has at most so many features, so bounded cost; an attribute has
// at most so many of them, but at least so many.
const (
	maxFeatures   = 256
	mostBins      = 24
	leastBins     = 4
	maxResponses  = 256
	numberBins    = 64 // responses of a sensitive number
	penaltyCouple = 4  // times the penalty: on the difference of neighbouring bins of numbers
)

// model reads a release with a model that is fitted to this release alone: public
// files, nothing else.
//
// It is inference about groups: it joins what many buckets say about people with
// such quasi-identifiers. What it says of a class can exceed 1/l. Somebody who knows
// that a person is in this class can use the same numbers as a guess about them
// (Kifer, "Attacks on Privacy and deFinetti's Theorem", SIGMOD 2009). No recoding
// with useful statistics prevents such guesses, and the bound 1/l does not speak
// of them: it holds for somebody to whom all orders of a bucket's values are equally
// likely. The guess is as good as statistics about similar people are.
//
// Guarantee: none for an estimate. Bounds are those of the release's own
// estimator. The same release gives the same estimate on the same processor.
//
// Method:
//
//  1. Ridge regression. The share of each value in a bucket is explained by the
//     mean features of its classes: how much of each cell lies in each of a few
//     bins of the attribute (axis). The penalty is chosen by cross-validation over
//     buckets.
//  2. Iterative proportional fitting. Within a bucket, the predicted shares of its
//     classes are scaled until each class has as many values as records, and each
//     value occurs as often as the bucket shows.
//  3. Partly matched cells. Where a query asks for a part of a cell, the shares are
//     multiplied by what the regression says of this part, divided by what it says
//     of the cell. Values inside a cell are spread evenly, but both ends of a
//     tight range occur.
//
// A class that is a bucket keeps its own counts: then only step 3 matters.
//
// Difference from the papers: none has this estimator. Kifer's attack fits a naive
// Bayes classifier to the rows of anatomy; a regression on cells also serves
// generalized classes, and fitting keeps to the published counts.
//
// Cost: with D attributes, F <= 256 features and V <= 256 values, features of all
// classes once, F^2 for each bucket (only features that occur), F^3 for each of a
// few penalties, and D for each class and value of its bucket in each round of
// fitting. On one core, with two quasi-identifiers, 50 values and classes of 10:
// 10 ms for 1e4 records, 60 ms for 1e5, .7 s for 1e6 (BenchmarkModel). Memory: the
// place of each class in its bucket, a number for each value of each bucket, and
// the features of each different cell.
type model struct {
	r      *query.BucketRelease
	axes   []*axis // by attribute; nil: the sensitive one
	pieces [][]piece
	bins   [][]features // by attribute, then different cell

	classes []int32 // by bucket, one after the other
	start   []int32 // first of classes of each bucket, and behind the last

	base      []float64 // share of each sensitive value
	response  []int32   // by value: which response of the regression it belongs to
	within    []float64 // by value: its part of the response
	responses int
	slope     []float64 // feature x response

	scale   []float64 // by bucket, then value of its bag: factor of the fitting
	scaleAt []int     // first of scale of each bucket
}

// NewModel fits a model to a release with at least one class.
func NewModel(r *query.BucketRelease) *model {
	m := &model{r: r, axes: make([]*axis, len(r.Dicts)), pieces: make([][]piece, len(r.Dicts)), bins: make([][]features, len(r.Dicts))}
	m.index()
	m.group()
	n := 0
	for j := range r.Dicts {
		if j != r.Sensitive {
			m.describe(j, n)
			n += m.axes[j].bins
		}
	}
	m.regress(n)
	m.fit()
	return m
}

// index lists the classes of each bucket.
func (m *model) index() {
	m.start = make([]int32, len(m.r.Bags)+1)
	for _, b := range m.r.Bucket {
		m.start[b+1]++
	}
	for b := range m.r.Bags {
		m.start[b+1] += m.start[b]
	}
	next := slices.Clone(m.start)
	m.classes = make([]int32, len(m.r.Bucket))
	for i, b := range m.r.Bucket {
		m.classes[next[b]] = int32(i)
		next[b]++
	}
}

// group finds the share of each value, and gives the frequent values a response
// each, the others one together. Of a number with many values neighbours have one
// response together, of about as many people each: rare numbers are no kind of their own.
func (m *model) group() {
	values := m.r.Dicts[m.r.Sensitive].Len()
	m.base, m.response, m.within = make([]float64, values), make([]int32, values), make([]float64, values)
	all := 0.0
	for _, bag := range m.r.Bags {
		for _, c := range bag.Counts {
			m.base[c.Code] += float64(c.N)
		}
		all += float64(bag.Total)
	}
	order := make([]int, values)
	for v := range order {
		order[v] = v
		m.base[v] /= all
	}
	if d := m.r.Dicts[m.r.Sensitive]; d.Kind() == equivclass.Number && values > numberBins {
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(d.Number(equivclass.Code(a)), d.Number(equivclass.Code(b))) })
		filled := 0.0
		for _, v := range order {
			if m.responses == 0 || filled > 0 && filled+m.base[v]/2 >= 1./numberBins {
				m.responses, filled = m.responses+1, 0
			}
			m.response[v], filled = int32(m.responses-1), filled+m.base[v]
		}
	} else {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(m.base[b], m.base[a]) })
		m.responses = min(values, maxResponses)
		for i, v := range order {
			m.response[v] = int32(min(i, m.responses-1))
		}
	}
	sums := make([]float64, m.responses)
	for v, share := range m.base {
		sums[m.response[v]] += share
	}
	for v := range m.within {
		if sum := sums[m.response[v]]; sum > 0 {
			m.within[v] = m.base[v] / sum
		}
	}
}

// describe finds the features of an attribute's cells.
func (m *model) describe(j, first int) {
	c := &m.r.Columns[j]
	records := make([]float64, len(c.Cells)+len(c.Bags))
	classes := make([]float64, len(records))
	for i, at := range c.Of {
		records[at] += float64(m.r.Size[i])
		classes[at]++
	}
	most := min(mostBins, max(leastBins, maxFeatures/max(1, len(m.r.Dicts)-1)))
	x := newAxis(m.r.Dicts[j], c, records, query.GrainOf(m.r.Grain, j), most)
	x.first = first
	for i, cell := range c.Cells {
		m.pieces[j] = append(m.pieces[j], x.piece(cell, records[i]/max(1, classes[i]), m.r.Tight))
	}
	for _, bag := range c.Bags {
		m.pieces[j] = append(m.pieces[j], x.bagPiece(bag))
	}
	dense := make([]float64, x.bins)
	for i := range m.pieces[j] {
		clear(dense)
		x.addBins(&m.pieces[j][i], dense)
		m.bins[j] = append(m.bins[j], x.sparse(dense, 1))
	}
	m.axes[j] = x
}

// features are the bins in which something has weight.
type features struct {
	at []int32
	w  []float64
}

// sparse gathers the weights of bins, times a factor.
func (x *axis) sparse(dense []float64, times float64) (f features) {
	for b, w := range dense {
		if w > 0 {
			f.at, f.w = append(f.at, int32(x.first+b)), append(f.w, w*times)
		}
	}
	return f
}
