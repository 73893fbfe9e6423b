// Package query estimates count and sum queries from releases: a small
// language, workloads, and estimators with bounds for each recoding.
//
// Guarantee: the bounds of an Answer contain the true answer over the published
// records, wherever their values lie inside cells. The estimate assumes uniform
// spread.
//
// Method: Parse reads a query, Bind resolves its names against the dictionaries
// of a release, and an Estimator answers it: CellRelease from generalized
// cells, BlockRelease from columns shuffled in groups (anatomy, permutation,
// slicing, exact data), LocalRelease from local buckets, BucketRelease from classes
// that share buckets. Model answers from a regression that is fitted to the
// release.
//
// Difference from the papers: the bounds are ours. Only Li, He and Sun print
// bounds, and those may fail (PaperSum).
//
// Cost: each estimator says its own; EstimateCounts answers eight count queries
// at a time.
//
// Source: Li, He, Cao and Chen (2016), section 4.2, examples 1 and 2; Li, He
// and Sun, section 4.2; Sun et al. (ICEBE 2009), section IV; Zhu et al. (ComSIS
// 2015), section 5.
package query
