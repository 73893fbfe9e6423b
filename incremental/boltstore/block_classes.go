package boltstore

import (
	"encoding/binary"

	"anond/incremental/state"
)

// A classBlock is what one key of bucket classes holds: consecutive classes as
// they were born. Deaths and declarations are kept apart, so that a block is
// never rewritten for them.
//
// Content: length; regimes, births, regroupings and sizes packed; the members
// of each class, the first as distance from the first of the class before, the
// others as distance from their neighbour; where there are buckets, these, packed.
type classBlock struct {
	first   state.ClassID // from the key
	classes []*state.Class
}

func cutClasses(tail *classBlock, births []*state.Class) []*classBlock {
	var out []*classBlock
	if tail != nil && len(births) > 0 {
		n := min(len(births), blockLength-len(tail.classes))
		tail.classes = append(tail.classes, births[:n]...)
		births = births[n:]
		out = append(out, tail)
	}
	for len(births) > 0 {
		n := min(len(births), blockLength)
		out = append(out, &classBlock{births[0].ID, births[:n]})
		births = births[n:]
	}
	return out
}

func (b *classBlock) encode() []byte {
	n := len(b.classes)
	regime, born := make([]state.Regime, n), make([]uint32, n)
	regroups, size := make([]uint16, n), make([]uint32, n)
	for i, c := range b.classes {
		regime[i], born[i], regroups[i], size[i] = c.Regime, c.Born, c.Regroups, uint32(len(c.Members))
	}
	out := binary.AppendUvarint(make([]byte, 0, 64+n*32), uint64(n))
	out = appendPacked(out, regime)
	out = appendPacked(out, born)
	out = appendPacked(out, regroups)
	out = appendPacked(out, size)
	before := int64(0)
	for _, c := range b.classes {
		out = binary.AppendVarint(out, int64(c.Members[0])-before)
		before = int64(c.Members[0])
		for i, m := range c.Members[1:] {
			out = binary.AppendUvarint(out, uint64(m-c.Members[i]-1))
		}
	}
	return b.appendBuckets(out)
}

// appendBuckets writes the bucket of each class, nothing if none has one.
func (b *classBlock) appendBuckets(out []byte) []byte {
	buckets, any := make([]state.BucketID, len(b.classes)), false
	for i, c := range b.classes {
		buckets[i] = c.Bucket
		any = any || c.Bucket != 0
	}
	if !any {
		return out
	}
	return appendPacked(out, buckets)
}

func decodeClasses(first state.ClassID, content []byte) (*classBlock, error) {
	r := &reader{b: content}
	n := r.count(min(maxBlock, len(content)))
	regime, born := make([]state.Regime, n), make([]uint32, n)
	regroups, size := make([]uint16, n), make([]uint32, n)
	unpack(r, regime)
	unpack(r, born)
	unpack(r, regroups)
	unpack(r, size)
	total := 0
	for i := range size {
		total += int(size[i])
		if size[i] == 0 || regime[i] > state.Pure {
			return nil, errDecode
		}
	}
	if r.bad || n == 0 || total > len(r.b) {
		return nil, errDecode
	}
	members := readMembers(r, size, total)
	buckets := make([]state.BucketID, n)
	if len(r.b) > 0 {
		unpack(r, buckets)
	}
	if err := r.done(); err != nil {
		return nil, err
	}
	b := &classBlock{first, make([]*state.Class, n)}
	classes := make([]state.Class, n)
	for i := range classes {
		k := int(size[i])
		classes[i] = state.Class{ID: first + state.ClassID(i), Regime: regime[i], Bucket: buckets[i], Born: born[i],
			Regroups: regroups[i], Members: members[:k:k]}
		members = members[k:]
		b.classes[i] = &classes[i]
	}
	return b, nil
}

// readMembers reads the members of all classes into one slice, from which the
// classes are cut.
func readMembers(r *reader, size []uint32, total int) []state.RecordID {
	out := make([]state.RecordID, 0, total)
	before := int64(0)
	for _, k := range size {
		before += r.varint()
		m := before
		if m < 0 || m > maxRecord {
			r.fail()
		}
		out = append(out, state.RecordID(m))
		for range k - 1 {
			m += 1 + int64(r.count(maxRecord))
			if m > maxRecord {
				r.fail()
			}
			out = append(out, state.RecordID(m))
		}
	}
	return out
}

const maxRecord = 1<<32 - 1

// Lists of one commit, as committed: deaths, declarations, quarantined records.

var deathsLayout layout[[]state.Death] = func(c *coder, deaths *[]state.Death) {
	class, release := int64(0), int64(0)
	listed(c, deaths, func(c *coder, d *state.Death) {
		step(c, &d.ID, &class)
		step(c, &d.Release, &release)
	})
}

// ids is a list of classes or records, short if it ascends closely.
func ids[ID ~uint32](c *coder, list *[]ID) {
	before := int64(0)
	listed(c, list, func(c *coder, id *ID) { step(c, id, &before) })
}

var (
	classIDs  layout[[]state.ClassID]  = ids[state.ClassID]
	recordIDs layout[[]state.RecordID] = ids[state.RecordID]
)

// turns is what has become of classes since their birth.
type turns struct {
	died     map[state.ClassID]uint32
	declared map[state.ClassID]bool
}

func (t turns) apply(c *state.Class) {
	if t.declared[c.ID] {
		c.Regime = state.Pure
	}
	c.Died = t.died[c.ID]
}

// readTurns reads declarations and deaths. A class turns each way once.
func readTurns(tx *transaction, e ends) (turns, error) {
	t := turns{died: map[state.ClassID]uint32{}, declared: map[state.ClassID]bool{}}
	err := lists(tx, inPure, classIDs, e.pure, func(key []byte, list []state.ClassID) error {
		for _, id := range list {
			if uint64(id) >= e.classes || t.declared[id] {
				return inPure.damaged(key, "a class is unknown or declared twice")
			}
			t.declared[id] = true
		}
		return nil
	})
	if err != nil {
		return t, err
	}
	return t, lists(tx, inDeaths, deathsLayout, e.deaths, func(key []byte, list []state.Death) error {
		for _, d := range list {
			if uint64(d.ID) >= e.classes || t.died[d.ID] != 0 || d.Release == 0 {
				return inDeaths.damaged(key, "a class is unknown or dies twice")
			}
			t.died[d.ID] = d.Release
		}
		return nil
	})
}
