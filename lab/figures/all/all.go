// Package all lists the figures. It is the only package that imports all of
// their packages.
//
// Guarantee: every figure of a paper is in Papers once, in the order of its
// number; Figures has the engine's own as well. A test compares them with
// lab/docs/FIGURES.md.
//
// Method: it concatenates the lists of the packages.
//
// Cost: none. Source: the packages name their papers.
package all

import (
	"slices"

	"anond/lab/figures"
	"anond/lab/figures/attack"
	"anond/lab/figures/frontier"
	"anond/lab/figures/histories"
	"anond/lab/figures/lgb"
	"anond/lab/figures/permutation"
	"anond/lab/figures/recipients"
	"anond/lab/figures/shards"
	"anond/lab/figures/sun"
	"anond/lab/figures/wang"
	"anond/lab/figures/zhu"
)

// Papers returns every figure of the papers, in the order of their numbers.
func Papers() []figures.Figure {
	return slices.Concat(wang.Figures(), zhu.Figures(), sun.Figures(), lgb.Figures(), permutation.Figures())
}

// Figures returns the papers' figures, and the engine's own.
func Figures() []figures.Figure {
	return slices.Concat(Papers(), frontier.Figures(), attack.Figures(), shards.Figures(), recipients.Figures(), histories.Figures())
}
