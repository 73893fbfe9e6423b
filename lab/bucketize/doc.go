// Package bucketize groups records so that sensitive values can be published
// apart from quasi-identifiers.
//
// Guarantee: that of equivclass.Partitioner for every partitioner here. Where
// only l is asked for, Anatomy, ARP, ARPUp, Permutation and PermutationNear
// also keep every value at most once in a group.
//
// Method: Anatomy groups by value alone. AIP, ARP and ARPUp cut the table into
// blocks along the attributes that correlate with the sensitive one, and form
// groups in the blocks. Ring arranges a block in a ring. Permutation and
// PermutationNear form groups of similar records whose columns are then
// shuffled (Permute). Randomize replaces values at random. GLP, RE, RCE and
// phi^2 measure what such publications lose.
//
// Difference from the papers: a seed fixes all random draws, because the result
// of a partitioner is a function of the pool; K and extra principles are
// satisfied by joining groups. Each type says what else differs.
//
// Cost: n log n x D, except where a type says otherwise.
//
// Source: Xiao and Tao, "Anatomy" (VLDB 2006), algorithm Anatomize; Zhu, Tian,
// Du and Xie, "Anonymization on Refining Partition" (ComSIS 2015), algorithms 1
// and 2, definition 3; Wong, Mamoulis and Cheung (SIGMOD 2010); Li, He, Cao and
// Chen, "Permutation anonymization" (J. Intell. Inf. Syst. 2016), algorithms 1
// and 2.
package bucketize
