// Package snapshot writes releases: it renders the classes that an intent names
// into files, lets a gate check them, and publishes them by durable steps.
//
// Guarantee: a release is a directory that never changes once it has its name.
// Rendering is a function of the input, the settings and the previous manifest
// alone, so a retry gives the same bytes (rule F, forbidden, rules out a second,
// different rendering of a release number). Nothing in the bytes depends on the
// order in which records arrived or on internal ids: classes and rows are in
// canonical order (table.order). Texts of values go into release files only;
// errors name attributes, files, releases and class numbers (rule V, values).
//
// Method: Render -> Gate -> fsync -> rename -> CURRENT -> ledger; see Publisher.
// List, Show and Verify read what stands on disk. Reconcile compares it with the
// state at start.
//
// Difference: the papers publish one table. Here a table is one of a chain, and
// each recoding is held to a canonical order, so that the place of a row tells
// nothing that its cells do not.
//
// Cost: n d + m log m for n records of d quasi-identifiers in m classes.
//
// Source: the recodings name their papers. The durable steps are described in
// docs/ARCHITECTURE.md, the rules in docs/THREAT_MODEL.md.
package snapshot
