// Package topdown cuts a table from the whole down to classes.
//
// Guarantee: that of equivclass.Partitioner for every partitioner here: classes
// that satisfy the requirement, at most one record of a subject in each, and a
// result that depends on the pool and a seed alone.
//
// Method: a set of rows is cut in two (or into the children of a node) as long
// as every part still satisfies the requirement. The partitioners differ in
// where they cut: at the median of the widest dimension (Mondrian and its
// variants, Multi), at the ends of the dimension of least dependency
// (WangCloseK, WangMedian), between two far rows (NCPSplit), down a hierarchy
// (PSensitive), or in the whole table at once (SingleDimensional, FullDomain).
//
// Difference from the papers: requirements beyond k (frequency l and extra
// principles) are tested at each cut, and each type says how it reads what its
// paper leaves open.
//
// Cost: between n log n x D and n log^2 n x D, as each type says.
//
// Source: LeFevre, DeWitt and Ramakrishnan, "Mondrian" (ICDE 2006); Wang, Xu
// and Sun, sections III and III.B, eq. 1 to 9; Sun, Li, Wang and Ross (ICEBE
// 2009), with Truta and Vinay (PDM 2006) and Samarati (2001) as their baseline;
// Xu et al., "Utility-Based Anonymization Using Local Recoding" (KDD 2006), as
// in Algorithm 4 of Li, He and Sun.
package topdown
