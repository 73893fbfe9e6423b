// Package cli is what the programs share of their command line: streams, exit codes, strict
// commands, tables, the version, manual pages, and what shells complete.
//
// Guarantee: a fault of the command line is a usage error (exit code 2) with one hint. A run changes
// nothing that another run in the same process sees.
package cli
