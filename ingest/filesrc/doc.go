// Package filesrc reads records from files and from standard input (port
// ingest.Source): one JSON object a line (NDJSON), or CSV with a header.
//
// A record is one line, also in CSV: a quote that is not closed on its line
// costs that line only. Where multi-line fields are declared (Config.Multiline),
// a record goes over several lines only if it is whole (splitter.multilineEnd).
//
// A position is the byte offset of a line. Every line is handed out once, as a
// record or as one that holds none: blank, or the header. A file is known by what it holds, not by its path:
// its partition is named by a keyed hash of its header and first record. So a
// renamed file resumes, a new one starts at 0, and one that is shorter than what
// state has read, or differs in the last record read, stops the source with
// ingest.ErrReplaced: the effect of a record cannot be taken back (rule N).
// Records may only be appended. Each file is a partition of its own; several
// are read in order of their names.
//
// Where a file ends without a line break, its last line may still grow: it is
// left unread and reported (Status.Unread, Config.Log), and read once its line
// break has come. Config.Complete declares that files do not grow; standard input
// does not. If such a line was taken in and has grown, what was read of it
// stays, and the rest is refused (ingest.ReasonGrown), so that the dataset goes on.
//
// A file whose name ends in .gz is unpacked; its offsets count unpacked bytes,
// and it cannot be followed. Each run on standard input is a source of its own.
package filesrc
