package state

import "math/bits"

// RecordSet is a set of records, a bit for each that has arrived: of ten million records
// 1.25 MB, which take a tenth of a millisecond to clear.
type RecordSet []uint64

// NewRecordSet has room for the records below n.
func NewRecordSet(n RecordID) RecordSet { return make(RecordSet, (int(n)+63)/64) }

func (s RecordSet) Has(r RecordID) bool { return s[r/64]>>(r%64)&1 == 1 }

func (s RecordSet) Add(r RecordID) { s[r/64] |= 1 << (r % 64) }

// Ranks number the records of a set in their order, so that an array can say something of
// each of them.
type Ranks struct {
	RecordSet
	below []uint32 // by word of the set: records before it
	n     int
}

func RanksOf(s RecordSet) Ranks {
	r := Ranks{RecordSet: s, below: make([]uint32, len(s))}
	for i, word := range s {
		r.below[i] = uint32(r.n)
		r.n += bits.OnesCount64(word)
	}
	return r
}

func (r *Ranks) Len() int { return r.n }

// Of is the number of a record, which must be in the set.
func (r *Ranks) Of(rec RecordID) int {
	return int(r.below[rec/64]) + bits.OnesCount64(r.RecordSet[rec/64]&(1<<(rec%64)-1))
}
