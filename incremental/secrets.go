package incremental

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// secrets derives from the state's seed everything that must not be guessed:
// keyed digests and random draws (rule R, randomness). The keys that every
// record may need are derived once: a source asks for digests while the machine
// applies records, so nothing here changes after newSecrets.
type secrets struct {
	seed            [32]byte
	digest, subject []byte
	suppress        []byte // of the list of who was forgotten
}

// newSecrets derives them. subject is the key of the digests of subjects where it is not one of
// the seed: shards have seeds of their own, so that no draw is made twice, and know a person by
// one digest. nil: one of the seed.
func newSecrets(seed [32]byte, subject []byte) secrets {
	s := secrets{seed: seed, subject: subject}
	s.digest, s.suppress = s.key("digest"), s.key("suppressed subject")
	if len(subject) == 0 {
		s.subject = s.key("subject")
	}
	return s
}

// key derives the secret for one purpose.
func (s *secrets) key(purpose string) []byte {
	mac := hmac.New(sha256.New, s.seed[:])
	mac.Write([]byte(purpose))
	return mac.Sum(nil)
}

// draw returns the generator for one purpose in one release: a retry draws the
// same, another release or purpose draws independently.
func (s *secrets) draw(release uint32, purpose string) *rand.Rand {
	mac := hmac.New(sha256.New, s.key(purpose))
	var n [4]byte
	binary.BigEndian.PutUint32(n[:], release)
	mac.Write(n[:])
	return rand.New(rand.NewChaCha8([32]byte(mac.Sum(nil))))
}

// digestOf is the digest under which state remembers bytes that it must not keep.
func (s *secrets) digestOf(data []byte) Digest { return KeyedDigest(s.digest, data) }

// KeyedDigest is the digest of bytes under a key of 32 bytes.
func KeyedDigest(key, data []byte) Digest {
	h := sha256.New()
	h.Write(key)
	h.Write(data)
	return Digest(h.Sum(nil)[:16])
}

// subjectOf stands for a subject in state: the person's identifier itself is not
// kept.
func (s *secrets) subjectOf(raw []byte) uint64 {
	h := sha256.New()
	h.Write(s.subject)
	h.Write(raw)
	return max(1, binary.BigEndian.Uint64(h.Sum(nil)))
}
