package permutation

import (
	"context"
	"fmt"
	"strconv"

	"anond/cmd/anond/internal/figures"
	"anond/cmd/anond/internal/figures/chart"
	"anond/cmd/anond/internal/figures/dataset"
)

// study finds out why permutation answers better or worse than anatomy. It
// changes two things: its groups lie close together, which keeps more of how
// the sensitive attribute depends on the quasi-identifiers; and it shuffles the
// quasi-identifiers against each other, which loses how they depend on one
// another within a group. So the study raises that dependence from zero.
type study struct {
	sweep *sweep // x: strength of the dependence between quasi-identifiers
}

func studyWhy(ctx context.Context, in figures.Input) (*study, error) {
	s := &study{newSweep("OCC-5", []float64{0, .5, 1, 1.5})}
	for i, strength := range s.sweep.x {
		for seed := in.Seed; seed < in.Seed+seedsEach; seed++ {
			in.Step(fmt.Sprintf("OCC-5, quasi-identifiers depend on each other %v times, seed %d", strength, seed))
			t := occ(dataset.Generated(dataset.Census().Scaled(strength, "gender", "education", "marital", "race"), in.Rows(usualN/2, 2000),
				seed), 5)
			w := t.workload(ctx, usualW, usualVolume, queriesAsked(in), seed)
			if err := s.sweep.measure(ctx, i, t, w, s.sweep.cut(t, usualL, seed)); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

func (s *study) panel(name string) figures.Panel {
	var over []*figures.Series
	var rows [][]string
	highest := 1.0
	for m, method := range s.sweep.methods {
		line := &figures.Series{Name: method.name, Dashed: method.dashed}
		for i, x := range s.sweep.x {
			mean := s.sweep.mean(m, i)
			share := mean / s.sweep.mean(byAnatomy, i)
			highest = max(highest, share)
			line.Append(x, share)
			rows = append(rows, []string{figures.Number(x, 6), method.name, decimal(mean), strconv.FormatFloat(share, 'f', 3, 64)})
		}
		over = append(over, line)
	}
	p := figures.Draw(name, "Why: error over anatomy's", chart.Axis{Label: "dependence between quasi-identifiers (1: as in the other panels)"},
		chart.Axis{Label: "error / anatomy's error", Max: highest * 1.02}, over)
	p.Chart.Note = "OCC-5, l = 10; below 1 is better than anatomy"
	p.Header, p.Rows = []string{"dependence between quasi-identifiers", "method", "mean error", "over anatomy's"}, rows
	return p
}
