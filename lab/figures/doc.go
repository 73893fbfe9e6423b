// Package figures is the engine that re-draws the figures of the source papers
// with this program's own methods, on public data or, where a paper's data is
// not public, on generated records with the cardinalities of its attribute
// table.
//
// Guarantee: the same data, seed and scale give the same numbers and verdicts,
// except for times. A figure that fails or panics does not affect the others.
//
// Method: a Figure measures Series, draws them as Panels and judges Claims:
// statements of its paper as sentences, each with the Readings of its words
// that were measured and, under each, a verdict and the numbers for it. Runs of
// two series share their records and queries, so that they are compared in
// pairs. A claim is decided only where all pairs agree, or beyond a stated gap
// or standard error. A Report is a run of figures for people to read.
//
// The figures are in packages below, one for each paper; all lists them, chart
// draws, dataset has the records. They import the engine, and it imports none
// of them.
//
// Difference from the papers: each figure's notes and package comment say what
// its set-up does differently, and series that are ours are dashed.
//
// Cost: that of the figures. `anond-lab experiment list`, `run` and `all` use this
// package; nothing of the daemon depends on it.
//
// Source: the figures of the five papers, named by each package.
package figures
