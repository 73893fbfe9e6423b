// Package chain is the releases of a chain side by side: which class is which class of the release before, who is in it,
// and what follows for the rules: frozen and pure classes, components, certificates.
//
// Guarantee: a class counts as unchanged only if its rows are the same in the files of both releases.
package chain
