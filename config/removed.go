package config

// removed are keys of earlier versions that this one refuses, with what to do.
var removed = map[string]struct{ reason, suggestion string }{
	"policy.transparent": {"was removed: policy.level says whom releases are safe against",
		"delete the key; policy.level: L2 is safe also against someone who reads this program"},
}

// Retired gives, for each removed key that the digests of an earlier version's
// state hold, the digest of the value by which this version acts. A state made
// under it may go on; one made under another value may not.
func Retired() map[string][32]byte {
	return map[string][32]byte{"policy.transparent": digestOf(false)}
}
