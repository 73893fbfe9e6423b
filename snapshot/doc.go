// Package snapshot is what a release is: the names of its files, its manifest, how data
// files are read, the ledger, and the history of a releases directory. It only reads.
//
// Guarantee: a release is a directory that is complete by itself and never
// changes once it has its name: a manifest over parts. A part holds what one
// release published first, or several parts joined; later releases link to it.
// Errors name attributes, files, releases and class numbers, and no value (rule V, values).
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
// Method: package render makes parts of classes, package publish lets a gate check
// them and gives them their name by durable steps, package verify holds what stands
// on disk against its hashes, package readback gives the values to estimators, and
// package audit, which knows none of these, checks the promises from the files alone.
//
// Difference: the papers publish one table. Here a table is one of a chain, and
// each recoding is held to a canonical order, so that the place of a row tells
// nothing that its cells do not.
//
// Cost: a manifest is read as a whole, data files row by row.
//
// Source: design of this project; docs/ARCHITECTURE.md.
package snapshot
