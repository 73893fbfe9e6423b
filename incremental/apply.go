package incremental

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"

	"anond/equivclass"
)

// Outcome says what became of one record.
type Outcome struct {
	// Known: its position was applied before; it was dropped and changes nothing.
	Known bool
	// Reason and Attribute say why the record was refused; the host then calls
	// Refuse. Accepted otherwise.
	Reason    equivclass.Reason
	Attribute string
}

// Apply takes in one record at the position after the last one applied in its
// partition. A record whose values do not fit the schema is not taken in: the
// outcome names the reason and the host decides between Refuse and Ignore.
// Cost: d dictionary look-ups and one search in the spatial index.
func (m *Machine) Apply(p Partition, offset int64, row equivclass.Row) (Outcome, error) {
	if m.broken {
		return Outcome{}, ErrBroken
	}
	if offset < m.positions[p].Next {
		return Outcome{Known: true}, nil
	}
	if m.policy.MaxRecords > 0 && int(m.records.len()) >= m.policy.MaxRecords {
		return Outcome{}, ErrStateFull
	}
	if err := m.numbered(p); err != nil {
		return Outcome{}, err
	}
	if why, attribute := m.records.Append(row); why != equivclass.Accepted {
		return Outcome{Reason: why, Attribute: attribute}, nil
	}
	m.accept(row, m.advance(p, offset), offset)
	m.counters.Sent++
	m.staged.counters = true
	return Outcome{}, nil
}

// Refuse puts a record into the dead-letter outbox and passes its position.
func (m *Machine) Refuse(d DeadLetter) error {
	if m.broken {
		return ErrBroken
	}
	if d.Offset < m.positions[d.Partition].Next {
		return nil
	}
	if err := m.numbered(d.Partition); err != nil {
		return err
	}
	m.advance(d.Partition, d.Offset)
	m.counters.Sent++
	m.post(d)
	return nil
}

// post puts a dead letter into the outbox and counts it by its reason.
func (m *Machine) post(d DeadLetter) {
	m.outbox.last++
	m.outbox.waiting++
	d.Seq = m.outbox.last
	m.staged.delta.DeadLetters = append(m.staged.delta.DeadLetters, d)
	m.counters.Refused[d.Reason]++
	m.staged.counters = true
}

// Ignore passes a record that the configuration leaves out, and counts it.
func (m *Machine) Ignore(p Partition, offset int64, why equivclass.Reason) error {
	if m.broken {
		return ErrBroken
	}
	if offset < m.positions[p].Next {
		return nil
	}
	if err := m.numbered(p); err != nil {
		return err
	}
	m.advance(p, offset)
	m.counters.Ignored[why]++
	m.staged.counters = true
	return nil
}

// PassLine passes a line that holds no record, from offset up to next, and counts
// it once. The last record applied stays what it was.
func (m *Machine) PassLine(p Partition, offset, next int64, why equivclass.Reason) error {
	if offset < m.positions[p].Next {
		return nil
	}
	if err := m.numbered(p); err != nil {
		return err
	}
	if err := m.CountLines(why, 1); err != nil {
		return err
	}
	m.Pass(p, next)
	return nil
}

// CountLines counts lines that are no records of their own.
func (m *Machine) CountLines(why equivclass.Reason, lines int) error {
	if m.broken {
		return ErrBroken
	}
	m.counters.Ignored[why] += uint64(lines)
	m.staged.counters = true
	return nil
}

// Miss passes the offsets from one up to below, which were given up for a reason,
// and counts those that are not passed yet: once, whatever is read again.
func (m *Machine) Miss(p Partition, from, below int64, why equivclass.Reason) error {
	if m.broken {
		return ErrBroken
	}
	if from = max(from, m.positions[p].Next); from >= below {
		return nil
	}
	m.Pass(p, below)
	m.counters.Ignored[why] += uint64(below - from)
	m.staged.counters = true
	return nil
}

// Pass moves the position of a partition over offsets that hold no record.
func (m *Machine) Pass(p Partition, next int64) {
	pos := m.position(p)
	if next > pos.Next {
		pos.Next = next
		m.positions[p] = pos
		m.staged.positions[p] = true
	}
}

// Witness stores the keyed digest of the last record applied in a partition.
func (m *Machine) Witness(p Partition, d Digest) {
	pos := m.position(p)
	pos.Digest = d
	m.positions[p] = pos
	m.staged.positions[p] = true
}

// Digest is the keyed digest under which state remembers what it must not keep.
// Unlike all else of a machine it is safe for concurrent use.
func (m *Machine) Digest(data []byte) Digest {
	h := sha256.New()
	h.Write(m.keys.digest)
	h.Write(data)
	return Digest(h.Sum(nil)[:16])
}

// position returns the position of a partition, numbering a new one.
func (m *Machine) position(p Partition) Position {
	if pos, ok := m.positions[p]; ok {
		return pos
	}
	return Position{Number: uint16(len(m.positions)), Last: -1}
}

func (m *Machine) advance(p Partition, offset int64) uint16 {
	pos := m.position(p)
	pos.Next, pos.Last = offset+1, offset
	m.positions[p] = pos
	m.staged.positions[p] = true
	return pos.Number
}

// accept takes in the record whose row the columns took in last.
func (m *Machine) accept(row equivclass.Row, origin uint16, offset int64) {
	c := &m.records
	r := c.len() - 1
	for _, i := range c.Grown() {
		m.learn(i, c.Codes[i][r])
	}
	c.classOf = append(c.classOf, none)
	c.noteArrival(r, m.now)
	first := true
	if i := m.schema.SubjectIndex(); i >= 0 {
		s := m.subjectDigest(row[i])
		c.subject = append(c.subject, s)
		first = c.noteSubject(s, c.sa()[r], r)
	}
	m.staged.origin(origin, offset)
	m.arrive(r, first)
}

// learn stages a value that was taken into the dictionary of its attribute.
func (m *Machine) learn(attribute int, c equivclass.Code) {
	m.staged.delta.Dictionary = append(m.staged.delta.Dictionary, DictionaryEntry{attribute, m.records.Dicts[attribute].Text(c)})
}

// subjectDigest stands for a subject in state: the person's identifier itself
// is not kept.
func (m *Machine) subjectDigest(raw []byte) uint64 {
	h := sha256.New()
	h.Write(m.keys.subject)
	h.Write(raw)
	return max(1, binary.BigEndian.Uint64(h.Sum(nil)))
}

// Commit makes everything since the last commit durable in one transaction.
func (m *Machine) Commit() error {
	if m.broken {
		return ErrBroken
	}
	m.flushBlock()
	d := &m.staged.delta
	if d.Meta != nil {
		d.Meta = m.storedMeta()
	}
	for _, p := range sortedPartitions(m.staged.positions) {
		d.Positions = append(d.Positions, PartitionPosition{p, m.positions[p]})
	}
	if m.staged.counters {
		c := m.counters
		d.Counters = &c
	}
	if d.Empty() {
		return nil
	}
	if err := m.store.Commit(d); err != nil {
		m.broken = true
		return err
	}
	m.staged.delta = Delta{}
	m.staged.counters = false
	clear(m.staged.positions)
	return nil
}

// Delivered tells that dead letters up to seq have reached their sink; they
// leave the outbox with the next commit.
func (m *Machine) Delivered(seq uint64, letters int) {
	m.staged.delta.Delivered = max(m.staged.delta.Delivered, seq)
	m.outbox.waiting -= letters
}

// numbered reports that a partition has a number, or that one is left for it.
func (m *Machine) numbered(p Partition) error {
	if _, known := m.positions[p]; !known && len(m.positions) > math.MaxUint16 {
		return errTooManyPartitions
	}
	return nil
}

var errTooManyPartitions = errors.New("the state numbers at most 65,535 partitions")
