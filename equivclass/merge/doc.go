// Package merge decides which classes share a bucket. It is rule B (buckets), at
// level L2: safe against someone who knows the program.
//
// Guarantee: Theorems E and F. Whoever knows all releases, this program, and the law of
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
// drawn (Draws). All that follows is deterministic on the sorted list. It lowers the sum of
// |bag - size * share in the bucket|^2, the energy:
//
//   - Products of all pairs of bags, several in a word, give the energy of any group of parts,
//     and the parts near each part: at a small distance, without much above the caps.
//   - Start: parts that are eligible stay alone. Each other, the one that lacks most first, joins
//     the near part or small group, or else any, with which it is eligible at the least energy. A
//     pool in which more than one part in 16 finds none is tight. There, and with extra
//     principles, simulated annealing from a fixed public sequence of proposals makes the groups,
//     with a penalty for what they lack.
//   - Repair: what is still ineligible joins the best partner. If nothing else is eligible, all
//     parts are one bucket.
//   - Large-neighbourhood steps: the parts of a group, or of two groups that have near parts, are
//     divided anew into eligible groups so that their energy is the least that there is. Of
//     groups with more than eight parts together, those that are farthest from the other group
//     stay together. Two groups are not tried again until one has changed. It ends when no step
//     gains anything.
//
// A cap is an exact ratio of large terms. Of a group up to a size, the largest ratio below it with a denominator up to that
// size allows as many (Cap). Only a value of which some part has more than its cap can exceed it in a group, so of a value
// that no part of a step has too often nothing is counted. Extra principles are asked only of
// groups that would be made. All arithmetic is on integers, so every processor decides alike.
//
// Pool divides large pools first, by count, into sub-pools of equal size. The top level is
// a Merge of the sub-pools' bags. Sub-pools that are joined, or one that is not, are a
// node. Sub-pools are lists of classes, and the node's classes at the same place of each
// list are one part: all parts have the same size again. A Merge of the parts' bags
// divides the node into buckets (aligned refinement, Theorem F). So a class of a joined
// sub-pool shares its bucket with those at its place of all sub-pools of the node.
//
// At l = 2 and 3 a sub-pool holds near classes (Division). A bucket's values then come from
// people who resemble each other, which halves the part of an analyst's error that does not
// average out. At larger l too many sub-pools of near classes would be ineligible; there
// sub-pools only save time, and hold classes from everywhere.
//
// # Duties of the caller
//
//   - The pool, its classes and their order follow from quasi-identifiers, arrival and
//     published data only. So do the number of sub-pools, and which class is at which place
//     of which sub-pool.
//   - A pool that is ineligible as a whole is quarantined as a whole, never in part and
//     never with other records. So Requirement.Holds is asked of the bag of the pool.
//   - All classes have the same size.
//   - The requirement is a constant, or a function of the bag of the whole pool or of published data.
//   - With several attributes there is one Merge over the bags of all. A pool that is ineligible for one attribute is
//     quarantined with all, every bucket shows all, and none is added to published people later.
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
// Theorem E. Let pools, classes and sub-pools be as the caller's duties say. Then, for
// every exchangeable prior and every transcript o of all releases, and for each
// record t of a bucket B of o and each value v, P(t has v | o) = count_B(v)/|B|.
//
// Proof. The proof is that of Theorem F below: Theorem E is the case in which B is in a
// node of one sub-pool, the pool itself if it is not divided.
//
// Theorem F (aligned refinement). The same holds if B is in a node of several sub-pools.
//
// Proof. A world assigns a value to each record. Its weight is its prior times the
// probability, over the draws, that it gives o. Let N be the sub-pools of B's node, s the
// places of a sub-pool, and P the places of B: B is the classes (a, r) with a in N and
// r in P. Let G be the group of permutations of the records of N that is generated as
// follows; g in G acts on a world by moving the values along.
//
//   - (i) All permutations of the records of one class of B.
//   - (ii) For two places r, r' of P: the exchange, in all sub-pools a of N at once, of all
//     values of class (a, r) with those of class (a, r').
//   - (iii) For two sub-pools a, a' of N: the exchange, at all s places r at once, of all
//     values of class (a, r) with those of class (a', r).
//
// The exchanges are along bijections, which exist because all classes have the same size.
// Each of them maps B to B. G is transitive on B: (iii) takes a record to any sub-pool of
// N, (ii) to any place of P, (i) to any record of its class. We show that the generators
// keep the weight of every world and the transcript's bags.
//
// (1) Prior and admission. g permutes values over records, so the prior stays. It does
// so within one pool. The pool's bag stays, so whether the pool is admitted, which
// requirement holds, and all that later pools derive from what this one publishes.
// (2) Membership. Pools, classes, sub-pools, places and their times are functions of what g
// does not change.
// (3) The top level. (i) and (ii) leave the bag of each sub-pool as it is. (iii) exchanges
// the bags of a and a', that is, it changes the list b of bags that the top level saw by a
// permutation p of positions within one of its groups. So p Q = Q for the observed
// partition Q, and P(R(p b) = Q) = P(R(p b) = p Q) = P(R(b) = Q) by the lemma.
// (4) The node. Part r has the classes (a, r) for all a in N. (i) and (iii) leave the bag
// of each part as it is: (iii) moves values between classes of one part. (ii) exchanges
// the bags of the parts r and r', which are in one group of this Merge: the same argument
// as in (3).
// (5) Decisions below. None: nothing was decided inside of a bucket.
// (6) Everything else. What is published of N are the bags of its buckets. They are sums
// of bags of parts. (i) and (iii) keep those, and (ii) exchanges two in the sum. Other nodes,
// pools and sub-pools are not touched, and their draws have keys of their own, so are
// independent of those of (3) and (4). So the probability of o is a product in which each
// factor stays.
//
// So the posterior is invariant under G, and because G is transitive, P(t has v | o)
// is the same for all records t of B. Summed over B it is the expected number of records
// of B with v, which o tells to be count_B(v). Hence it is count_B(v)/|B|.  QED
//
// # Proof of Theorem T (several attributes)
//
// A record's value is now all that is published of its person: a tuple of the values of several attributes. A view is a function of
// the tuple, such as one attribute, or the interval that holds a number. The view bag of records is the multiset of the view.
//
// Theorem T. Let the duties be kept, and
//
//   - (i) Merge looks at view bags only, of the same views for all classes;
//   - (ii) admission and requirement are functions of view bags of the pool and of the bucket, constants and published data;
//   - (iii) what is published of a bucket is a function of the bag of its tuples, and so of a pool.
//
// Then, for every prior that is exchangeable over records, with all their attributes, and for every record t of a
// bucket B and a set S of tuples that a published view tells apart, P(t is in S | o) = count_B(S)/|B|. If S and S'
// are told apart by one published view, then P(t is in S | t is in S', o) = count_B(S and S')/count_B(S').
//
// Proof. Let G be the group of Theorem F, which moves whole tuples. (1) It permutes records, so the prior stays, whatever the
// correlation of attributes. It does so within one pool, so the pool's bag of tuples stays: with it each function of it, among
// them admission, caps, and what is published of the pool. (2) as above. (3) and (4): of each list that a Merge above B saw, G
// leaves the bags of tuples as they are, or exchanges two of one group; so too the view bags, which are functions of them. So
// the argument holds with view bags for bags. (5) and (6) as above: B's bag of tuples stays, and so what is published of it.
// So the posterior of S is the same for all records of B, and o tells its sum. The second claim is the first one divided by itself,
// since both are about one record.  QED
//
// So what Merge sees and what is published may differ: exact numbers may be shown where Merge sees intervals. Not bounded is what one's
// own value of one attribute tells of another, of which no published view tells the pair: up to .857 at shares of .5.
//
// Why one Merge: exchanging two classes of a bucket of one attribute's own Merge moves their values of another attribute,
// which are in different buckets of that attribute's Merge. Then neither prior nor likelihood stays, but for a prior that is
// exchangeable in each attribute by itself.
//
// # Lemma R (requirements that are linear)
//
// A requirement sum over v of w(v) count(v) <= 0, for one w or several, is a function of the bag, and holds for the union of two bags
// for which it holds, because sums add. So Merge may join what holds, and the whole pool is eligible if any division of it is. By
// Theorem T it says exactly that the expectation of w, given o, is at most 0 for each record. Caps are such: w = [v] - cap; with
// Partial, w = [v] - cap [not Without]. The extra principles are not linear, but the union of two bags that satisfy them does, too.
//
// Levels L0 and L1 follow from rule A with buckets for classes. The theorem speaks
// of one record at a time, and not of priors that depend on quasi-identifiers. A
// transcript has no clock in it. How long Merge takes is a function of the list in the drawn order, but for the machine,
// and the theorem holds also for someone who knows that (proof/README.md); the time to count the bags before is not covered.
//
// # What the proof needs
//
// These proofs, for any number of levels, pools and strata, are checked by Coq (proof/README.md). That Merge keeps the
// contract which they ask for is tested over all lists of up to six small classes (TestContract).
//
// The tests enumerate all worlds and all draws of pools of 6 to 8 records in rationals.
// The posterior is the share exactly. Each of these variants raises it above 1/l in
// the same enumeration: equal bags in the order of class numbers (1.0), known draws (1.0),
// values in the order of a dictionary (1.0), groups taken in the order of class numbers (1.0),
// a partner by distance (1.0), parts of unequal
// size (1.0), sub-pools that share draws (.604), a sub-pool that failed and is merged again
// with another (1.0). Of Theorem F: a node divided into its classes instead of its parts
// (1.0), parts of classes that are at the same place in the order of their bags (1.0). Of
// Theorem T, with three values of one attribute and two of another: a Merge for each attribute (.973 for .5), shared buckets
// divided again for each attribute (1.0), l of the pair as if it was one field (1.0).
//
// # Cost
//
// 10 to 40 us for each class on one core; 140 us in a tight pool (Adult at k=10, l=5). Three attributes take 1.5
// times what one takes there. BenchmarkMergePools and BenchmarkMergeAttributes tell it. Sub-pools are spread over
// cores. Of a single one, what is near is found on all cores, an eighth of the time to a quarter; the steps are not:
// most gain nothing, but those tried ahead of a step that gains something are in vain, which costs as much as the
// other core does. Memory: a byte to eight bytes for each class and value, and for each pair of classes, of that up
// to 32 MiB for each core; products are computed again in a pool of more. In a tight pool 4 bytes for each class and
// value besides.
//
// # Source
//
// Ours. Buckets of whole classes are those of local bucketization (Li, He and Sun);
// admission by eligibility is that of Xiao and Tao (SIGMOD 2006). The attack that the
// theorem excludes is known as the minimality attack (Wong, Fu, Wang and Pei, VLDB
// 2007) and the transparent adversary (Xiao, Tao and Koudas, TODS 2010).
package merge
