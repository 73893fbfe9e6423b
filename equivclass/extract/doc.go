// Package extract forms classes of near records. It is the daemon's default for
// levels L0 and L1.
//
// Guarantee: that of equivclass.Partitioner. Classes have k records or hardly
// more, and each is eligible by itself. Recut and RankCut keep every value of a
// signature equally often in every class (rule P, pure classes).
//
// Method: the pool is divided into parts of near records. In each part a class
// grows from a seed by the nearest record that keeps the requirement reachable.
// Records left over are absorbed or rescued by median cuts. Then pairs of
// classes exchange records as long as that lowers the loss. Recut and RankCut
// form the classes of one signature again.
//
// Difference from the paper: k-member clustering knows neither l nor exchanges;
// both are ours.
//
// Cost: nearly linear in the number of records, see Extract and
// docs/BENCHMARKS.md.
//
// Source: ours, on k-member clustering (Byun, Kamra, Bertino and Li, DASFAA
// 2007).
package extract
