package state

import (
	"bytes"
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
	for fresh := k.Why() &^ before; fresh != 0; fresh &= fresh - 1 {
		t.counts[bits.TrailingZeros8(uint8(fresh))]++
	}
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
	for at > 0 && !before(&b[at-1], &d) {
		at--
	}
	for at < len(b) && before(&b[at], &d) {
		at++
	}
	return at, at < len(b) && bytes.Equal(b[at][:15], d[:15])
}

func before(k *Known, d *Person) bool {
	if a, b := binary.BigEndian.Uint64(k[:8]), binary.BigEndian.Uint64(d[:8]); a != b {
		return a < b
	}
	return bytes.Compare(k[8:15], d[8:15]) < 0
}
