// Package figures is the engine that re-draws the figures of the source papers
// with this program's own methods, on public data or, where a paper's data is not
// public, on generated records with the cardinalities of its attribute table.
//
// A Figure measures Series, draws them as Panels and judges Claims: statements of
// its paper as sentences, each with the Readings of its words that were measured
// and, under each, a verdict and the numbers that made it. A Report is a run of
// figures as people read it. The figures themselves are in packages below, one a
// paper; all lists them, chart draws, dataset has the records. They know the
// engine, and it knows none of them.
//
// Guarantee: the same data, seed and scale give the same numbers and verdicts, but
// for times; a figure that fails or panics leaves the others be. Method: runs of
// two series share their records and queries, so that they are compared in pairs;
// a claim is decided only where all pairs agree, or beyond a stated gap or
// standard error. Cost: that of the figures. It backs `anond experiment list`,
// `run` and `all`; nothing of the daemon depends on it.
package figures
