// Package journal is the log of what a host decides, written before it acts on it: in which order it took
// records from the partitions of its source and at which time, where it cut releases, what these
// decided, whom it forgot. A machine is deterministic; so whoever has the records, an older copy
// of the state and the journal gets the state that was lost, and the same bytes of every release.
//
// # Guarantee
//
// Entries are numbered from 1 without a gap, and each names the digest of the one before. The first entry
// of a number that the log holds is the entry; what comes later under the number was written
// by another process, or is a copy, and counts as nothing. So of two processes with copies of one
// state one goes on, and Append tells the other that it was too late (ErrFenced). Nothing rests on
// a broker that recognizes copies, on transactions, or on a clock.
//
// Each message is encrypted and authenticated under a key that is derived from subject.key. Who may
// read the topic and has no key sees when entries were written and about how large they are: texts are padded.
// What decides is when records arrived, which such a reader may know already (docs/THREAT_MODEL.md), and
// not what they hold. Who may write to the topic can stop the process, and cannot make it decide
// anything. The seed of the draws lives in the state and its backups alone (rule R, randomness): the first entry has a
// check of it, which tells states apart and nothing else. So a host that takes over needs a backup, of any age; the
// first one has no records.
//
// # Why each entry is safe
//
// No entry has a value of a person (rule V, values), a subject or anything that a draw can be computed from. Genesis
// is a one-way function of the seed. Runs, Ends and Cut say what the machine was given: order and time of arrivals, and
// the moment of a cut. Theorem E assumes that these see no values; to write them down, and to give them to
// another machine again, adds no choice. That is the point: without a journal, whoever starts an older copy
// of the state would cut at other moments, so that people would have two histories, which rule F (forbidden)
// excludes. Intent and Published are digests of what is public next, or
// is already. Erase has keyed digests, as the list of who was forgotten has. Remove follows from what was published before. That a cut has
// decided nothing is not written at all: it follows from its state, and would tell of a pool whether it
// is eligible.
//
// # Cost
//
// A message for each commit, and up to four for each release; some hundred bytes each. Append waits until
// the replicas in sync have the message and reads it again: a few milliseconds.
package journal
