// Package bucketize groups records so that sensitive values can be published apart
// from quasi-identifiers: Anatomy (Xiao and Tao, VLDB 2006), the refining partitions of
// Zhu et al. (ComSIS 2015) with rings, slicing and randomization, and permutation
// anonymization (Li, He, Cao and Chen, 2016).
//
// Guarantee of each partitioner: that of equivclass.Partitioner. Each type says its
// method, where it differs from its paper, and what it costs.
package bucketize
