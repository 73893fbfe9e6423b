// Package equivclass is the model of anond: what a record, a schema, a
// generalization hierarchy and an equivalence class are, which privacy
// principles a class can satisfy, how a pool of records is partitioned into
// classes, and what a partition costs in information.
//
// Guarantee: every Partitioner returns disjoint classes that each satisfy a
// Requirement and have at most one record of a subject. The result is a
// function of the pool alone, and of a seed where a partitioner draws. No type
// here prints a person's value when it is formatted by accident. Nothing here
// decides what is published: package incremental does, by the rules of the
// privacy contract (docs/PROOFS.md).
//
// Method: a record has quasi-identifiers (QI), which an adversary may know, and
// one sensitive attribute (SA), which must not be learnt. A Dictionary gives
// each value a Code, a Space scales the quasi-identifiers to [0,1], and a Pool
// is records as points with a sensitive code. A class is a set of records
// published with one generalized QI; its Bag is the multiset of its SA values,
// by which principles are judged. The partitioners are in the packages below;
// methods lists them.
//
// Difference from the papers: where a formula leaves a case open, the comment
// of the function says how it is read.
//
// Cost: each function says its own. The package is pure: it knows neither Kafka
// nor bbolt, neither files nor time, and draws nothing itself; readers, clocks
// and seeds come from outside.
//
// Source: frequency l-diversity, Xiao and Tao (VLDB 2006); distinct, entropy
// and recursive l-diversity, Machanavajjhala et al. (TKDD 2007, definitions 4.1
// and 4.2); t-closeness, Li, Li and Venkatasubramanian (ICDE 2007); NCP, Xu et
// al. (KDD 2006); C_DM and C_AVG, Wang, Xu and Sun, eq. 17 to 19; neighbours,
// feature points and similarity, the same, eq. 10 to 16.
package equivclass
