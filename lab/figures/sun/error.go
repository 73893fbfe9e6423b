package sun

import (
	"context"
	"fmt"
	"math"

	"anond/equivclass"
	"anond/equivclass/accuracy"
	"anond/equivclass/query"
	"anond/internal/ops/chart"
	"anond/lab/bucketize"
	"anond/lab/figures"
	"anond/lab/topdown"
)

// Series of figures 2 to 7. The first three are the paper's.
const (
	anatomyName   = "Anatomy(p,k)"
	orgName       = "Org(p,k)"
	multiName     = "Multi(p,k)"
	ncpName       = "p-sensitive-ncp (ours)"
	upName        = "arp-up, anatomized (ours)"
	fixedName     = "ncp-split-fixed, generalized (ours)"
	ownCellsName  = "groups of Anatomy(p,k), generalized"
	asPrintedName = "Anatomy(p,k), the SQL as printed"
)

// paperNames are the series of the paper.
var paperNames = []string{anatomyName, orgName, multiName}

// errorRuns is how often a point is measured: each run has a sample of Adult and
// queries of its own.
const errorRuns = 5

// queriesPerRun is the number of queries a run; the paper does not say its own.
const queriesPerRun = 400

// measures is what the runs of figures 2 to 7 measure, by series, in order.
type measures struct {
	mean   *figures.Lines  // mean relative error, what the paper plots
	middle *figures.Lines  // median of it
	total  *figures.Lines  // sum of |act - est| over sum of act
	actual *figures.Series // mean act of the queries that count
	ncp    *figures.Series // of the groups of Anatomy(p,k), were they generalized
	fewest *figures.Series // different sensitive values in a class of Org
	empty  int             // queries whose act is 0: they have no relative error
	asked  int
}

func newMeasures() *measures {
	empty := func() *figures.Lines {
		return figures.NewLines(nil, paperNames, []string{ncpName, upName, fixedName, ownCellsName, asPrintedName})
	}
	return &measures{
		mean: empty(), middle: empty(), total: empty(),
		actual: &figures.Series{Name: "mean act"}, ncp: &figures.Series{Name: "NCP"}, fewest: &figures.Series{Name: "fewest values"},
	}
}

// paper returns the three methods of the paper.
func (m *measures) paper() []*figures.Series { return m.mean.All(paperNames...) }

// measureErrors measures the settings that differ from the defaults in what vary changes.
func measureErrors(ctx context.Context, in figures.Input, axis string, xs []float64, vary func(w *setting, x float64)) (*measures, error) {
	adult, err := in.Data.Adult(0, columns...)
	if err != nil {
		return nil, err
	}
	m := newMeasures()
	for _, x := range xs {
		w := defaults
		vary(&w, x)
		w.n = in.Rows(w.n, 400)
		for run := range errorRuns {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			in.Step(fmt.Sprintf("%s = %s, run %d of %d", axis, figures.Number(x, 4), run+1, errorRuns))
			m.run(x, w, w.sample(adult, in.Seed+uint64(run)), in.Rows(queriesPerRun, 30), in.Seed+uint64(run))
		}
	}
	return m, nil
}

func (m *measures) run(x float64, w setting, t *equivclass.Table, queries int, seed uint64) {
	asked, actual := m.truth(x, w, t, queries, seed)
	add := func(name string, answer func(*query.Bound) float64) {
		var errs []float64
		var off, sum float64
		for i, q := range asked {
			e := answer(q)
			errs = append(errs, accuracy.RelativeError(actual[i], e))
			off, sum = off+math.Abs(e-actual[i]), sum+actual[i]
		}
		m.mean.Of(name).Add(x, figures.Mean(errs))
		m.middle.Of(name).Add(x, figures.Median(errs))
		m.total.Of(name).Add(x, off/math.Max(1, sum))
	}
	groups := w.partition(t, topdown.PSensitive{P: w.p})
	m.ncp.Add(x, equivclass.NCP(t.Pool(w.quasi(), w.d), groups, 0))
	tables := publishAnatomy(t, groups)
	add(anatomyName, estimateOf(tables))
	add(asPrintedName, func(q *query.Bound) float64 { return asPrinted(tables, q) })
	add(ownCellsName, estimateOf(publishCells(t, groups)))
	org := w.partition(t, topdown.FullDomain{P: w.p})
	m.fewest.Add(x, fewestValues(t, org))
	add(orgName, estimateOf(publishFullDomain(t, org)))
	add(multiName, estimateOf(publishCells(t, w.partition(t, topdown.Multi{P: w.p}))))
	add(ncpName, estimateOf(publishAnatomy(t, w.partition(t, topdown.PSensitiveNCP{P: w.p}))))
	add(upName, estimateOf(publishAnatomy(t, w.partition(t, bucketize.ARPUp{}))))
	add(fixedName, estimateOf(publishCells(t, w.partition(t, topdown.NCPSplit{Fixed: true, Seed: seed}))))
}

// fewestValues is the least number of different sensitive values in a class.
func fewestValues(t *equivclass.Table, groups [][]int32) float64 {
	fewest := math.Inf(1)
	for _, g := range groups {
		var b equivclass.Bag
		for _, r := range g {
			b.Add(t.Codes[len(t.Codes)-1][r], 1)
		}
		fewest = min(fewest, float64(len(b.Counts)))
	}
	return fewest
}

func estimateOf(r query.Estimator) func(*query.Bound) float64 {
	return func(q *query.Bound) float64 { return r.Estimate(q).Estimate }
}

// truth returns the queries whose answer is not 0, with it.
func (m *measures) truth(x float64, w setting, t *equivclass.Table, n int, seed uint64) (asked []*query.Bound, actual []float64) {
	rows := make([]int32, t.Len())
	for i := range rows {
		rows[i] = int32(i)
	}
	whole := query.NewBlockRelease(t.Dicts, t.Codes, [][]int32{rows}, query.WholeBlock(len(t.Dicts)))
	for _, q := range w.queries(t, n, seed) {
		m.asked++
		if act := whole.Estimate(q).Estimate; act > 0 {
			asked, actual = append(asked, q), append(actual, act)
		} else {
			m.empty++
		}
	}
	m.actual.Add(x, figures.Mean(actual))
	return asked, actual
}

// result draws the error over an axis: the paper's mean, and the median.
func (m *measures) result(x chart.Axis, claims ...figures.Claim) *figures.Result {
	r := &figures.Result{Claims: claims, Panels: []figures.Panel{
		figures.PanelOfRuns("", "Average relative error", x, chart.Axis{Label: "average relative error", Log: true}, m.mean.All()),
		figures.PanelOfRuns("median", "Median relative error (ours: a few queries of tiny answers dominate the average)", x,
			chart.Axis{Label: "median relative error", Log: true}, m.middle.All()),
	}}
	r.Notes = append(r.Notes,
		fmt.Sprintf("%d runs a point, each with its own sample of Adult and %d queries; "+
			"of %d queries %d have the answer 0 and no relative error.", errorRuns, m.asked/max(1, errorRuns*len(m.actual.X)), m.asked, m.empty),
		"Answers: group shares for Anatomy(p,k) (Xiao and Tao; the papers' estimate), uniform within cells for Org and Multi, whose ranges "+
			"of age are half open; Org is shown at one depth an attribute, as full-domain generalization prints it.",
		fmt.Sprintf("Ours, average error: p-sensitive-ncp, which groups by NCP, %s; arp-up, which groups by what correlates with the sensitive "+
			"value, %s; ncp-split-fixed, generalized, %s.",
			figures.List(m.mean.Of(ncpName).Values()), figures.List(m.mean.Of(upName).Values()), figures.List(m.mean.Of(fixedName).Values())),
		m.literalNote())
	return r
}

// literalNote tells what the statement of the paper would give.
func (m *measures) literalNote() string {
	literal, shares := m.mean.Of(asPrintedName), m.mean.Of(anatomyName)
	f := figures.Below(figures.Pairs, literal, m.mean.All(orgName, multiName)...)
	return fmt.Sprintf("The SQL printed for Anatomy(p,k) counts every matching row of SS in a group as soon as one member's QI match, so "+
		"it overcounts up to k times: its average error is %s, against %s by group shares, which the claims are judged by. By the printed "+
		"SQL, \"less error than Org and Multi\" %s.",
		figures.List(literal.Values()), figures.List(shares.Values()), f.Verdict)
}
