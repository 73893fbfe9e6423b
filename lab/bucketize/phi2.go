package bucketize

import (
	"cmp"
	"slices"

	"anond/equivclass"
	"anond/lab/split"
)

// phi2Bins is the number of intervals that a numeric attribute is discretized
// to where the caller names none. The paper gives no number.
const phi2Bins = 10

// Phi2 returns the mean-square contingency coefficient of dimension j and the
// sensitive attribute (Zhu et al. 2015, section 4.1, after Cramér):
//
//	phi^2 = 1/(min(d1,d)-1) * sum_ij (f_ij - f_i. f_.j)^2 / (f_i. f_.j)
//
// It is in [0,1]: 0 if the two are independent, 1 if the one with fewer values
// is a function of the other. An attribute of one value is independent of all: 0.
// The coordinates of a Number are first discretized to bins intervals of equal
// width over the known domain (bins <= 0: ten); fewer values stay as they are.
//
// Cost: n log n for the values, n + d1*d for the table.
func Phi2(p *equivclass.Pool, j, bins int) float64 {
	x, sa := discretized(p, j, bins), split.Sensitive(p)
	t := newCrossTable(x.Size, sa.Size)
	for i, c := range x.Codes {
		t.add(c, sa.Codes[i], 1)
	}
	return t.phi2()
}

// Phi2Order returns the dimensions in descending order of their correlation
// with the sensitive attribute, equals by number, and the correlations by
// dimension. Cost: that of Phi2 for each dimension.
func Phi2Order(p *equivclass.Pool, bins int) (order []int, phi []float64) {
	phi = make([]float64, p.D())
	for j := range phi {
		order = append(order, j)
		phi[j] = Phi2(p, j, bins)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(phi[b], phi[a]) })
	return order, phi
}

// discretized returns dimension j as intervals (Number) or as its values.
func discretized(p *equivclass.Pool, j, bins int) split.Column {
	if bins <= 0 {
		bins = phi2Bins
	}
	column := split.Dimension(p, j)
	if p.Space.Dims[j].Kind != equivclass.Number || column.Size <= bins {
		return column
	}
	for i := range column.Codes {
		x := int32(float64(p.X[i*p.D()+j]) * float64(bins))
		column.Codes[i] = max(0, min(x, int32(bins)-1))
	}
	column.Size = bins
	return column
}

// crossTable counts, or weighs, how often two columns' values occur together.
type crossTable struct {
	cells      []float64 // row major
	rows, cols []float64 // marginal totals
	total      float64
}

func newCrossTable(rows, cols int) *crossTable {
	return &crossTable{cells: make([]float64, rows*cols), rows: make([]float64, rows), cols: make([]float64, cols)}
}

func (t *crossTable) add(i, j int32, w float64) {
	t.cells[int(i)*len(t.cols)+int(j)] += w
	t.rows[i] += w
	t.cols[j] += w
	t.total += w
}

// phi2 multiplies the definition out: the sum is sum_ij f_ij^2/(f_i. f_.j) - 1,
// so that empty cells need no visit of their own.
func (t *crossTable) phi2() float64 {
	d := min(occupied(t.rows), occupied(t.cols))
	if d < 2 {
		return 0
	}
	var sum float64
	for i, r := range t.rows {
		for j, f := range t.cells[i*len(t.cols) : (i+1)*len(t.cols)] {
			if f > 0 {
				sum += f / r * (f / t.cols[j])
			}
		}
	}
	return max(0, sum-1) / float64(d-1)
}

func occupied(marginal []float64) int {
	n := 0
	for _, v := range marginal {
		if v > 0 {
			n++
		}
	}
	return n
}
