package incremental

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"slices"
)

// origin notes where the newest record came from, for its block.
func (s *staged) origin(number uint16, offset int64) {
	s.origins = append(s.origins, number)
	s.offsets = append(s.offsets, offset)
}

// flushBlock closes the block of the records that arrived at the present tick.
func (m *Machine) flushBlock() {
	s := &m.staged
	if s.from == m.records.len() {
		return
	}
	s.delta.Records = append(s.delta.Records, m.records.block(s.from, m.now, s.origins, s.offsets))
	s.from, s.origins, s.offsets = m.records.len(), nil, nil
}

// sortedPartitions returns the keys in order of source and number, so that a
// delta does not depend on the order of a map.
func sortedPartitions(set map[Partition]bool) []Partition {
	out := make([]Partition, 0, len(set))
	for p := range set {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b Partition) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// keys are the secrets that every record may need, derived once: a source asks
// for digests while the machine applies records, so nothing here may change.
type keys struct{ digest, subject []byte }

func (m *Machine) deriveKeys() { m.keys = keys{m.key("digest"), m.key("subject")} }

// key derives the secret for one purpose from the state's seed (rule R).
func (m *Machine) key(purpose string) []byte {
	mac := hmac.New(sha256.New, m.meta.Seed[:])
	mac.Write([]byte(purpose))
	return mac.Sum(nil)
}

// draw returns the generator for one purpose in one release (rule R): a retry
// draws the same, another release or purpose draws independently.
func (m *Machine) draw(release uint32, purpose string) *rand.Rand {
	mac := hmac.New(sha256.New, m.key(purpose))
	var n [4]byte
	binary.BigEndian.PutUint32(n[:], release)
	mac.Write(n[:])
	return rand.New(rand.NewChaCha8([32]byte(mac.Sum(nil))))
}
