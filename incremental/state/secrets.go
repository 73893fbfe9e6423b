package state

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// Secrets derives from the state's seed everything that must not be guessed:
// keyed digests and random draws (rule R, randomness). The keys that every
// record may need are derived once: a source asks for digests while the machine
// applies records, so nothing here changes after newSecrets.
type Secrets struct {
	seed            [32]byte
	digest, subject []byte
	person          []byte // of the digests that stay of people for ever
	record          []byte // of the keys by which a source knows records
}

// NewSecrets derives them. subject is the key of the digests of subjects where it is not one of
// the seed: shards have seeds of their own, so that no draw is made twice, and know a person by
// one digest. nil: one of the seed.
func NewSecrets(seed [32]byte, subject []byte) Secrets {
	s := Secrets{seed: seed, subject: subject}
	s.digest, s.person, s.record = s.Key("digest"), s.Key("suppressed subject"), s.Key("record")
	if len(subject) == 0 {
		s.subject = s.Key("subject")
	}
	return s
}

// Key derives the secret for one purpose.
func (s *Secrets) Key(purpose string) []byte {
	mac := hmac.New(sha256.New, s.seed[:])
	mac.Write([]byte(purpose))
	return mac.Sum(nil)
}

// Draw returns the generator for one purpose in one release: a retry draws the
// same, another release or purpose draws independently.
func (s *Secrets) Draw(release uint32, purpose string) *rand.Rand {
	mac := hmac.New(sha256.New, s.Key(purpose))
	var n [4]byte
	binary.BigEndian.PutUint32(n[:], release)
	mac.Write(n[:])
	return rand.New(rand.NewChaCha8([32]byte(mac.Sum(nil))))
}

// DigestOf is the digest under which state remembers bytes that it must not keep.
func (s *Secrets) DigestOf(data []byte) Digest { return KeyedDigest(s.digest, data) }

// KeyedDigest is the digest of bytes under a key of 32 bytes.
func KeyedDigest(key, data []byte) Digest {
	h := sha256.New()
	h.Write(key)
	h.Write(data)
	return Digest(h.Sum(nil)[:16])
}

// SubjectOf stands for a subject in state, and is never 0: the person's identifier itself is not
// kept.
func (s *Secrets) SubjectOf(raw []byte) uint64 { return short(s.subject, raw) }

// RecordOf stands for the key of a record, and is never 0.
func (s *Secrets) RecordOf(raw []byte) uint64 { return short(s.record, raw) }

func short(key, raw []byte) uint64 {
	var buf [128]byte
	sum := sha256.Sum256(append(append(buf[:0], key...), raw...))
	return max(1, binary.BigEndian.Uint64(sum[:]))
}

// Person is the digest under which somebody is known who may be in no record, of the digest that records have. It has a key of
// its own: a list of such digests finds records of an older copy of the state, and without the seed it shows nothing of anybody.
func (s *Secrets) Person(subject uint64) Person {
	var buf [40]byte
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(append(buf[:0], s.person...), subject))
	sum[15] = 0
	return Person(sum[:16])
}
