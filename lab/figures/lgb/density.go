package lgb

import (
	"context"
	"fmt"
	"slices"

	"anond/internal/ops/chart"
	"anond/lab/figures"
)

func figure8(ctx context.Context, in figures.Input) (*figures.Result, error) {
	acs, ipums, err := bothTables(in)
	if err != nil {
		return nil, err
	}
	joint := acs
	joint.name, joint.together = "ACS, flags drawn together", true
	var g []*grid
	for i, t := range []table{acs, ipums, joint} {
		p := plan{methods: cutters()[:1], shares: densities, ks: allK, ls: allL, runs: in.Rows(askedRuns, 1), queries: in.Rows(askedQueries, 12)}
		if i == 0 {
			p.methods = []cutter{cutters()[0], cutters()[2]}
		}
		one, err := measureAll(ctx, in, t, p)
		if err != nil {
			return nil, err
		}
		g = append(g, one)
	}
	return &figures.Result{
		Panels: slices.Concat(g[0].panels8("", nameFixed), g[1].panels8("-generated", ""), g[2].panels8("-together", "")),
		Claims: byFlags(besideAll(g[0].claims8(), g[1].claims8(), g[1].table.name), g[2].claims8()),
		Notes: []string{g[0].note(), g[1].note(), g[2].note(), noteTree, noteL, noteFold, noteMean, g[0].missed(0.1), g[0].missed(0.4),
			"The paper sets \"the percentages of sensitive values\" of each attribute and does not say whether a person's flags depend on each " +
				"other. Drawn by themselves they make eight subsets of the QI partition, drawn together two."},
	}, nil
}

// byFlags makes one claim of what both ways to draw flags give.
func byFlags(alone, together []figures.Claim) []figures.Claim {
	out := make([]figures.Claim, len(alone))
	for i, c := range alone {
		one, other := c.Readings[0], together[i].Readings[0]
		one.Words, other.Words = "each flag drawn by itself", "one draw for a person's three flags (on ACS)"
		out[i] = figures.ClaimUnder(c.Text, c.Why, one, other).NeedsToHold(c.ToHold)
	}
	return out
}

// panels8 draws a panel for each share of sensitive values.
func (g *grid) panels8(suffix, ours string) (out []figures.Panel) {
	for i, share := range densities {
		var sweeps []*figures.Series
		for _, k := range allK {
			sweeps = append(sweeps, g.overL(ofRate, nameMDP, k, share, allL...))
		}
		if ours != "" {
			for _, k := range allK {
				sweeps = append(sweeps, g.overL(ofRate, ours, k, share, allL...))
			}
		}
		out = append(out, figures.PanelOfRuns(string(rune('a'+i))+suffix, fmt.Sprintf("%g %% sensitive, %s", 100*share, g.table.name),
			axisL, chart.Axis{Label: "relative error rate", Log: true}, sweeps))
	}
	return out
}

const whyDensity = "A bucketed value stays exact, but a row may have any value of its bucket, and with l of them that answers a query " +
	"no better than a cell. And flags split the table: the more different sets of QI attributes, the smaller each subset of the QI " +
	"partition and the wider its cells. So what is gained by taking a value out of the cells is lost again."

func (g *grid) claims8() []figures.Claim {
	return []figures.Claim{
		figures.NewClaim("As the density of sensitive values increases, the relative error rate declines.", whyDensity, withMedians(g.declines)).
			NeedsToHold("A bucket would have to answer a query better than the cell that it replaces, which is likeliest at the greatest k and the "+
				"least l.", g.declinesAt(10, 5)),
		figures.NewClaim("The most obvious reduction is at 40 %, k = 10 and l = 20.", whyDensity, withMedians(g.largest)).
			NeedsToHold("Wide buckets would have to lose less than narrow ones, so that at 40 % and k = 10 the rate falls with l, against figure 7.",
				figures.Fit(false, g.overL(ofRate, nameMDP, 10, 0.4, allL...))),
		figures.NewClaim("Fewer QI values narrow the ranges of generalized values (tested: NCP a generalized value falls with the density).",
			"Records are cut within their subset of the QI partition only. Three attributes that may be sensitive make eight subsets, each "+
				"smaller the more evenly flags fall, so groups span more.", g.narrows()).
			NeedsToHold("The subsets of the QI partition would have to stay whole, as far as they do where a person's flags are drawn together " +
				"(the second reading)."),
		figures.NewClaim("More sensitive values compose more local buckets, whose ranges decrease further (tested: the width of the buckets "+
			"of age).", "The claim is about every l, and a level line refutes it only for its own l: there the median cut goes no deeper however "+
			"many values there are, for whether both sides allow l goes by the share of the commonest value.", g.buckets(allL...)).
			NeedsToHold("The claim would have to leave out the l that is so large that the median cut goes no deeper.", g.bucketsThatFall()),
	}
}

func (g *grid) declines(measure string) figures.Finding {
	var sweeps []*figures.Series
	for _, k := range allK {
		for _, l := range allL {
			sweeps = append(sweeps, g.overDensity(measure, nameMDP, k, l))
		}
	}
	return figures.FitCounted("in the density", false, sweeps)
}

func (g *grid) declinesAt(k, l int) figures.Finding {
	return figures.Fit(false, g.overDensity(ofRate, nameMDP, k, l))
}

// largest looks for the largest reduction against 10 %.
func (g *grid) largest(measure string) figures.Finding {
	var best gridKey
	most := 0.0
	for _, k := range allK {
		for _, l := range allL {
			mean := g.overDensity(measure, nameMDP, k, l).Values()
			for i, v := range mean {
				if fall := 1 - v/mean[0]; fall > most {
					most, best = fall, gridKey{k: k, l: l, density: densities[i]}
				}
			}
		}
	}
	mean := g.overDensity(measure, nameMDP, 10, 20).Values()
	f := figures.Found(figures.HoldsNot, "at 40 %%, k = 10, l = 20 the rate is %.3g, at 10 %% it is %.3g", mean[len(mean)-1], mean[0])
	if most == 0 {
		f.Numbers += "; there is no reduction anywhere"
		return f
	}
	f.Numbers += fmt.Sprintf("; the largest reduction is by %.1f %% at %g %%, k = %d, l = %d", 100*most, 100*best.density, best.k, best.l)
	if best == (gridKey{k: 10, l: 20, density: 0.4}) {
		f.Verdict = figures.Holds
	}
	return f
}

func (g *grid) narrows() figures.Finding {
	var sweeps []*figures.Series
	for _, k := range allK {
		sweeps = append(sweeps, g.overDensity(ofNCPValue, nameMDP, k, 5))
	}
	return figures.FitCounted("NCP a value, in the density", false, sweeps)
}

func (g *grid) buckets(ls ...int) figures.Finding {
	var sweeps []*figures.Series
	for _, l := range ls {
		sweeps = append(sweeps, g.overDensity(ofBuckets, nameMDP, 5, l))
	}
	return figures.FitCounted("width of the buckets of age, in the density", false, sweeps)
}

// bucketsThatFall asks the same of every l but one, the one that refutes it.
func (g *grid) bucketsThatFall() figures.Finding {
	for i, l := range allL {
		if g.buckets(l).Verdict == figures.HoldsNot {
			return g.buckets(slices.Delete(slices.Clone(allL), i, i+1)...).Of(fmt.Sprintf("without l = %d: ", l))
		}
	}
	return g.buckets(allL...)
}
