// Package cut has what several ways of forming classes share.
//
// Guarantee: Judge says exactly which sets of rows satisfy a requirement;
// BySubject never puts two records of a subject into one class (rule S,
// subjects); TopDown returns sets that the judge accepted, and everything else
// as rest.
//
// Method: counts in scratch space (Judge, Tally), small numbers for values
// (Column), median cuts (MedianCutter), boxes that grow (BoxSplitter),
// selection (Nth), draws (Shuffle, Below). The package knows rows of a pool and
// not where they came from.
//
// Cost: each function says its own; all are linear in the rows they get, but
// for sorting.
//
// Source: median cuts are those of Mondrian (LeFevre et al., ICDE 2006),
// growing boxes those of Xu et al. (KDD 2006) and of permutation anonymization
// (Li, He, Cao and Chen, 2016, definition 3).
package cut
