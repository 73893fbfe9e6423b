package lgb

import (
	"fmt"
	"math"
	"math/rand/v2"

	"anond/equivclass/flagged"
	"anond/equivclass/measure"
	"anond/equivclass/query"
	"anond/lab/estimate"
	"anond/lab/figures"
	"anond/lab/lgb"
)

// gridKey is what is measured, of which method at which k, l and density.
type gridKey struct {
	measure, method string
	k, l            int
	density         float64
}

// grid holds the runs of every key. Run r of two keys shares the flags (at
// the same density) and the queries.
type grid struct {
	table table
	runs  map[gridKey][]float64
	held  int // records withheld, most of any cut
	fold  int // records folded, most of any cut

	asked, empty int // queries; those without a relative error
}

// Measures of a cut, and of the queries it answers.
const (
	ofCDM        = "C_DM"
	ofNCP        = "NCP" // an exact value costs 0, the whole domain 1
	ofPrintedOne = "NCP as printed, an exact value has one leaf"
	ofPrintedNil = "NCP as printed, an exact value has no leaf below it"
	ofNCPValue   = "NCP a value"
	ofSpread     = "deviation of group sizes"
	ofBuckets    = "width of the buckets of age"
	ofRate       = "relative error rate"
	ofMedianRate = "median relative error rate"
	ofMissed     = "sums outside the bounds"
)

func newGrid(t table) *grid { return &grid{table: t, runs: map[gridKey][]float64{}} }

func (g *grid) add(key gridKey, measure string, v float64) {
	key.measure = measure
	g.runs[key] = append(g.runs[key], v)
}

// overL is a series over l.
func (g *grid) overL(measure, method string, k int, density float64, ls ...int) *figures.Series {
	s := &figures.Series{Name: fmt.Sprintf("%s, k = %d", method, k), Dashed: method != nameMDP && method != nameNCP}
	for _, l := range ls {
		s.Append(float64(l), g.runs[gridKey{measure, method, k, l, density}]...)
	}
	return s
}

// overK is a series over k.
func (g *grid) overK(measure, method string, l int, density float64) *figures.Series {
	s := &figures.Series{Name: fmt.Sprintf("%s, l = %d", method, l)}
	for _, k := range allK {
		s.Append(float64(k), g.runs[gridKey{measure, method, k, l, density}]...)
	}
	return s
}

// overDensity is a series over the share of sensitive values.
func (g *grid) overDensity(measure, method string, k, l int) *figures.Series {
	s := &figures.Series{Name: fmt.Sprintf("k = %d, l = %d", k, l)}
	for _, d := range densities {
		s.Append(100*d, g.runs[gridKey{measure, method, k, l, d}]...)
	}
	return s
}

// point cuts by every method and asks.
func (g *grid) point(f *flagged.Table, w workload, p plan, key gridKey, seed uint64) error {
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
func (g *grid) cut(f *flagged.Table, m cutter, key gridKey, seed uint64) (*lgb.Result, error) {
	cut, err := m.cut(f, key.k, key.l, seed)
	if err != nil {
		return nil, fmt.Errorf("%s at k = %d, l = %d: %w", m.name, key.k, key.l, err)
	}
	sizes := measure.Sizes(cut.Groups)
	loss, values := estimate.LocalNCP(f, cut)
	g.held, g.fold = max(g.held, len(cut.Rest)), max(g.fold, folded(f, cut))
	one, none := printedNCP(f, cut)
	g.add(key, ofPrintedOne, one)
	g.add(key, ofPrintedNil, none)
	g.add(key, ofCDM, float64(measure.CDM(sizes, len(cut.Rest), 1)))
	g.add(key, ofNCP, loss)
	g.add(key, ofNCPValue, loss/math.Max(1, float64(values)))
	g.add(key, ofSpread, deviation(sizes))
	g.add(key, ofBuckets, estimate.BucketWidth(f, cut, ageAt))
	return cut, nil
}

// folded counts the records of which more is bucketed than they flagged.
func folded(f *flagged.Table, cut *lgb.Result) (n int) {
	for g, rows := range cut.Groups {
		for _, r := range rows {
			if f.Flags[r] != cut.Flags[g] {
				n++
			}
		}
	}
	return n
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

// workload is the queries of a run with their true sums; those whose sum is 0
// have no relative error.
type workload struct {
	queries []*query.Bound
	actual  []float64
	empty   int
}

func (t table) workload(n int, seed uint64) workload {
	rows := make([]int32, t.Len())
	for i := range rows {
		rows[i] = int32(i)
	}
	whole := query.NewBlockRelease(t.Dicts, t.Codes, [][]int32{rows}, query.WholeBlock(len(t.Dicts)))
	var w workload
	for _, q := range estimate.Sums(t.Dicts, askedAttributes, sensitive, 4, n, rand.New(rand.NewPCG(seed, 3))) {
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
func (g *grid) ask(f *flagged.Table, cut *lgb.Result, w workload, key gridKey) {
	r := estimate.NewLocalRelease(f, cut)
	r.Grain = query.Grains(f.Dicts)
	sums := estimate.NewPaperSums(r, sensitive)
	var rates []float64
	missed := 0
	for i, q := range w.queries {
		lower, upper := sums.Bounds(q)
		rates = append(rates, (upper-lower)/math.Abs(w.actual[i]))
		if w.actual[i] < lower-1e-6 || w.actual[i] > upper+1e-6 {
			missed++
		}
	}
	g.add(key, ofRate, figures.Mean(rates))
	g.add(key, ofMedianRate, figures.Median(rates))
	g.add(key, ofMissed, float64(missed)/math.Max(1, float64(len(rates))))
}
