// Package filesrc reads records from files and from standard input (port
// ingest.Source): one JSON object a line (NDJSON), or CSV with a header.
//
// A position is the byte offset of a line; blank lines, a byte order mark and
// the header hold no record. A file is known by what it holds, not by its path:
// its partition is named by a keyed hash of its header and first record. So a
// renamed file resumes, a new one starts at 0, and one that is shorter than what
// state has read, or differs in the last record read, stops the source with
// ingest.ErrReplaced: the effect of a record cannot be taken back (rule N).
// Records may only be appended. Each file is a partition of its own; several
// are read in order of their names.
//
// Where the text ends without a line break, the rest is a record, unless the
// file is followed: then it is not one before its line break has come.
//
// A file whose name ends in .gz is unpacked; its offsets count unpacked bytes,
// and it cannot be followed. Each run on standard input is a source of its own.
package filesrc
