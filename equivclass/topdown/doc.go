// Package topdown cuts a table from the whole down to classes: Mondrian (LeFevre et
// al., ICDE 2006), the partitions of Wang, Xu and Sun, of Sun et al. with full-domain
// recoding as their baseline, and the split by NCP of Xu et al. (KDD 2006).
//
// Guarantee of each: that of equivclass.Partitioner. Each type says its method, where
// it differs from its paper, and what it costs.
package topdown
