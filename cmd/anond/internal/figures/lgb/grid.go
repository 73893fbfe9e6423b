package lgb

import (
	"fmt"
	"math"
	"math/rand/v2"

	"anond/cmd/anond/internal/figures"
	"anond/equivclass"
)

// lgbKey is what is measured, of which method at which k, l and density.
type lgbKey struct {
	measure, method string
	k, l            int
	density         float64
}

// lgbGrid holds the runs of every key. Run r of two keys shares the flags (at
// the same density) and the queries.
type lgbGrid struct {
	table lgbTable
	runs  map[lgbKey][]float64
	held  int // records withheld, most of any cut

	asked, empty int // queries; those without a relative error
}

// Measures of a cut, and of the queries it answers.
const (
	lgbCDM     = "C_DM"
	lgbLoss    = "NCP"
	lgbMean    = "NCP a value"
	lgbSpread  = "deviation of group sizes"
	lgbBuckets = "width of the buckets of age"
	lgbRate    = "relative error rate"
	lgbMiddle  = "median relative error rate"
	lgbMissed  = "sums outside the bounds"
)

func newLGBGrid(t lgbTable) *lgbGrid { return &lgbGrid{table: t, runs: map[lgbKey][]float64{}} }

func (g *lgbGrid) add(key lgbKey, measure string, v float64) {
	key.measure = measure
	g.runs[key] = append(g.runs[key], v)
}

// overL is a series over l.
func (g *lgbGrid) overL(measure, method string, k int, density float64, ls ...int) *figures.Series {
	s := &figures.Series{Name: fmt.Sprintf("%s, k = %d", method, k), Dashed: method != lgbMDP && method != lgbNCP}
	for _, l := range ls {
		s.Append(float64(l), g.runs[lgbKey{measure, method, k, l, density}]...)
	}
	return s
}

// overK is a series over k.
func (g *lgbGrid) overK(measure, method string, l int, density float64) *figures.Series {
	s := &figures.Series{Name: fmt.Sprintf("%s, l = %d", method, l)}
	for _, k := range lgbKs {
		s.Append(float64(k), g.runs[lgbKey{measure, method, k, l, density}]...)
	}
	return s
}

// overDensity is a series over the share of sensitive values.
func (g *lgbGrid) overDensity(measure, method string, k, l int) *figures.Series {
	s := &figures.Series{Name: fmt.Sprintf("k = %d, l = %d", k, l)}
	for _, d := range lgbShares {
		s.Append(100*d, g.runs[lgbKey{measure, method, k, l, d}]...)
	}
	return s
}

// point cuts by every method and asks.
func (g *lgbGrid) point(f *equivclass.FlaggedTable, w lgbWorkload, p lgbPlan, key lgbKey, seed uint64) error {
	for _, m := range p.methods {
		key.method = m.name
		cut, err := g.cut(f, m, key, seed)
		if err != nil {
			return err
		}
		if p.queries > 0 {
			g.ask(f, cut, w, key)
		}
	}
	return nil
}

// cut measures what a cut loses and returns it.
func (g *lgbGrid) cut(f *equivclass.FlaggedTable, m lgbMethod, key lgbKey, seed uint64) (*equivclass.LGBResult, error) {
	cut, err := m.cut(f, key.k, key.l, seed)
	if err != nil {
		return nil, fmt.Errorf("%s at k = %d, l = %d: %w", m.name, key.k, key.l, err)
	}
	sizes := equivclass.Sizes(cut.Groups)
	loss, values := equivclass.LocalNCP(f, cut)
	g.held = max(g.held, len(cut.Rest))
	g.add(key, lgbCDM, float64(equivclass.CDM(sizes, len(cut.Rest), 1)))
	g.add(key, lgbLoss, loss)
	g.add(key, lgbMean, loss/math.Max(1, float64(values)))
	g.add(key, lgbSpread, deviation(sizes))
	g.add(key, lgbBuckets, equivclass.BucketWidth(f, cut, lgbAge))
	return cut, nil
}

// deviation is the standard deviation of sizes.
func deviation(sizes []int) float64 {
	var sum, squares float64
	for _, s := range sizes {
		sum, squares = sum+float64(s), squares+float64(s)*float64(s)
	}
	n := math.Max(1, float64(len(sizes)))
	return math.Sqrt(math.Max(0, squares/n-sum/n*sum/n))
}

// lgbWorkload is the queries of a run with their true sums; those whose sum is 0
// have no relative error.
type lgbWorkload struct {
	queries []*equivclass.BoundQuery
	actual  []float64
	empty   int
}

func (t lgbTable) workload(n int, seed uint64) lgbWorkload {
	rows := make([]int32, t.Len())
	for i := range rows {
		rows[i] = int32(i)
	}
	whole := equivclass.NewBlockRelease(t.Dicts, t.Codes, [][]int32{rows}, equivclass.WholeBlock(len(t.Dicts)))
	var w lgbWorkload
	for _, q := range equivclass.SumWorkload(t.Dicts, lgbAsked, lgbSensitive, 4, n, rand.New(rand.NewPCG(seed, 3))) {
		if sum := whole.Estimate(q).Estimate; sum != 0 {
			w.queries, w.actual = append(w.queries, q), append(w.actual, sum)
		} else {
			w.empty++
		}
	}
	return w
}

// ask measures the error rate of a cut, (upper - lower) / actual with the
// paper's bounds, and how often the true sum lies outside them.
func (g *lgbGrid) ask(f *equivclass.FlaggedTable, cut *equivclass.LGBResult, w lgbWorkload, key lgbKey) {
	r := equivclass.NewLocalRelease(f, cut)
	r.Grain = equivclass.Grains(f.Dicts)
	var rates []float64
	missed := 0
	for i, q := range w.queries {
		a := r.PaperSum(q)
		rates = append(rates, (a.Upper-a.Lower)/math.Abs(w.actual[i]))
		if w.actual[i] < a.Lower-1e-6 || w.actual[i] > a.Upper+1e-6 {
			missed++
		}
	}
	g.add(key, lgbRate, figures.Mean(rates))
	g.add(key, lgbMiddle, figures.Median(rates))
	g.add(key, lgbMissed, float64(missed)/math.Max(1, float64(len(rates))))
}
