// Package lgb re-draws figures 5 to 8 of Li, He and Sun: what local
// generalization and bucketization loses by k, l and the share of sensitive
// values, and how well it answers sums.
//
// Guarantee: the seed fixes all numbers.
//
// Method: flags and queries are drawn again for each run and shared by all
// methods; the grid has every measure of every cut.
//
// Difference from the paper: its data is not public, so each figure is measured
// on an excerpt of ACS, which decides, and on generated records of the paper's
// size. The hierarchies, which it does not print, are made up; what only they
// refute is left open. Folding small subsets is ours.
//
// Cost: half a minute to minutes for each figure, most of it for queries.
//
// Source: "Local Generalization and Bucketization Technique for Personalized
// Privacy Preservation", section 4, figures 5 to 8, table 1.
package lgb

import (
	"context"
	"fmt"
	"slices"

	"anond/internal/ops/chart"
	"anond/lab/figures"
)

const (
	paper = "Li, He and Sun, \"Local Generalization and Bucketization Technique for Personalized Privacy Preservation\""
	about = "ACS 2019 excerpt, the rows without a missing value (16,000 of 27,253; the paper has 31,055 of the US census, not public), " +
		"sex, age and industry semi-sensitive, income sensitive; and generated records of the paper's size and table 1"
)

// Figures returns figures 5 to 8 of Li, He and Sun.
func Figures() []figures.Figure {
	return []figures.Figure{
		figure("lgb-5", "Discernibility C_DM over l, for each k", figure5),
		figure("lgb-6", "NCP over l, for each k", figure6),
		figure("lgb-7", "Relative error rate of SUM queries over l, for each k", figure7),
		figure("lgb-8", "Relative error rate at four shares of sensitive values", figure8),
	}
}

func figure(id, title string, run func(context.Context, figures.Input) (*figures.Result, error)) figures.Figure {
	return figures.Figure{ID: id, Paper: paper, Title: title, Data: about, Run: run}
}

// plan is what one table of a figure is measured at.
type plan struct {
	methods []cutter
	shares  []float64
	ks, ls  []int
	runs    int
	queries int // a run; 0: none are asked
}

// measureAll cuts a table and asks the cuts.
func measureAll(ctx context.Context, in figures.Input, t table, p plan) (*grid, error) {
	g := newGrid(t)
	for run := range p.runs {
		seed := in.Seed + uint64(run)
		var w workload
		if p.queries > 0 {
			w = t.workload(p.queries, seed)
			g.asked, g.empty = g.asked+p.queries, g.empty+w.empty
		}
		for _, share := range p.shares {
			f := t.flagged(share, seed)
			for _, k := range p.ks {
				in.Step(fmt.Sprintf("%s, run %d of %d, %g %% sensitive, k = %d", t.name, run+1, p.runs, 100*share, k))
				for _, l := range p.ls {
					if err := ctx.Err(); err != nil {
						return nil, err
					}
					if err := g.point(f, w, p, gridKey{k: k, l: l, density: share}, seed); err != nil {
						return nil, err
					}
				}
			}
		}
	}
	return g, nil
}

// bothTables are the public table, and the generated one of the paper's size.
func bothTables(in figures.Input) (acs, ipums table, err error) {
	if acs, err = treeACS(in.Data, in.Rows(27253, 500)); err != nil {
		return acs, ipums, err
	}
	ipums, err = generatedIPUMS(in.Rows(31055, 500), in.Seed)
	return acs, ipums, err
}

var (
	axisL        = chart.Axis{Label: "l"}
	paperMethods = []string{nameMDP, nameNCP}
)

// panels draws a measure over l: one panel a method of the paper, ours with
// the method it improves, dashed.
func (g *grid) panels(names [2]string, measure string, y chart.Axis, improved map[string]string) []figures.Panel {
	var out []figures.Panel
	for i, method := range paperMethods {
		var sweeps []*figures.Series
		for _, k := range allK {
			sweeps = append(sweeps, g.overL(measure, method, k, usualDensity, allL...))
		}
		if ours := improved[method]; ours != "" {
			for _, k := range allK {
				sweeps = append(sweeps, g.overL(measure, ours, k, usualDensity, allL...))
			}
		}
		out = append(out, figures.PanelOfRuns(names[i], method+", "+g.table.name, axisL, y, sweeps))
	}
	return out
}

// note tells the size of the table and what was withheld.
func (g *grid) note() string {
	text := fmt.Sprintf("%s: %d records, at most %d of them withheld and %d folded.", g.table.name, g.table.Len(), g.held, g.fold)
	if g.asked > 0 {
		text += fmt.Sprintf(" Of %d queries %d have the true sum 0 and no relative error.", g.asked, g.empty)
	}
	return text
}

const noteTree = "Both have made-up hierarchies of two or three levels over the values in order; the paper's are not printed."

const noteFold = "Folding is ours: a subset of the QI partition with fewer than k records would break proposition 2, which overlooks it, " +
	"so its records join a subset that protects more of their values, or are withheld."

const noteL = "An attribute whose commonest flagged value allows no l of 18 or 20 keeps the largest l it can (industry in ACS: 17 or 18)."

// withOther adds what another table says to a claim, reading by reading; the verdict
// stays that of the public data.
func withOther(public, other figures.Claim, name string) figures.Claim {
	public.Readings = slices.Clone(public.Readings)
	for i, r := range other.Readings {
		public.Readings[i].Numbers += fmt.Sprintf(". On %s: %s (%s)", name, r.Verdict, r.Numbers)
	}
	return public
}

func besideAll(public, other []figures.Claim, name string) []figures.Claim {
	out := make([]figures.Claim, len(public))
	for i := range public {
		out[i] = withOther(public[i], other[i], name)
	}
	return out
}
