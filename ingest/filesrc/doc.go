// Package filesrc reads records from files and from standard input (port
// ingest.Source): one JSON object a line (NDJSON), or CSV with a header.
//
// # Guarantee
//
// Every line of a file is handed out once and in order, as a record or as a line
// without one (a blank line, the header), from the position that state holds: the
// byte offset of a line. What the records are is a function of the text alone,
// never of how it was buffered or where a restart fell. Records may only be
// appended, since the effect of a record cannot be taken back (rule N: nothing is
// removed). A file that begins like one that was read, and differs in the last
// record read, is a file of its own or is set aside (place.go); one that became
// shorter may stop the source (ingest.ErrReplaced).
//
// # Method
//
// A file is known by what it holds, not by its path: its partition is named by a
// keyed hash of its beginning. So a renamed file resumes and a new one starts at
// 0. Standard input is known by all that was committed of it (stdin.go). Each file is a partition of its own; several are read in the
// order of their names.
//
// A record is one line, also in CSV: a quote that is not closed on its line costs
// that line only. Where multi-line fields are declared (Config.Multiline), a
// record has several lines only if it is whole (splitter).
//
// Where a file ends without a line break, its last line may still grow. It is left
// unread and reported (Status.Unread, Config.Log), and read once its line break is
// there. Config.Complete declares that files do not grow; standard input never
// does. If such a line was taken in and has grown nevertheless, what was read of it
// stays, and the rest is refused (ingest.ReasonGrown), so that the dataset goes on.
//
// # Difference from the usual
//
// Tools that follow files know them by path or inode, and readers of CSV join
// lines until a quote is closed. Here the content decides first, so that a copy or
// a rotation cannot publish a person twice, and a stray quote cannot join the lines
// of several people into one field.
//
// # Cost
//
// A restart reads the head of each file and its last record again, and up to 1 GiB
// below the position only to number the lines. A file whose name ends in .gz is
// decompressed from its start; its offsets count decompressed bytes, and it cannot
// be followed. Of standard input each byte is hashed, and an input that begins like
// a known one is held until it is known which it is, at most 64 MiB of it.
//
// # Source
//
// RFC 4180 for CSV; github.com/ndjson/ndjson-spec for lines of JSON.
package filesrc
