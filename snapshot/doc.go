// Package snapshot writes releases: it renders the classes that an intent names
// into files, lets a gate check them, and publishes them by durable steps.
//
// Guarantee: a release is a directory that is complete by itself and never
// changes once it has its name: a manifest over parts. A part holds what one
// release published first, or several parts joined; later releases link to it.
// Rendering is a function of the input, the settings and the previous manifest
// alone, so a retry gives the same bytes (rule F, forbidden, rules out a second,
// different rendering of a release number). Nothing in the bytes depends on the
// order in which records arrived or on internal ids: classes and rows are in
// canonical order (table.order). Texts of values go into release files only;
// errors name attributes, files, releases and class numbers (rule V, values).
//
// Why parts are safe: the rows of all releases up to one are what they were as
// whole tables. Frozen classes (rule A) are the same rows in every release, so
// links of them tell nothing new. Pure classes (rule P) that are regrouped stay in
// their part as the rows that earlier releases showed, and are listed as dead. So
// someone who has one single release learns two things in addition: when a class
// was published first, and how regrouped classes stood before. Everybody who has
// all releases knows both, and the proofs assume them known. The place and the
// number of a class depend on its birth release and on what the class shows, and
// between classes that look alike on random draws: not on who has which value, nor
// on the order of arrival (rule F, forbidden, allows the birth release alone).
//
// Why level L2 is safe: rule B (buckets) and Theorem E (package equivclass/merge). What
// its files show is the cells of each class, the bucket of each class, and the bag of
// each bucket; order and numbers are functions of these, and so is a retry. The bag of a
// single class is never found.
//
// Why a union of shards is safe (Union): people are in one shard each and the seeds of the
// shards are independent, so for each person one shard's chain alone depends on the value,
// given the public vector of releases; and that chain is certified by Theorem A, P or E
// for every exchangeable prior, also one that other shards' releases have changed. Each
// shard's pools are large enough by themselves, and times and settings depend on no value
// (Corollary U in docs/PROOFS.md). Which shard a part is of follows from the keys of
// its people. A union looks at manifests and copies files; it reads no value.
//
// Method: render -> Gate -> fsync -> rename -> CURRENT -> ledger; see Publisher, and Union.
// List, Show and Verify read what stands on disk. Reconcile compares it with the
// state at start.
//
// Difference: the papers publish one table. Here a table is one of a chain, and
// each recoding is held to a canonical order, so that the place of a row tells
// nothing that its cells do not.
//
// Cost: n d + m log m for n newcomers of d quasi-identifiers in m new classes, a
// link for each older file, and where parts are joined their bytes: each row at
// most once a level, of which there is one for every power of ten of releases. A
// start counts all records once. Carried: 4 bytes a release, and where classes may
// be regrouped 4 bytes a record.
//
// Source: the recodings name their papers. The durable steps are described in
// docs/ARCHITECTURE.md, the rules in docs/PROOFS.md.
package snapshot
