// Package extract forms classes of near records: the daemon's default for levels L0
// and L1.
//
// Guarantee: that of equivclass.Partitioner. Classes have k records or hardly more,
// each eligible by itself.
//
// Method: the pool is divided into parts of near records; in each part a class grows
// from a seed by the nearest record that keeps the requirement reachable; records left
// over are absorbed or rescued by median cuts; then pairs of records are exchanged as
// long as that lowers the loss. Ours, on k-member clustering (Byun et al., DASFAA
// 2007). Cost and figures: docs/BENCHMARKS.md.
//
// Recut and RankCut form the classes of one signature anew (rule P).
package extract
