// Package sealed encrypts what anond keeps at rest: the cells of the state, so also
// its backups, and the payloads of dead letters.
//
// Guarantee: a sealed text cannot be read without its key. A text that was changed,
// cut off or moved to another place does not open (ErrTampered). Texts of one key may
// be sealed without bound on their number: the nonces of AES-GCM repeat with
// probability below 2^-32 only after 2^32 texts of one salt, and salts are drawn anew
// for each Sealer.
//
// Method: the operator's key encrypts a data key that is drawn for each file, so that
// two files never share a key and the operator's key can be replaced. A text is
// encrypted with AES-256-GCM and a random nonce, under a key that HKDF-SHA-256 derives
// from the data key and a random salt. The place of the text, such as bucket and key of
// the state, is authenticated with it.
//
// Source: AES-GCM is NIST SP 800-38D (random nonces: section 8.2.2, bound: section
// 8.3), HKDF is RFC 5869. The primitives are those of Go's standard library.
//
// Limits. Sizes and number of texts can be seen, and who writes to a file can put an
// older sealed text of the same place back. Keys are in memory while anond runs.
package sealed
