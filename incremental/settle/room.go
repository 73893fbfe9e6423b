package settle

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// room keeps the histories that are open as bytes, and finds them by person.
//
// Method: histories of one lane end in the order in which they began, so they lie in that order, some together in a block. In a block a
// history is written as in a store, with numbers that count from the first one of the block, and with texts that several rows have
// written once (texts). A history that changes is written anew in its place. Whoever leaves, leaves no bytes; a block goes with the
// last who was in it, when its turn in the lane comes.
//
// Cost: 14 bytes a person for the block, 6 to 10 to find it, and the bytes: of a record of some eight values that others have too, some
// 20; 8 more where records have keys. A change moves half a block.
type room struct {
	blocks []*block // by number; nil: free
	free   []uint32 // numbers of blocks
	lanes  []*lane  // by number; nil: nobody is in it
	places places
	texts  texts
	dirty  []*block // with somebody who changed since the last commit
	spare  []byte
}

// lane is the histories that end by one clock.
type lane struct {
	blocks []*block // in the order in which they end; the first one has somebody
	next   int      // place of the first history in the first block
	end    int64    // of the first history
	number uint64   // likewise
	last   int64    // end of the newest one
}

// perBlock is how many histories lie together.
const perBlock = 32

type block struct {
	id         uint32
	dirty      uint32 // who changed since the last commit, a bit each
	used, live uint8
	listed     bool // in room.dirty
	form
	number uint64
	people [perBlock]uint64 // 0: gone
	ends   [perBlock]uint32 // where the bytes of each end
	bytes  []byte
}

// slot is the place of a history: the number of its block, times perBlock, and the place in it.
type slot uint32

func (b *block) slot(i int) slot { return slot(b.id)*perBlock + slot(i) }

func (m *room) at(s slot) (b *block, i int) { return m.blocks[s/perBlock], int(s % perBlock) }

func (m *room) person(s slot) uint64 { return m.blocks[s/perBlock].people[s%perBlock] }

// lane returns the lane with a number, nil if nobody is in it.
func (m *room) lane(number uint16) *lane {
	if int(number) < len(m.lanes) {
		return m.lanes[number]
	}
	return nil
}

// add takes in a history behind all of its lane.
func (m *room) add(h *History) {
	l := m.lane(h.Lane)
	if l == nil {
		l = &lane{end: h.End, number: h.Number}
		m.lanes = append(m.lanes, make([]*lane, max(0, int(h.Lane)+1-len(m.lanes)))...)
		m.lanes[h.Lane] = l
	}
	l.last = h.End
	if n := len(l.blocks); n == 0 || l.blocks[n-1].used == perBlock {
		l.blocks = append(l.blocks, m.begin(h))
	}
	b := l.blocks[len(l.blocks)-1]
	i := int(b.used)
	b.people[i], b.ends[i] = h.Person, uint32(len(b.bytes))
	b.used, b.live = b.used+1, b.live+1
	m.put(b, i, m.write(b, h))
	if b.used == perBlock {
		b.bytes = append(make([]byte, 0, len(b.bytes)), b.bytes...)
	}
	m.places.add(m, b.slot(i))
}

// begin returns an empty block whose first history is h.
func (m *room) begin(h *History) *block {
	b := &block{id: uint32(len(m.blocks)), number: h.Number, form: form{lane: h.Lane, end: h.End, rows: &m.texts}}
	if len(h.Records) > 0 {
		b.offset = h.Records[0].Offset
	}
	if n := len(m.free); n > 0 {
		b.id, m.free = m.free[n-1], m.free[:n-1]
		m.blocks[b.id] = b
		return b
	}
	m.blocks = append(m.blocks, b)
	return b
}

// write returns the bytes of a history, until the next one is written. What texts it has is counted.
func (m *room) write(b *block, h *History) []byte {
	if cap(m.spare) > mostSpare {
		m.spare = nil
	}
	m.spare = h.append(binary.AppendUvarint(m.spare[:0], h.Number-b.number), &b.form)
	return m.spare
}

// mostSpare is how many bytes are kept to write in.
const mostSpare = 1 << 16

// put changes the bytes of a history.
func (m *room) put(b *block, i int, bytes []byte) {
	b.set(i, bytes)
	b.dirty |= 1 << i
	if !b.listed {
		m.dirty, b.listed = append(m.dirty, b), true
	}
}

func (b *block) set(i int, bytes []byte) {
	from, to := b.span(i)
	more := len(bytes) - (to - from)
	switch n := len(b.bytes) + more; {
	case n <= cap(b.bytes) && (2*n >= cap(b.bytes) || b.used < perBlock):
		b.bytes = slices.Replace(b.bytes, from, to, bytes...)
	default:
		spare := n / 8
		if b.used < perBlock {
			spare = n
		}
		whole := append(append(make([]byte, 0, n+spare), b.bytes[:from]...), bytes...)
		b.bytes = append(whole, b.bytes[to:]...)
	}
	for j := i; j < int(b.used); j++ {
		b.ends[j] += uint32(more)
	}
}

func (b *block) span(i int) (from, to int) {
	if i > 0 {
		from = int(b.ends[i-1])
	}
	return from, int(b.ends[i])
}

// read returns a history.
func (m *room) read(at slot) *History {
	b, i := m.at(at)
	h := &History{Person: b.people[i]}
	d := b.head(h, i)
	h.read(&d, &b.form)
	return h
}

// head reads number and end of a history.
func (b *block) head(h *History, i int) decoder {
	from, to := b.span(i)
	d := decoder{b: b.bytes[from:to]}
	h.Number = b.number + d.below(math.MaxUint64)
	h.head(&d, &b.form)
	return d
}

// leaves returns a history whose bytes go. Its texts are counted no more.
func (m *room) leaves(at slot) *History {
	m.texts.leave = true
	defer func() { m.texts.leave = false }()
	return m.read(at)
}

// replace changes a history, and returns what it was.
func (m *room) replace(at slot, h *History) (old *History) {
	b, i := m.at(at)
	fresh := m.write(b, h)
	old = m.leaves(at)
	m.put(b, i, fresh)
	return old
}

// remove takes a history out.
func (m *room) remove(at slot) *History {
	b, i := m.at(at)
	h := m.leaves(at)
	m.places.remove(m, h.Person)
	b.set(i, nil)
	b.people[i], b.live = 0, b.live-1
	b.dirty &^= 1 << i
	m.advance(h.Lane)
	return h
}

// advance finds the first history of a lane, and lets go of what is empty before it.
func (m *room) advance(number uint16) {
	l := m.lanes[number]
	for ; len(l.blocks) > 0 && l.blocks[0].live == 0; l.next = 0 {
		b := l.blocks[0]
		m.blocks[b.id], m.free = nil, append(m.free, b.id)
		l.blocks[0], l.blocks = nil, l.blocks[1:]
	}
	if len(l.blocks) == 0 {
		m.lanes[number] = nil
		return
	}
	b := l.blocks[0]
	for b.people[l.next] == 0 {
		l.next++
	}
	var h History
	b.head(&h, l.next)
	l.end, l.number = h.End, h.Number
}

// byNumber are all histories, in the order in which they began.
func (m *room) byNumber() []slot {
	type numbered struct {
		number uint64
		slot   slot
	}
	var all []numbered
	var h History
	for _, b := range m.blocks {
		for i := 0; b != nil && i < int(b.used); i++ {
			if b.people[i] != 0 {
				b.head(&h, i)
				all = append(all, numbered{h.Number, b.slot(i)})
			}
		}
	}
	slices.SortFunc(all, func(a, b numbered) int { return cmp.Compare(a.number, b.number) })
	out := make([]slot, len(all))
	for i, x := range all {
		out[i] = x.slot
	}
	return out
}

// altered visits who changed since the last commit.
func (m *room) altered(yield func(slot) bool) {
	for _, b := range m.dirty {
		for x := b.dirty; x != 0; x &= x - 1 {
			if !yield(b.slot(bits.TrailingZeros32(x))) {
				return
			}
		}
	}
}

// committed forgets what changed: the store has it.
func (m *room) committed() {
	for _, b := range m.dirty {
		b.dirty, b.listed = 0, false
	}
	m.dirty = nil
}

// places finds histories by person: a hash table of their slots. The digest of a person, which is uniform, scaled to the length of the
// table is where the search begins; a tag of one byte keeps it from looking at nearly all others.
type places struct {
	tags  []uint8 // 0: empty
	slots []slot
	held  int
}

const fewest = 64

func tagOf(person uint64) uint8 { return uint8(person)%255 + 1 }

func (p *places) home(person uint64) int {
	at, _ := bits.Mul64(person, uint64(len(p.tags)))
	return int(at)
}

// search returns where the slot of a person is, or the empty place where it belongs.
func (p *places) search(m *room, person uint64) (at int, found bool) {
	if len(p.tags) == 0 {
		return 0, false
	}
	for at = p.home(person); p.tags[at] != 0; at = p.after(at) {
		if p.tags[at] == tagOf(person) && m.person(p.slots[at]) == person {
			return at, true
		}
	}
	return at, false
}

func (p *places) after(at int) int {
	if at++; at == len(p.tags) {
		return 0
	}
	return at
}

// find returns the slot of a person.
func (m *room) find(person uint64) (s slot, found bool) {
	at, found := m.places.search(m, person)
	if !found {
		return 0, false
	}
	return m.places.slots[at], true
}

func (p *places) add(m *room, s slot) {
	if 5*p.held >= 4*len(p.tags) {
		p.resize(m, max(fewest, len(p.tags)+len(p.tags)/2))
	}
	person := m.person(s)
	at, _ := p.search(m, person)
	p.tags[at], p.slots[at] = tagOf(person), s
	p.held++
}

// remove takes a person out, and moves whoever would not be found behind the empty place.
func (p *places) remove(m *room, person uint64) {
	hole, _ := p.search(m, person)
	n := len(p.tags)
	for at := p.after(hole); p.tags[at] != 0; at = p.after(at) {
		if from := p.home(m.person(p.slots[at])); (at-from+n)%n >= (at-hole+n)%n {
			p.tags[hole], p.slots[hole], hole = p.tags[at], p.slots[at], at
		}
	}
	p.tags[hole], p.slots[hole] = 0, 0
	if p.held--; n > fewest && 4*p.held < n {
		p.resize(m, n/2)
	}
}

func (p *places) resize(m *room, n int) {
	old := *p
	p.tags, p.slots, p.held = make([]uint8, n), make([]slot, n), 0
	for i, tag := range old.tags {
		if tag != 0 {
			p.add(m, old.slots[i])
		}
	}
}
