// Package table is the tables of a release as the auditor reads them: the classes of a part with their cells, bags
// and buckets, in canonical order, also where parts were joined.
//
// Guarantee: a table has every row of its files once; rows, classes or buckets that are out of canonical order, or that
// the principles of the manifest rule out, are findings.
package table
