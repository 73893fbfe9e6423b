// Package literal is NOT SAFE across releases. It keeps a table anonymous under
// insertions the way the literature does it, by re-partitioning published
// records freely, and exists only so that experiments and `anond demo --naive`
// can show what that costs: whoever keeps two releases compares the classes of a
// person and of a newcomer, and often is left with one sensitive value.
//
// Rule F of the privacy contract (docs/THREAT_MODEL.md) forbids in the daemon
// nearly everything done here: re-splitting and re-merging published classes,
// classes that mix those of earlier releases, growing a class by a lone record.
// Nothing of anond but the experiments and the demo may import this package.
//
// What does hold: every release alone satisfies the requirement (k, l and any
// extra principle, one record of a subject per class), a published record stays
// published, and the result is a function of the inserted records, their order
// and the calls: no clock, no randomness.
//
// Three methods share one frame:
//
//   - Local: Wang, Xu and Sun, "Protecting Privacy by Multi-dimensional
//     K-anonymity", section IV: threshold, position, neighbour sets, feature
//     points, similar sets, then the similar sets and the new records partitioned
//     anew.
//   - Full: everything partitioned anew.
//   - I3M: after Truta and Campan, "K-Anonymization Incremental Maintenance and
//     Optimization Techniques" (SAC 2007): position, then the touched class alone
//     partitioned anew.
package literal
