// Package oneoff anonymizes a single table, measures a release, and answers
// queries from one: the work behind anond anonymize, evaluate and query.
//
// A one-off release has the format of the daemon's, passes the same gate, and
// carries its number 1. It keeps its promise alone: beside another release of
// the same people it promises nothing, for nothing is remembered from one run to
// the next.
//
// Rule V: reports and errors name attributes, lines, counts and shares, never a
// value. The answers of queries are numbers from public files.
package oneoff
