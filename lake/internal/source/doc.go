// Package source reads published releases as typed rows, part by part.
//
// Guarantee: what it yields is a function of the public files of a release alone, cell by
// cell, and every file is compared with the hash of its manifest before its rows count. So
// rule V (values) and rule A (frozen classes) hold for what is derived from it: nothing is
// shown that the release does not show, and a part that does not change gives rows that do
// not change. It never opens a state, a ledger or a configuration.
package source
