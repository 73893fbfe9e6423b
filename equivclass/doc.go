// Package equivclass holds the model of anond: what a record, a schema, a
// generalization hierarchy and an equivalence class are, which privacy
// principles a class can satisfy, how a pool of records is partitioned into
// classes, and what a partition costs in information.
//
// The package is pure. It knows neither Kafka nor bbolt, neither files nor
// time, and draws no randomness of its own: readers, clocks and seeds come in
// from outside. Nothing here decides what is published; that is the task of
// package incremental, which uses the partitioners of this package under the
// rules of the privacy contract (docs/THREAT_MODEL.md).
//
// Words. A record carries quasi-identifiers (QI), which an adversary may know,
// and one sensitive attribute (SA), which must not be learnt. A class is a set
// of records published with one generalized QI. A bag is the multiset of SA
// values of a class.
//
// Values are held as dictionary codes (Code). Texts are kept once, in the
// Dictionary of their attribute, and no type of this package prints a person's
// value when it is formatted by accident.
package equivclass
