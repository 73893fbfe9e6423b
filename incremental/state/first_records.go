package state

import "math/bits"

// firstRecords finds the first record of a subject: a hash table of
// record numbers, whose subjects lie in the columns already. A record takes 6 to 10 bytes.
//
// Method: open addressing. A tag of one byte next to each number keeps a search from
// looking into the columns for nearly all records of others. The place of a subject, which is a uniform digest, is
// it scaled to the length of the table, so the table may grow by a half.
type firstRecords struct {
	tags   []uint8 // 0: empty
	places []RecordID
	held   int
	read   uint8 // expect
}

func tagOf(subject uint64) uint8 { return uint8(subject)%255 + 1 }

// find returns the place of the first record of the subject of r, or the empty one where it
// belongs.
func (f *firstRecords) find(c *Records, r RecordID) (at int, found bool) {
	return f.findSubject(c, c.Subject[r])
}

func (f *firstRecords) findSubject(c *Records, h uint64) (at int, found bool) {
	tag, n := tagOf(h), len(f.tags)
	scaled, _ := bits.Mul64(h, uint64(n))
	for at = int(scaled); f.tags[at] != 0; {
		if f.tags[at] == tag && c.Subject[f.places[at]] == h {
			return at, true
		}
		if at++; at == n {
			at = 0
		}
	}
	return at, false
}

// Subjects is how many people have a record.
func (f *firstRecords) Subjects() int { return f.held }

// Of returns the first record of a subject, if there is one.
func (f *firstRecords) Of(c *Records, subject uint64) (RecordID, bool) {
	if f.held == 0 {
		return 0, false
	}
	at, found := f.findSubject(c, subject)
	if !found {
		return 0, false
	}
	return f.places[at], true
}

// Has reports whether a subject has a record.
func (f *firstRecords) Has(c *Records, subject uint64) bool {
	_, has := f.Of(c, subject)
	return has
}

// first returns the first record of the subject of r; r is in the table or behind it.
func (f *firstRecords) first(c *Records, r RecordID) RecordID {
	if at, found := f.find(c, r); found {
		return f.places[at]
	}
	return r
}

// First is the first record of the person of a record, which is itself that of a person who was forgotten.
func (c *Records) First(r RecordID) RecordID {
	if c.Erased(r) {
		return r
	}
	return c.Firsts.first(c, r)
}

// Note takes in a record and reports whether it is the first of its subject. Records come
// in ascending order.
func (f *firstRecords) Note(c *Records, r RecordID) bool {
	if 5*f.held >= 4*len(f.tags) {
		f.resize(c, max(64, len(f.tags)+len(f.tags)/2))
	}
	at, found := f.find(c, r)
	if !found {
		f.tags[at], f.places[at] = tagOf(c.Subject[r]), r
		f.held++
	}
	return !found
}

// load takes in all records at once.
func (f *firstRecords) load(c *Records) {
	f.resize(c, max(64, int(c.Len())/3*4))
	for r := range c.Len() {
		if r%aheadSubjects == 0 {
			f.expect(c.Subject[r:min(r+aheadSubjects, c.Len())])
		}
		if !c.Erased(r) {
			f.Note(c, r)
		}
	}
}

// aheadSubjects is how many subjects are looked up together: fewer than a cache holds.
const aheadSubjects = 256

// expect is told whose records come next. It reads where they belong, which changes nothing: a processor fetches these places
// side by side, and one after the other when each record waits for its own.
func (f *firstRecords) expect(subjects []uint64) {
	for _, h := range subjects {
		if n := len(f.tags); n > 0 {
			at, _ := bits.Mul64(h, uint64(n))
			f.read += f.tags[at]
		}
	}
}

func (f *firstRecords) resize(c *Records, n int) {
	old := *f
	f.tags, f.places = make([]uint8, n), make([]RecordID, n)
	for i, tag := range old.tags {
		if tag != 0 {
			at, _ := f.find(c, old.places[i])
			f.tags[at], f.places[at] = tag, old.places[i]
		}
	}
}
