// Package literal is NOT SAFE across releases. It keeps a table anonymous under
// insertions as the literature does, by re-partitioning published records freely. It
// exists only so that experiments and `anond-lab naive` can show the cost of that:
// someone who keeps two releases compares the classes of a person and of a newcomer,
// and is often left with one sensitive value.
//
// Guarantee: every release alone satisfies the requirement (k, l and any extra
// principle, one record of a subject per class), a published record stays published,
// and the result is a function of the inserted records, their order and the calls: no
// clock, no randomness. Over several releases nothing is guaranteed: rule F (forbidden
// operations) of the privacy contract (docs/PROOFS.md) forbids in the daemon
// nearly everything done here: re-splitting and re-merging published classes, classes
// that mix those of earlier releases, growing a class by a lone record. Nothing of
// anond but the experiments and the demo may import this package.
//
// Method: three methods share one frame.
//
//   - Local: threshold, position, neighbour sets, feature points, similar sets, then
//     the similar sets and the new records partitioned anew.
//   - Full: everything partitioned anew.
//   - I3M: position, then the touched class alone partitioned anew.
//
// Difference from the papers: the partitioner is a parameter. Wang et al. leave open how
// many similar sets a record brings in (topN), and contradict themselves about which
// classes may be neighbours, which points are compared, and which records make an update
// global. Params has each choice; the defaults are ours: topN 8, of the 32 nearest classes
// those that share all dimensions but one, the new record and not its class is compared,
// and the nearest class takes a record that lies in none.
//
// Cost: a position is a scan of all classes; a release costs one partition of the
// records of the classes touched (Local, I3M) or of all records (Full).
//
// Sources: Local is Wang, Xu and Sun, "Protecting Privacy by Multi-dimensional
// K-anonymity", section IV. I3M is after Truta and Campan, "K-Anonymization
// Incremental Maintenance and Optimization Techniques" (SAC 2007).
package literal
