// Package estimate has the estimators that analysts need, on package query: Model, a log-linear model that is fitted to a release, and
// Joint for several sensitive attributes; and for experiments LocalRelease, which answers from local buckets. Sets and Sums draw its
// queries.
//
// Guarantee: bounds contain the true answer over the published records. Intervals are estimates: how often they hold the truth is
// measured (TestIntervalsCover).
//
// Difference from the papers: the bounds are ours. Li, He and Sun print others, which may fail
// (PaperSum).
//
// Cost: each estimator says its own.
//
// Source: Li, He and Sun, section 4.2; Sun et al. (ICEBE 2009), section IV; Zhu et al. (ComSIS
// 2015), section 5; Dempster, Laird and Rubin (1977) for EM; Darroch and Ratcliff (1972) for the scaling of log-linear models; Rubin
// (1981) for the weights of buckets.
package estimate
