package incremental

import "math/bits"

// firstRecords finds, by a key of records, the first record that has it: a hash table of
// record numbers, whose keys lie in the columns already. A record takes 6 to 10 bytes.
//
// Method: open addressing. A tag of one byte next to each number keeps a search from
// looking into the columns for nearly all records of other keys. The place of a key is
// its hash scaled to the length of the table, so the table may grow by a half.
type firstRecords struct {
	tags   []uint8 // 0: empty
	places []RecordID
	held   int
	// withValue: the key is the subject with the sensitive value, else the subject.
	withValue bool
}

// hash is uniform: a subject is a keyed digest.
func (f *firstRecords) hash(c *columns, r RecordID) uint64 {
	h := c.subject[r]
	if f.withValue {
		h ^= (uint64(c.value(r)) + 1) * 0x9e3779b97f4a7c15
		h = (h ^ h>>32) * 0xd6e8feb86659fd93
		h ^= h >> 32
	}
	return h
}

func (f *firstRecords) same(c *columns, a, b RecordID) bool {
	return c.subject[a] == c.subject[b] && (!f.withValue || c.value(a) == c.value(b))
}

func tagOf(hash uint64) uint8 { return uint8(hash)%255 + 1 }

// find returns the place of the first record with the key of r, or the empty one where it
// belongs.
func (f *firstRecords) find(c *columns, r RecordID) (at int, found bool) {
	h := f.hash(c, r)
	tag, n := tagOf(h), len(f.tags)
	scaled, _ := bits.Mul64(h, uint64(n))
	for at = int(scaled); f.tags[at] != 0; {
		if f.tags[at] == tag && f.same(c, f.places[at], r) {
			return at, true
		}
		if at++; at == n {
			at = 0
		}
	}
	return at, false
}

// first returns the first record with the key of r; r is in the table or behind it.
func (f *firstRecords) first(c *columns, r RecordID) RecordID {
	if at, found := f.find(c, r); found {
		return f.places[at]
	}
	return r
}

// note takes in a record and reports whether it is the first with its key. Records come
// in ascending order.
func (f *firstRecords) note(c *columns, r RecordID) bool {
	if 5*f.held >= 4*len(f.tags) {
		f.resize(c, max(64, len(f.tags)+len(f.tags)/2))
	}
	at, found := f.find(c, r)
	if !found {
		f.tags[at], f.places[at] = tagOf(f.hash(c, r)), r
		f.held++
	}
	return !found
}

// load takes in all records at once.
func (f *firstRecords) load(c *columns) {
	f.resize(c, max(64, int(c.len())/3*4))
	for r := range c.len() {
		if !c.erased(r) {
			f.note(c, r)
		}
	}
}

func (f *firstRecords) resize(c *columns, n int) {
	old := *f
	f.tags, f.places = make([]uint8, n), make([]RecordID, n)
	for i, tag := range old.tags {
		if tag != 0 {
			at, _ := f.find(c, old.places[i])
			f.tags[at], f.places[at] = tag, old.places[i]
		}
	}
}
