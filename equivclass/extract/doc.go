// Package extract forms classes of near records. Extract is the daemon's default
// for levels L0 and L1; Blind is for level L2.
//
// Guarantee: that of equivclass.Partitioner. Extract's classes have k records or
// hardly more, and each is eligible by itself. Recut and RankCut keep every
// value of a signature equally often in every class (rule P, pure classes).
// Blind's classes have exactly k records and depend on no value, since it is
// given none (rule B, buckets).
//
// Method: the pool is divided into parts of near records. In each part a class
// grows from a seed by the nearest record that keeps the requirement reachable.
// Records left over are absorbed or rescued by median cuts. Then pairs of
// classes exchange records as long as that lowers the loss. Recut and RankCut
// form the classes of one signature again. Blind first takes out equal records,
// and divides neighbouring classes anew before the exchange.
//
// Difference from the papers: k-member clustering knows neither l nor exchanges,
// grows its classes from the whole table, lets leftovers join classes that are
// complete, and never divides classes anew. The top-down cuts of Mondrian
// (LeFevre, DeWitt and Ramakrishnan, ICDE 2006) and of Wang, Xu and Sun leave
// classes of k to 2k-1 records; Blind's have k.
//
// Cost: nearly linear in the number of records, see Extract and
// rig/docs/BENCHMARKS.md.
//
// Source: ours, on k-member clustering (Byun, Kamra, Bertino and Li, DASFAA
// 2007).
package extract
