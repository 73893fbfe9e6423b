// Package cut has what several ways of forming classes share.
//
// Guarantee: Judge says exactly which sets of rows satisfy a requirement;
// BySubject never puts two records of a subject into one class (rule S,
// subjects); TopDown returns sets that the judge accepted, and everything else
// as rest.
//
// Method: counts in scratch space (Judge), median cuts (MedianCutter), selection (Nth),
// draws (Shuffle, Below). The package knows rows of a pool and not where they came from.
//
// Cost: each function says its own; all are linear in the rows they get, but
// for sorting.
//
// Source: median cuts are those of Mondrian (LeFevre et al., ICDE 2006).
package cut
