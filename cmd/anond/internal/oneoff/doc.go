// Package oneoff anonymizes a single table and measures a release against one:
// the work behind anond anonymize and evaluate.
//
// A one-off release has the format of the daemon's, passes the same gate, and
// carries its number 1. It keeps its promise alone: beside another release of
// the same people it promises nothing, for nothing is remembered from one run to
// the next.
//
// Rule V: reports and errors name attributes, lines, counts and shares, never a
// value.
package oneoff
