// Package equivtest helps to test ways of forming classes. For tests only.
//
// Guarantee: Run fails a partitioner that breaks the contract of
// equivclass.Partitioner on the pools it draws. Data are the same on every run:
// drawn from a seed, or read from the public datasets.
//
// Method: pools and tables (Grid, Clustered, Correlated, AdultPool), the worked
// examples of the papers, plain counting (CheckCover, CheckPartition) and slow,
// obvious versions of what partitioners compute (NaiveSplit, NaiveColumn).
//
// Cost: Run takes a few hundred small pools.
//
// Source: UCI Adult and the American Community Survey (testdata/README.md); the
// tables of the source papers.
package equivtest
