// Package boltstore keeps the machine's state in one bbolt file.
//
// Guarantee: a commit that returned without error survives the death of the process
// and of the computer; one that did not leaves nothing behind. There is no journal to
// replay: opening after kill -9 is no different from any other opening. The guarantee
// is that of bbolt's copy-on-write and double meta page, with fsync and a synced
// freelist. Damage is found: every value ends in a CRC-32C over bucket, key and
// content, so a flipped bit, or a page that bbolt reads wrongly, becomes
// state.ErrCorrupt that names bucket and key.
//
// Method: records and classes are kept as columnar blocks of about a thousand,
// dictionary entries, deaths and declarations of classes as one list a commit, under
// keys that only grow, so that every write is an append (random keys are twenty times
// slower in bbolt). A last block of a few records is merged with those that follow,
// so that a slow stream is stored as compactly as a fast one.
//
// Difference from state.Store as it is specified: none; package storetest
// holds it to the same contract as memstore. In addition it measures, copies,
// compacts, checks and resets files (Info, BackupFile, CompactFile, Check, ResetFile).
//
// Cost: some 20 bytes a record at seven quasi-identifiers, of which 8 are the
// subject's digest; a commit reads at most one small block.
//
// Source: go.etcd.io/bbolt. format.go lists the versions of the format, its buckets
// and keys.
//
// Limits. The file holds persons' values: it is created with mode 0600, and its values
// are encrypted if there is a key (Options.Key, package sealed).
// One process has it open at a time. A copy of the file made by other
// means than Backup while a daemon runs is not consistent. Restoring an older copy
// rolls back positions with the records, so nothing is counted twice; that releases
// were made since then is detected by the ledger of releases, not here.
package boltstore
