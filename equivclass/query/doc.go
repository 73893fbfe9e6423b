// Package query estimates counts, sums and means from releases: a small
// language, and estimators with bounds for each recoding.
//
// Guarantee: the bounds of an Answer contain the true answer over the published
// records, wherever their values lie inside cells. The estimate assumes uniform
// spread.
//
// Method: Parse reads a query, Bind resolves its names against the dictionaries
// of a release, and an Estimator answers it: CellRelease from generalized
// cells, BlockRelease from columns shuffled in groups (anatomy, permutation,
// slicing, exact data), BucketRelease from classes that share buckets. Fit says how
// cells meet a predicate, for further estimators.
//
// Difference from the papers: the bounds are ours.
//
// Cost: each estimator says its own; EstimateCounts answers eight count queries
// at a time.
//
// Source: Li, He, Cao and Chen (2016), section 4.2, examples 1 and 2; Zhu et al. (ComSIS
// 2015), section 5.
package query
