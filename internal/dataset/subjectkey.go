package dataset

import (
	"encoding/hex"

	"anond/config"
)

// subjectKey keys the digests of subjects in the state; nil: a key of the state's seed does.
func subjectKey(c *config.Config) []byte {
	k := c.SubjectKey()
	if !k.Set() {
		return nil
	}
	return k.Derive("anond digest of a subject")
}

// SubjectKeyName names subject.key in front of the digests in exports, so that an audit of several
// shards knows that they have the same key; empty without one. It does not tell the key.
func SubjectKeyName(c *config.Config) string {
	k := c.SubjectKey()
	if !k.Set() {
		return ""
	}
	return hex.EncodeToString(k.Derive("anond name of a subject key")[:8]) + ":"
}
