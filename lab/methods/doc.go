// Package methods is the one registry of the ways to cut a table into classes.
//
// Guarantee: a name finds one method, whose partitioner has that name; a name
// of an earlier version is refused with the name of today. FirstLoads has only
// methods that keep k, l and the extra principles in every class.
//
// Method: a list of Method values: name, constructor, recodings, guarantee,
// source, and whether the daemon may use it. The commands, the configuration,
// the daemon and docs/METHODS.md read this list. The packages that form classes
// do not know it.
//
// Cost: a search through the list.
//
// Source: each Method names its own.
package methods
