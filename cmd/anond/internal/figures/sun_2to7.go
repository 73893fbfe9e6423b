package figures

import (
	"context"
	"fmt"
	"slices"

	"anond/cmd/anond/internal/figures/chart"
)

// less is the claim that heads the error figures.
func (m *sunMeasures) less(text string) Claim {
	return below(byPairs, meanOf, m.mean[sunAnatomyName], m.mean[sunOrgName], m.mean[sunMultiName]).claim(text, "")
}

func sun2(ctx context.Context, in Input) (*Result, error) {
	m, err := sunSweep(ctx, in, "d", []float64{3, 4, 5, 6, 7}, func(x float64) sunSetting {
		w := sunDefault
		w.d, w.qd = int(x), int(x)
		return w
	})
	if err != nil {
		return nil, err
	}
	own := below(byPairs, meanOf, m.mean[sunAnatomyName], m.mean[sunOwnCellsName])
	return m.result(chart.Axis{Label: "number d of QI attributes"},
		m.less("Anatomy(p,k) gives a lower average relative error than Org(p,k) and Multi(p,k)."),
		own.claim("That is because Anatomy(p,k) does not generalize (tested: the same groups, generalized).", ""),
		rises(true, m.mean[sunOrgName]).claim("The accuracy of Org(p,k) decays severely as the dimensionality increases.", ""),
	), nil
}

func sun3(ctx context.Context, in Input) (*Result, error) {
	m, err := sunSweep(ctx, in, "qd", []float64{1, 2, 3, 4, 5}, func(x float64) sunSetting {
		w := sunDefault
		w.qd = int(x)
		return w
	})
	if err != nil {
		return nil, err
	}
	return m.result(chart.Axis{Label: "query dimensionality qd"},
		within(2, meanOf, m.mean[sunAnatomyName]).claim("The error of anatomy is consistently small.", ""),
		m.less("The generalization-based approaches are the worst techniques."),
	), nil
}

func sun4(ctx context.Context, in Input) (*Result, error) {
	m, err := sunSweep(ctx, in, "s in %", []float64{0.25, 0.5, 1, 2, 4}, func(x float64) sunSetting {
		w := sunDefault
		w.s = x / 100
		return w
	})
	if err != nil {
		return nil, err
	}
	return m.result(chart.Axis{Label: "expected selectivity s, %"},
		rises(false, m.paper()...).claim("The average relative error of all three algorithms decreases when s increases.", ""),
		rises(true, m.actual).claim("When s is larger the actual count is larger, and it is the denominator of the relative error.", ""),
		rises(false, m.total[sunOrgName], m.total[sunMultiName]).claim("Besides, generalized values that match more of the query give a more accurate estimate (tested: sum of |act - est| over sum of act).", ""),
	), nil
}

func sun5(ctx context.Context, in Input) (*Result, error) {
	m, err := sunSweep(ctx, in, "p", []float64{2, 4, 6, 8, 10}, func(x float64) sunSetting {
		w := sunDefault
		w.p = int(x)
		return w
	})
	if err != nil {
		return nil, err
	}
	why := fmt.Sprintf("Where k = %d decides, p asks for nothing more: even at p = 2 every class of Org has %g or more different occupations. With a small k p does bind (at k = 5 Org takes more general depths from p = 4 to 8).", sunDefault.k, slices.Min(m.fewest.y[0]))
	return m.result(chart.Axis{Label: "p"},
		rises(true, m.mean[sunAnatomyName]).claim("The error of anatomy increases with p, because stronger privacy needs more distortion.", ""),
		rises(true, m.mean[sunOrgName], m.mean[sunMultiName]).claim("The error of the generalization-based methods increases with p.", why),
	), nil
}

func sun6(ctx context.Context, in Input) (*Result, error) {
	m, err := sunSweep(ctx, in, "k", []float64{5, 10, 15, 20, 30}, func(x float64) sunSetting {
		w := sunDefault
		w.k = int(x)
		return w
	})
	if err != nil {
		return nil, err
	}
	return m.result(chart.Axis{Label: "k"},
		rises(true, m.mean[sunAnatomyName]).claim("The error of anatomy increases with k.", ""),
		rises(true, m.mean[sunOrgName], m.mean[sunMultiName]).claim("The error of the generalization-based methods increases with k.", "Org takes one depth an attribute, so its error is a step function of k: on Adult the depths are the same for every k from 15 on, and below that those of least NCP are not those of least query error. Multi rises."),
	), nil
}

func sun7(ctx context.Context, in Input) (*Result, error) {
	m, err := sunSweep(ctx, in, "n", []float64{25000, 30000, 35000, 40000, 45000}, func(x float64) sunSetting {
		w := sunDefault
		w.n = int(x)
		return w
	})
	if err != nil {
		return nil, err
	}
	return m.result(chart.Axis{Label: "number n of records"},
		rises(false, m.paper()...).claim("The average relative error of all three algorithms decreases slightly when n increases.", "Org takes the same depths at 25,000 and at 45,000 records (checked in every run), so its cells are no finer and its error moves with the sample only. The other two do fall."),
		rises(false, m.ncp).claim("When n is larger a tuple is more likely to meet an alike one without much generalization (tested: NCP of the groups of Anatomy(p,k)).", ""),
		m.less("Anatomy(p,k) gives a lower average relative error than Org(p,k) and Multi(p,k)."),
		within(1.5, meanOf, m.paper()...).claim("The effectiveness of each method remains fairly stable at all cardinalities.", ""),
	), nil
}
