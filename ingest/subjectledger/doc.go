// Package subjectledger keeps whose people are whose: a directory that several datasets of one owner share, each with its own
// daemon, so that a person is in one of them at most (rule S, subjects, over several datasets).
//
// Guarantee. The dataset at which a person's first record arrives owns the person for good. The claim stands in the ledger before
// anything looks at the record's values, and stays whatever follows: the person waits, is refused, quarantined, published,
// withdrawn, forgotten or lapsed, or the dataset ends. Only a reset before the first pool is fixed gives back claims, all of a
// dataset at once, and before its state is emptied. What a dataset decides by the claims of others is durable after these claims.
//
// Why. Two chains on the same people are not safe together: each keeps its promise, and what both say leaves fewer candidates.
// Claim: if who owns a person follows from the order of arrivals alone, whoever collects the releases of all datasets learns
// nothing beyond each person's own bucket. Proof. Every pool of every dataset has people that no other pool of any dataset has,
// and who is in it follows from arrivals, quasi-identifiers and published data, as before (rule B, buckets); so all pools together
// are pools of one chain, and exchanging the values of two people of one pool leaves everything that is seen as it is (Theorem T,
// with all that is sensitive in all datasets as the value).  QED  Ownership that is decided later, by what was published, admitted
// or refused, follows from values: the tests of package incremental (ledger_worlds_test.go) measure what each such rule tells.
//
// Method. One file, claims, to which everybody appends under a lock (flock) and nobody else writes: frames, each with the digest of
// all before it. A batch of records takes the lock once, if it has somebody unknown or the file has grown: it reads what others
// appended, and appends whom nobody has. Before a state commits, the file is synchronized, which covers the claims of others, too;
// and the state keeps the length and the digest that it has seen. So a ledger that is older than a state, or another one, is told
// at the next start (ErrBehind). Restoring all states and the ledger together cannot be told.
//
// Limits. All daemons run on one host: locks of network file systems, and what a cache of another host shows, are not relied on.
// People are known by a keyed digest of the subject in one canonical form (Unicode NFC, no white space at the ends), under
// subject.key, which all datasets have; that two datasets write one person in two ways, or name people by two different numbers,
// nobody can tell.
//
// Cost: 15 bytes of disk and 17 to 18 of memory a person of any dataset, in each daemon; one more digest a record, which decoders
// compute; one call of the system a batch, and one write more for a batch with new people.
package subjectledger
