// Package split has what several methods of the lab share, besides equivclass/cut: boxes that grow
// (BoxSplitter), counts in scratch space (Tally), small numbers for values (Column).
//
// Guarantee: each function says its own; none forms classes.
//
// Cost: linear in the rows they get, but for sorting.
//
// Source: growing boxes are those of Xu et al. (KDD 2006) and of permutation anonymization
// (Li, He, Cao and Chen, 2016, definition 3).
package split
