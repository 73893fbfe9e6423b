// Package boltstore keeps the machine's state in one bbolt file.
//
// Guarantee: a commit that returned without error survives the death of the
// process and of the machine; one that did not leaves nothing behind. There is
// no journal to replay: opening after kill -9 is opening. This is bbolt's
// copy-on-write and double meta page, with fsync and a synced freelist.
//
// Shape: records and classes are kept as columnar blocks of about a thousand,
// dictionary entries and turns of classes as one list a commit, under keys that
// only grow, so that every write is an append (random keys are twenty times
// slower in bbolt). A tail block of a few records is merged with what comes, so
// that a slow stream is coded as compactly as a fast one. Every value ends in a
// CRC-32C over bucket, key and content: a flipped bit, or a page that bbolt
// reads wrongly, becomes incremental.ErrCorrupt that names bucket and key.
//
// Cost: some 20 bytes a record at seven quasi-identifiers, of which 8 are the
// subject's digest; a commit reads at most one small block.
//
// Caveats. The file holds persons' values, coded but not encrypted: it is
// created with mode 0600. One process has it at a time. A copy of the file made
// by other means than Backup while a daemon runs is not consistent. Restoring an
// older copy rolls back positions with the records, so nothing is counted twice;
// that releases have gone on meanwhile is for the ledger to notice.
package boltstore
