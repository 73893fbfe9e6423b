package keying

import (
	"anond/incremental/state"
	"encoding/binary"
	"errors"
	"fmt"

	"anond/incremental"
	"anond/ingest"
	"anond/internal/fault"
)

// Link says which record of its source a record of `anond repartition` was, and which one of the same
// source partition was written before it to the same partition. So a reader knows what it has
// had already, and what is missing, although the writer may write anything twice.
type Link struct {
	Source int32 // partition of the topic that repartition reads
	Offset int64 // there
	// Previous is the offset of the record before: everything between the two went elsewhere, or
	// is no record. Of the first one it is the offset below which the writer knows nothing.
	Previous int64
	First    bool // nothing of the source partition was ever written there before it
	// Cut says that the record was longer than what repartition takes; this is its beginning.
	Cut bool
	MAC LinkMAC // whoever wrote the link has subject.key (LinkKey)
}

// LinkHeader is the name of the header that carries a link.
const LinkHeader = "anond-repartition"

// The encoding of a link: a version, flags, then three numbers in big-endian, and a MAC.
const (
	linkVersion = 2
	linkFirst   = 1
	linkCut     = 2
	linkPlace   = 2 + 4 + 8 + 8
	linkBytes   = linkPlace + len(LinkMAC{})
)

// ErrLink: a header is no link.
var ErrLink = errors.New("the header " + LinkHeader + " is not one that anond writes")

// Encode writes a link.
func (l *Link) Encode() []byte {
	return append(l.appendPlace(make([]byte, 0, linkBytes)), l.MAC[:]...)
}

// appendPlace writes what a link says: all of it but the MAC.
func (l *Link) appendPlace(out []byte) []byte {
	flags := byte(0)
	if l.First {
		flags |= linkFirst
	}
	if l.Cut {
		flags |= linkCut
	}
	out = binary.BigEndian.AppendUint32(append(out, linkVersion, flags), uint32(l.Source))
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(out, uint64(l.Offset)), uint64(l.Previous))
}

// DecodeLink reads what Encode writes, and nothing else.
func DecodeLink(b []byte) (*Link, error) {
	if len(b) != linkBytes || b[0] != linkVersion || b[1] > linkFirst|linkCut {
		return nil, ErrLink
	}
	l := &Link{First: b[1]&linkFirst != 0, Cut: b[1]&linkCut != 0, Source: int32(binary.BigEndian.Uint32(b[2:])),
		Offset: int64(binary.BigEndian.Uint64(b[6:])), Previous: int64(binary.BigEndian.Uint64(b[14:]))}
	if l.Source < 0 || l.Offset < 0 || l.Previous < -1 || l.Previous >= l.Offset {
		return nil, ErrLink
	}
	copy(l.MAC[:], b[linkPlace:])
	return l, nil
}

// chains names the positions under which state keeps how far each source partition was read
// through a partition of the repartitioned topic. They are positions like any other, moved in the
// transaction of the record.
type chains struct {
	of   state.Partition // asked for last; records come in chunks of one partition
	name string
}

func (c *chains) position(p state.Partition, l *Link) state.Partition {
	if c.name == "" || c.of != p {
		c.of, c.name = p, fmt.Sprintf("%s/%d", p.Source, p.ID)
	}
	return state.Partition{Source: c.name, ID: l.Source}
}

// ErrHole matches every *HoleError.
var ErrHole = fault.Errorf(fault.Config, "the topic has lost records, or another program writes to it: restore it, or write another "+
	"topic with anond repartition --to, for a new dataset of other people",
	"records are missing from a repartitioned topic")

// HoleError says that a repartitioned topic lacks what was written to it.
type HoleError struct {
	Partition state.Partition
	Offset    int64 // of the record behind the hole
	Source    int32 // partition of the topic that repartition reads
	Have      int64 // last offset of it that was read here, -1 if none
	Want      int64 // offset that was written before
}

func (e *HoleError) Error() string {
	have := fmt.Sprintf("offset %d of it was the last before", e.Have)
	if e.Have < 0 {
		have = "nothing of it came before"
	}
	return fmt.Sprintf("%s partition %d: the record at offset %d follows offset %d of source partition %d, which is not here: %s",
		e.Partition.Source, e.Partition.ID, e.Offset, e.Want, e.Source, have)
}

// Unwrap makes errors.Is(err, ErrHole) true.
func (e *HoleError) Unwrap() error { return ErrHole }

// Reached is how far a source partition was read through one partition of a repartitioned topic.
type Reached struct {
	Known bool
	Next  int64 // the first offset that was not read
}

// Follow says what a link means to a reader that has reached a place: again, if it has had the
// record, or a hole, if it lacks the one before. A writer that starts over tells the same links
// as the one before, or from a later beginning; nothing that was read is between the two.
func (at Reached) Follow(l *Link) (again, hole bool) {
	switch {
	case at.Known && l.Offset < at.Next:
		return true, false
	case !at.Known:
		return false, !l.First
	default:
		return false, l.Previous >= at.Next
	}
}

// Before looks at the link of a record (ingest.Placement). again: state has had it.
func (k *Keying) Before(m *incremental.Machine, p state.Partition, r *ingest.Record) (again bool, err error) {
	l := linkOf(r)
	if l == nil {
		return false, nil
	}
	next, known := m.Intake().Next(k.chains.position(p, l))
	again, hole := Reached{known, next}.Follow(l)
	if hole {
		e := &HoleError{Partition: p, Offset: r.Offset, Source: l.Source, Have: -1, Want: l.Previous}
		if known {
			e.Have = next - 1
		}
		return false, e
	}
	return again, nil
}

// After notes that state has a record, in the transaction in which it is (ingest.Placement).
func (k *Keying) After(m *incremental.Machine, p state.Partition, r *ingest.Record) error {
	l := linkOf(r)
	if l == nil {
		return nil
	}
	return m.Intake().Mark(k.chains.position(p, l), l.Offset+1)
}

// ReadLink gives a record the link that its header LinkHeader has, if it is one.
func ReadLink(r *ingest.Record, header []byte) {
	if l, err := DecodeLink(header); err == nil {
		r.Note, r.Cut = l, r.Cut || l.Cut
	}
}

func linkOf(r *ingest.Record) *Link {
	l, _ := r.Note.(*Link)
	return l
}
