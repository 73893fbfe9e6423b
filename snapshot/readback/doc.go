// Package readback reads a release as data: what an analyst has who holds its
// files and nothing else. anond query answers from it, and anond evaluate
// measures it against the records behind it.
//
// Guarantee: what is read is what the manifest describes. Each file is held
// against its SHA-256, its columns against the schema, its groups and counts
// against those of the other files. What does not fit is snapshot.ErrDamaged,
// never a guess: a label that two nodes of a hierarchy have is refused, since no
// bound would hold for it. The bounds of an answer hold for any records that the
// release may stem from; its estimate rests on the assumptions that the
// estimator of the recoding names.
//
// Method: Open reads the manifest and makes the schema that it describes, with
// the copies of hierarchies beside the releases. Load reads the data files of
// the recoding into codes and cells. Estimator answers queries from them.
//
// Cost: time and memory are linear in the rows of the release. The files of a
// release are read into memory one by one.
//
// Errors name files, rows and attributes, never a value (rule V).
package readback
