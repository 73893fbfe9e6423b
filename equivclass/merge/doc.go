// Package merge decides which classes share a bucket. It is rule B (buckets), at
// level L2: safe against someone who knows the program.
//
// Guarantee: Theorem E. Whoever knows all releases, this program, and the law of
// its random draws believes of each published person with probability
// count(v)/size that their value is v, where count(v) of the size records of their
// bucket have v. That is at most 1/l, since every bucket satisfies frequency
// l-diversity. It holds for every prior that is exchangeable over records, that is,
// which gives all orders of the same values the same probability.
//
// # Method
//
// Classes of exactly k records are formed before, without a look at sensitive
// values. Merge gets their bags and nothing else: no coordinates, no records, no
// numbers of classes that mean anything. Values are numbered by their canonical
// bytes (Order). Merge sorts the list of bags. Equal bags stand in an order that is
// drawn (Draws). All that follows is deterministic on the sorted list: simulated
// annealing from a fixed public sequence of proposals, which lowers the sum of
// |bag - size * share in the bucket|^2 with a penalty for what buckets lack, and tries
// similar bags more often than others; a greedy repair, which joins what is still
// ineligible with the best partner; a descent that keeps every bucket eligible. If
// nothing else is eligible, all parts are one bucket. All arithmetic is on integers,
// so every processor decides alike.
//
// Pool handles large pools. It divides the classes by count into sub-pools of equal
// size. The top level is a Merge of the sub-pools' bags; sub-pools that are joined are
// one bucket. A sub-pool that is alone is divided by a Merge of its classes. If all
// sub-pools are eligible, which MinPool makes likely, each of them is alone.
//
// # Duties of the caller
//
//   - The pool, its classes and their order follow from quasi-identifiers, arrival and
//     published data only. So does the number of sub-pools.
//   - A pool that is ineligible as a whole is quarantined as a whole, never in part and
//     never with other records. So Requirement.Holds is asked of the bag of the pool.
//   - All classes have the same size.
//   - The requirement is a constant, or a function of the pool's bag or of published data.
//   - Classes and buckets are frozen (rule A, frozen classes). No bucket is divided again.
//   - The seed stays secret, and each key is used for one pool (rule R, randomness).
//
// # Proof of Theorem E
//
// Definition. A random rule R maps a list of m bags of equal size to a partition of
// the positions 1..m. It is equivariant if for every permutation p of the positions,
// P(R(p b) = p Q) = P(R(b) = Q), where p b is the list, and p Q the partition, with
// the positions renamed by p.
//
// Lemma. Merge is equivariant. Sorting assigns the m bags to the m places of the
// sorted list. Among the assignments that put each bag at a place of an equal bag, it
// takes each with the same probability, because the drawn order is uniform and the
// sort is stable. The sorted list is the same for b and p b: it depends on the
// multiset of bags. So are the groups of places, which are a function of it. And if an
// assignment fits b, then it fits p b after p, and all assignments that fit p b come
// from one that fits b. So the groups of positions are renamed by p, with the same
// probability.
//
// Theorem. Let pools, classes and sub-pools be as the caller's duties say. Then, for
// every exchangeable prior and every transcript o of all releases, and for each
// record t of a bucket B of o and each value v, P(t has v | o) = count_B(v)/|B|.
//
// Proof. A world assigns a value to each record. Its weight is its prior times the
// probability, over the draws, that it gives o. Let G be the group of permutations of
// the records of B that is generated as follows; g in G acts on a world by moving the
// values along.
//
//   - If B is one class: all permutations of its records.
//   - If B is several classes of a pool without sub-pools, or of a sub-pool that is
//     alone in its group: the permutations inside each class of B, and the exchanges of
//     all values of one class of B with those of another along a bijection. The
//     bijection exists because both have the same size.
//   - If B is several sub-pools: the same with sub-pools for classes.
//
// G is transitive on B: for any two records of B there is a g that takes one to the
// other. We show that g keeps the weight of every world.
//
// (1) Prior and admission. g permutes values over records, so the prior stays. It does
// so within one pool. The pool's bag stays, so whether the pool is admitted, which
// requirement holds, and all that later pools derive from what this one publishes.
// (2) Membership. Pools, classes, sub-pools and their times are functions of what g
// does not change.
// (3) The decision that formed B, if B is more than one class. g changes the list of
// bags that this Merge saw by a permutation p of positions within one of its groups:
// exchanging two parts exchanges their bags, and a permutation inside a part leaves
// its bag as it is. So p Q = Q for the observed partition Q, and P(R(p b) = Q) =
// P(R(p b) = p Q) = P(R(b) = Q) by the lemma.
// If B is one class, the list stays as it is.
// (4) Decisions above. If B is in a sub-pool, that sub-pool's bag stays, so the top
// level sees the same list.
// (5) Decisions below. None: a merged group is one bucket, and nothing was decided
// inside of it.
// (6) Everything else. Other sub-pools, pools and buckets are not touched, and their
// draws have keys of their own, so are independent of those of (3). What is published
// of B is its bag, which stays. So the probability of o is a product in which each
// factor stays.
//
// So the posterior is invariant under G, and because G is transitive, P(t has v | o)
// is the same for all records t of B. Summed over B it is the expected number of records
// of B with v, which o tells to be count_B(v). Hence it is count_B(v)/|B|.  QED
//
// Levels L0 and L1 follow from rule A with buckets for classes. The theorem speaks
// of one record at a time, and not of priors that depend on quasi-identifiers. A
// transcript has no clock in it: how long Merge takes depends on the bags.
//
// # What the proof needs
//
// The tests enumerate all worlds and all draws of pools of 6 to 8 records in rationals.
// The posterior is the share exactly. Each of these variants raises it above 1/l in
// the same enumeration: equal bags in the order of class numbers (1.0), known draws (1.0),
// values in the order of a dictionary (1.0), a partner by distance (1.0), a merged
// group that is refined (1.0), parts of unequal size (1.0), sub-pools that share draws
// (.604), a sub-pool that failed and is merged again with another (1.0).
//
// # Cost
//
// About 0.4 s for 1,000 classes of Adult on one core, in sub-pools of SubPoolClasses.
// Sub-pools are spread over cores. Memory: classes times different values.
//
// # Source
//
// Ours. Buckets of whole classes are those of local bucketization (Li, He and Sun);
// admission by eligibility is that of Xiao and Tao (SIGMOD 2006). The attack that the
// theorem excludes is known as the minimality attack (Wong, Fu, Wang and Pei, VLDB
// 2007) and the transparent adversary (Xiao, Tao and Koudas, TODS 2010).
package merge
