// Package methods is the one registry of the ways to cut a table into classes.
//
// Guarantee: a name finds one method, whose partitioner has that name.
//
// Method: a list of Method values: name, constructor, recodings, guarantee,
// source. anond-lab and METHODS.md read this list. The packages that form classes do
// not know it.
//
// Cost: a search through the list.
//
// Source: each Method names its own.
package methods
