// Package readback reads a release as data: what its files alone tell an
// analyst. anond-lab query answers from it, and anond-lab evaluate measures it against
// the records behind it.
//
// Guarantee: what is read is what the manifest describes. Each file is compared
// with its SHA-256, its columns with the schema, its groups and counts with
// those of the other files. What does not fit is snapshot.ErrDamaged, never a
// guess: a label that two nodes of a hierarchy have is refused, since no bound
// would hold for it. The bounds of an answer hold for any records that the
// release may stem from; its estimate rests on the assumptions that the
// estimator of the recoding names. Errors name files, rows and attributes, never
// a value (rule V, values).
//
// Method: Open reads the manifest and makes the schema that it describes, with
// the copies of hierarchies in the releases directory. Load reads the data files
// of the recoding into codes and cells. Estimator answers queries from them.
//
// Difference: the papers count estimates only; here each answer has bounds, and
// a file that contradicts its manifest is an error.
//
// Cost: time and memory are linear in the rows of the release. The files of a
// release are read into memory one by one.
//
// Source: the estimators are those of package query, which names their papers.
package readback
