// Package render makes the files of a release from the classes that it shows.
//
// Guarantee: the bytes are a function of the input, the settings and the previous
// manifest alone, so a retry gives the same bytes (rule F, forbidden, rules out a second,
// different rendering of a release number). Nothing in them depends on the
// order in which records arrived or on internal ids: classes and rows are in
// canonical order (table.order). Texts of values go into data files only.
//
// Why level L2 is safe: rule B (buckets) and Theorem E (package equivclass/merge). What
// its files show is the cells of each class, the bucket of each class, and the bag of
// each bucket; order and numbers are functions of these, and so is a retry. The bag of a
// single class is never found.
//
// Method: what is born is put in canonical order and written as a part; parts of the
// release before are taken over by links, or joined.
//
// Difference: the papers write one table; see package snapshot.
//
// Cost: n d + m log m for n newcomers of d quasi-identifiers in m new classes, a
// link for each older file, and where parts are joined their bytes: each row at
// most once a level, of which there is one for every power of ten of releases.
// Carried from release to release: 4 bytes a release, and where classes may
// be regrouped 4 bytes a record.
//
// Source: the recodings name their papers.
package render
