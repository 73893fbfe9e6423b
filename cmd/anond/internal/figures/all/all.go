// Package all lists the figures of every paper. It is above the papers' packages,
// which know the engine only.
package all

import (
	"anond/cmd/anond/internal/figures"
	"anond/cmd/anond/internal/figures/lgb"
	"anond/cmd/anond/internal/figures/permutation"
	"anond/cmd/anond/internal/figures/sun"
	"anond/cmd/anond/internal/figures/wang"
	"anond/cmd/anond/internal/figures/zhu"
)

// Figures returns every figure, paper by paper, in the order of their numbers.
func Figures() []figures.Figure {
	var all []figures.Figure
	for _, paper := range [][]figures.Figure{wang.Figures(), zhu.Figures(), sun.Figures(), lgb.Figures(), permutation.Figures()} {
		all = append(all, paper...)
	}
	return all
}

// Find returns the figure of an ID.
func Find(id string) (figures.Figure, bool) {
	for _, f := range Figures() {
		if f.ID == id {
			return f, true
		}
	}
	return figures.Figure{}, false
}
