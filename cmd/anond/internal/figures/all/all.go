// Package all lists the figures. It is above their packages, which know the engine
// only.
package all

import (
	"slices"

	"anond/cmd/anond/internal/figures"
	"anond/cmd/anond/internal/figures/frontier"
	"anond/cmd/anond/internal/figures/lgb"
	"anond/cmd/anond/internal/figures/permutation"
	"anond/cmd/anond/internal/figures/sun"
	"anond/cmd/anond/internal/figures/wang"
	"anond/cmd/anond/internal/figures/zhu"
)

// Papers returns every figure of the papers, in the order of their numbers.
func Papers() []figures.Figure {
	return slices.Concat(wang.Figures(), zhu.Figures(), sun.Figures(), lgb.Figures(), permutation.Figures())
}

// Figures returns the papers' figures, and the engine's own.
func Figures() []figures.Figure { return append(Papers(), frontier.Figures()...) }
