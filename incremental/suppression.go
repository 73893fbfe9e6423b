package incremental

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"anond/equivclass"
)

// suppression knows who was forgotten, by a keyed digest each, so that no later record of
// these people is taken in: a second record of theirs in another bucket would tell a value
// that stays the same.
//
// The digest is one of the subject's digest in the state, under a key of its own. So a list
// that is kept elsewhere finds the records of an older copy of the state, and without the
// state's seed it shows nothing of anybody.
//
// Cost: one more digest a record, once somebody was forgotten; 16 bytes a person in memory,
// and some 40 more to find them.
type suppression struct {
	list  []Digest // in the order in which they came
	known map[Digest]bool
}

// add takes in the digests that are new.
func (s *suppression) add(list []Digest) {
	if s.known == nil {
		s.known = map[Digest]bool{}
	}
	for _, d := range list {
		if !s.known[d] {
			s.known[d] = true
			s.list = append(s.list, d)
		}
	}
}

// suppressed is the digest under which a subject is known as forgotten.
func (s *secrets) suppressed(subject uint64) Digest {
	mac := hmac.New(sha256.New, s.suppress)
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], subject)
	mac.Write(b[:])
	return Digest(mac.Sum(nil)[:16])
}

// isBlocked reports whether a record is one of a person who was forgotten.
func (m *Machine) isBlocked(row equivclass.Row) bool {
	i := m.schema.SubjectIndex()
	return len(m.blocked.list) > 0 && i >= 0 && row[i] != nil && m.blocked.known[m.secrets.suppressed(m.secrets.subjectOf(row[i]))]
}

// SuppressionKey authenticates the list of who was forgotten where it is kept outside of
// the state. It must not be shown (rule R, randomness).
func SuppressionKey(seed [32]byte) []byte {
	s := newSecrets(seed)
	return s.key("list of suppressed subjects")
}

// Suppressed returns the digests of all who were forgotten, in the order in which they were.
func (m *Machine) Suppressed() []Digest { return slices.Clone(m.blocked.list) }

// SuppressedAs returns the digest that stands for a subject on the list of who was forgotten,
// and whether it is there. The subject is written as records have it.
func (m *Machine) SuppressedAs(subject []byte) (d Digest, known bool) {
	d = m.secrets.suppressed(m.secrets.subjectOf(subject))
	return d, m.blocked.known[d]
}
