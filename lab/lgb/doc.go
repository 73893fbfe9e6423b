// Package lgb is local generalization and bucketization: a release in which
// each person has said which of their values are sensitive.
//
// Guarantee: LGB. Each record's row is one of K or more, and each sensitive
// value lies in a local bucket that keeps the promise of its attribute (l
// different values, or a principle). A bucket that crosses groups does not keep
// 1/l if each assignment of values is counted once (level L0); LGB.Nested does.
//
// Method: records of equal flags are cut into groups by any partitioner, and
// the sensitive values of each attribute are cut into buckets of their own.
//
// Difference from the paper: subsets of fewer than K records are folded or
// withheld; buckets of a principle are unions of groups; Nested is ours.
//
// Cost: that of the partitioner, and n log n for each attribute with sensitive
// values.
//
// Source: Li, He and Sun, "Local Generalization and Bucketization Technique for
// Personalized Privacy Preservation", definitions 1 to 7, algorithms 1 to 4;
// Xiao and Tao, "m-Invariance" (SIGMOD 2007), for the assignment of values to
// buckets.
package lgb
