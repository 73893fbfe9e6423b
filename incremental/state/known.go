package state

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
)

// Why says why nothing more is taken in of a person: a set, since several reasons may hold. What is in it stays.
type Why uint8

// The reasons.
const (
	// Forgotten: the person was forgotten (package erase).
	Forgotten Why = 1 << iota
	// Barred: a record was refused for something that its sensitive value can have caused (package incremental, seen.go).
	Barred
	// Lapsed: the person waited longer than policy.max_wait (package incremental, lapse.go).
	Lapsed
	// Departed: the records have left the state with those who expired (package erase, Removal).
	Departed
	// Closed: the person has left an open window with nothing to show (package settle).
	Closed
	// Seen: a message of the person has come, and brought no record. It is no reason to take in nothing more, but for what Earlier says.
	Seen
	// Earlier: the person was Seen before settings changed for those who come later (package incremental, newcomers.go).
	Earlier
)

// Person is the digest under which somebody is known who may be in no record (Secrets.Person). Its last byte is 0.
type Person = Digest

// Known is what a state keeps of a person for ever: the digest, and in its last byte why.
type Known Digest

// Know is what is kept of a person.
func Know(d Person, why Why) Known {
	d[15] = byte(why)
	return Known(d)
}

// Why is why nothing more is taken in.
func (k Known) Why() Why { return Why(k[15]) }

// Person is who it is.
func (k Known) Person() Person {
	k[15] = 0
	return Person(k)
}

// People knows those of whom nothing more is taken in, for ever: a table of 16 bytes a person, 17 to 18 with the room to grow.
//
// Method: blocks of some 2,000 people, sorted; the lowest bits of a digest, which is uniform, choose the block, and the place in
// it is near where the digest lies between 0 and the largest one. Where the blocks grow too long, the oldest one that was not
// divided yet is divided in two (linear hashing), so nobody waits for a table that is written anew.
//
// Cost: a search reads one to three lines of a cache; a new person moves half a block.
type People struct {
	blocks [][]Known
	length int
	counts [8]int // by reason
}

// mostKnown is how many people a block has on the average.
const mostKnown = 2048

// NewPeople makes the table of a list in which somebody may be several times, each time with other reasons. It takes a sixth of the
// time that Add takes for each.
func NewPeople(list []Known) (t People) {
	t.blocks = make([][]Known, 1+len(list)/mostKnown)
	sizes := make([]int, len(t.blocks))
	for _, k := range list {
		sizes[t.blockOf(k.Person())]++
	}
	for i, n := range sizes {
		t.blocks[i] = make([]Known, 0, n+n/32+8)
	}
	for _, k := range list {
		i := t.blockOf(k.Person())
		t.blocks[i] = append(t.blocks[i], k)
	}
	for i, b := range t.blocks {
		slices.SortFunc(b, func(x, y Known) int { return order(&x, &y) })
		n := 0
		for _, k := range b {
			if n > 0 && bytes.Equal(b[n-1][:15], k[:15]) {
				b[n-1][15] |= k[15]
				continue
			}
			b[n] = k
			n++
		}
		t.blocks[i] = b[:n]
		t.length += n
		for _, k := range b[:n] {
			t.count(k.Why())
		}
	}
	return t
}

// Len is how many people are known.
func (t *People) Len() int { return t.length }

// Count is for how many of them a reason holds.
func (t *People) Count(why Why) int { return t.counts[bits.TrailingZeros8(uint8(why))] }

// Why is why nothing more is taken in of a person; 0: the table does not know the person.
func (t *People) Why(d Person) Why {
	if t.length == 0 {
		return 0
	}
	b := t.blocks[t.blockOf(d)]
	if at, found := search(b, d); found {
		return b[at].Why()
	}
	return 0
}

// Add takes in a reason, and reports whether it is new.
func (t *People) Add(k Known) bool {
	if len(t.blocks) == 0 {
		t.blocks = make([][]Known, 1)
	}
	i := t.blockOf(k.Person())
	b := t.blocks[i]
	at, found := search(b, k.Person())
	before := Why(0)
	if found {
		before = b[at].Why()
	}
	t.count(k.Why() &^ before)
	if found {
		b[at][15] |= byte(k.Why())
		return b[at].Why() != before
	}
	if len(b) == cap(b) {
		b = append(make([]Known, 0, len(b)+len(b)/32+8), b...)
	}
	t.blocks[i] = slices.Insert(b, at, k)
	if t.length++; t.length > mostKnown*len(t.blocks) {
		t.divide()
	}
	return true
}

// count counts reasons that are new.
func (t *People) count(fresh Why) {
	for ; fresh != 0; fresh &= fresh - 1 {
		t.counts[bits.TrailingZeros8(uint8(fresh))]++
	}
}

// All visits everybody for whom a reason holds, in an order that depends on their digests alone.
func (t *People) All(why Why, yield func(Person)) {
	for _, b := range t.blocks {
		for _, k := range b {
			if k.Why()&why != 0 {
				yield(k.Person())
			}
		}
	}
}

// blockOf is the block of a person.
func (t *People) blockOf(d Person) int {
	low := binary.BigEndian.Uint64(d[:8])
	half := 1 << (bits.Len(uint(len(t.blocks))) - 1)
	if i := int(low & uint64(2*half-1)); i < len(t.blocks) {
		return i
	}
	return int(low & uint64(half-1))
}

// divide makes one more block, of those in an earlier one who belong there now.
func (t *People) divide() {
	from := len(t.blocks) - 1<<(bits.Len(uint(len(t.blocks)))-1)
	old := t.blocks[from]
	t.blocks = append(t.blocks, nil)
	var out [2][]Known
	for i := range out {
		out[i] = make([]Known, 0, len(old)/2+len(old)/16)
	}
	for _, k := range old {
		side := 0
		if t.blockOf(k.Person()) != from {
			side = 1
		}
		out[side] = append(out[side], k)
	}
	t.blocks[from], t.blocks[len(t.blocks)-1] = out[0], out[1]
}

// search finds the place of a person in a block.
func search(b []Known, d Person) (at int, found bool) {
	scaled, _ := bits.Mul64(binary.BigEndian.Uint64(d[:8]), uint64(len(b)))
	at = int(scaled)
	sought := Known(d)
	for at > 0 && order(&b[at-1], &sought) >= 0 {
		at--
	}
	for at < len(b) && order(&b[at], &sought) < 0 {
		at++
	}
	return at, at < len(b) && bytes.Equal(b[at][:15], d[:15])
}

// order compares by digest.
func order(x, y *Known) int {
	if a, b := binary.BigEndian.Uint64(x[:8]), binary.BigEndian.Uint64(y[:8]); a != b {
		return cmp.Compare(a, b)
	}
	return bytes.Compare(x[8:15], y[8:15])
}
