// Package anonymize anonymizes a single table, and measures a release against its
// source table: the commands anond-lab anonymize and evaluate.
//
// Guarantee: every class of what is written satisfies the requirement. This is
// checked on the classes before they are written, and by the auditor on the
// rendered files. The release keeps its promise only by itself: together with
// another release of the same people it promises nothing, because nothing is
// remembered from one run to the next. Reports and errors name attributes, lines,
// counts and shares, never a value (rule V, values).
//
// Method: read the table, partition it by a method of lab/methods, write it
// through package snapshot as release 1 in the daemon's format, and report what the
// classes achieve and what they lose. Evaluate reads a release back and compares it
// with its source table by the same measures and by a workload of queries.
//
// Cost: that of the method (lab/docs/METHODS.md), and time and memory linear in the
// table. GLP, presence and the matching of cells to records have bounds of their
// own: beyond them they are not measured, and the report says so.
//
// Source: each measure names its paper at its declaration.
package anonymize
