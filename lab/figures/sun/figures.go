package sun

import (
	"context"
	"fmt"
	"slices"

	"anond/internal/ops/chart"
	"anond/lab/figures"
)

// less is the claim that heads the error figures.
func (m *measures) less(text string) figures.Claim {
	return figures.NewClaim(text, "", figures.Below(figures.Pairs, m.mean.Of(anatomyName), m.mean.All(orgName, multiName)...))
}

func figure2(ctx context.Context, in figures.Input) (*figures.Result, error) {
	m, err := measureErrors(ctx, in, "d", []float64{3, 4, 5, 6, 7}, func(w *setting, x float64) { w.d, w.qd = int(x), int(x) })
	if err != nil {
		return nil, err
	}
	own := figures.Below(figures.Pairs, m.mean.Of(anatomyName), m.mean.Of(ownCellsName))
	return m.result(chart.Axis{Label: "number d of QI attributes"},
		m.less("Anatomy(p,k) gives a lower average relative error than Org(p,k) and Multi(p,k)."),
		figures.NewClaim("That is because Anatomy(p,k) does not generalize (tested: the same groups, generalized).", "", own),
		figures.NewClaim("The accuracy of Org(p,k) decays severely as the dimensionality increases.", "", figures.Fit(true, m.mean.Of(orgName))),
	), nil
}

func figure3(ctx context.Context, in figures.Input) (*figures.Result, error) {
	m, err := measureErrors(ctx, in, "qd", []float64{1, 2, 3, 4, 5}, func(w *setting, x float64) { w.qd = int(x) })
	if err != nil {
		return nil, err
	}
	return m.result(chart.Axis{Label: "query dimensionality qd"},
		figures.NewClaim("The error of anatomy is consistently small.", "", figures.Within(2, m.mean.Of(anatomyName))),
		m.less("The generalization-based approaches are the worst techniques."),
	), nil
}

func figure4(ctx context.Context, in figures.Input) (*figures.Result, error) {
	m, err := measureErrors(ctx, in, "s in %", []float64{0.25, 0.5, 1, 2, 4}, func(w *setting, x float64) { w.s = x / 100 })
	if err != nil {
		return nil, err
	}
	return m.result(chart.Axis{Label: "expected selectivity s, %"},
		figures.NewClaim("The average relative error of all three algorithms decreases when s increases.", "", figures.Fit(false, m.paper()...)),
		figures.NewClaim("When s is larger the actual count is larger, and it is the denominator of the relative error.", "",
			figures.Fit(true, m.actual)),
		figures.NewClaim("Besides, generalized values that match more of the query give a more accurate estimate (tested: sum of |act - est| "+
			"over sum of act).", "", figures.Fit(false, m.total.All(orgName, multiName)...)),
	), nil
}

func figure5(ctx context.Context, in figures.Input) (*figures.Result, error) {
	m, err := measureErrors(ctx, in, "p", []float64{2, 4, 6, 8, 10}, func(w *setting, x float64) { w.p = int(x) })
	if err != nil {
		return nil, err
	}
	small, err := measureErrors(ctx, in, "p at k = 5", m.mean.Of(orgName).X, func(w *setting, x float64) { w.p, w.k = int(x), 5 })
	if err != nil {
		return nil, err
	}
	why := fmt.Sprintf("Where k = %d decides, p has no additional effect: even at p = 2 every class of Org has %g or more different "+
		"occupations. With a small k p does bind (at k = 5 Org takes more general depths from p = 4 to 8).", defaults.k,
		slices.Min(m.fewest.Runs[0]))
	return m.result(chart.Axis{Label: "p"},
		figures.NewClaim("The error of anatomy increases with p, because stronger privacy needs more distortion.", "",
			figures.Fit(true, m.mean.Of(anatomyName))),
		figures.NewClaim("The error of the generalization-based methods increases with p.", why,
			figures.Fit(true, m.mean.All(orgName, multiName)...)).
			NeedsToHold("k would have to be small enough for p to bind, such as 5.", figures.Fit(true, small.mean.All(orgName, multiName)...)),
	), nil
}

func figure6(ctx context.Context, in figures.Input) (*figures.Result, error) {
	m, err := measureErrors(ctx, in, "k", []float64{5, 10, 15, 20, 30}, func(w *setting, x float64) { w.k = int(x) })
	if err != nil {
		return nil, err
	}
	return m.result(chart.Axis{Label: "k"},
		figures.NewClaim("The error of anatomy increases with k.", "", figures.Fit(true, m.mean.Of(anatomyName))),
		figures.NewClaim("The error of the generalization-based methods increases with k.", "Org uses one depth for each attribute, "+
			"so its error "+
			"is a step function of k: on Adult the depths are the same for every k from 15 on, and below that those of least NCP are not those "+
			"of least query error. Multi rises.", figures.Fit(true, m.mean.All(orgName, multiName)...)),
	), nil
}

func figure7(ctx context.Context, in figures.Input) (*figures.Result, error) {
	m, err := measureErrors(ctx, in, "n", []float64{25000, 30000, 35000, 40000, 45000}, func(w *setting, x float64) { w.n = int(x) })
	if err != nil {
		return nil, err
	}
	return m.result(chart.Axis{Label: "number n of records"},
		figures.NewClaim("The average relative error of all three algorithms decreases slightly when n increases.",
			"Org takes the same depths at 25,000 and at 45,000 records (checked in every run), so its cells are no finer and its error moves "+
				"with the sample only. The other two do fall.", figures.Fit(false, m.paper()...)),
		figures.NewClaim("When n is larger a tuple is more likely to meet an alike one without much generalization (tested: NCP of the "+
			"groups of Anatomy(p,k)).", "", figures.Fit(false, m.ncp)),
		m.less("Anatomy(p,k) gives a lower average relative error than Org(p,k) and Multi(p,k)."),
		figures.NewClaim("The effectiveness of each method remains fairly stable at all cardinalities.", "", figures.Within(1.5, m.paper()...)),
	), nil
}
