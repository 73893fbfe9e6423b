// Package estimate has the estimators that only experiments and analysts need, on package query:
// LocalRelease answers from local buckets, Model from a regression that is fitted to a release. Sets and Sums draw their queries.
//
// Guarantee: the bounds of a LocalRelease contain the true answer over the published records. A
// Model has no bounds of its own.
//
// Difference from the papers: the bounds are ours. Li, He and Sun print others, which may fail
// (PaperSum).
//
// Cost: each estimator says its own.
//
// Source: Li, He and Sun, section 4.2; Sun et al. (ICEBE 2009), section IV; Zhu et al. (ComSIS
// 2015), section 5; the model names its sources at its declaration.
package estimate
