package nearest

import "math/bits"

// layout says where in the words of a packed point each dimension lies. Above the bits of
// a value a lane has one more, so that two values can be added, and a guard bit.
type layout struct {
	lanes  []lane
	guards []uint64 // by word: the guard bits of its lanes
}

type lane struct {
	word  int
	shift uint
	bits  uint // of a value
	base  int64
}

// widest is the number of bits that a value may have at most.
const widest = 62

// newLayout returns a layout for coordinates from lo to hi, with as much room to either
// side as the words leave.
func newLayout(lo, hi []int64) layout {
	l := layout{lanes: make([]lane, len(lo))}
	free := []uint{} // by word
	for j := range l.lanes {
		need := max(1, uint(bits.Len64(uint64(hi[j]-lo[j]))))
		w := 0
		for w < len(free) && free[w] < need+2 {
			w++
		}
		if w == len(free) {
			free = append(free, 64)
		}
		l.lanes[j] = lane{word: w, bits: need}
		free[w] -= need + 2
	}
	l.guards = make([]uint64, len(free))
	used, sharing := make([]uint, len(free)), make([]uint, len(free))
	for _, a := range l.lanes {
		sharing[a.word]++
	}
	for j := range l.lanes {
		a := &l.lanes[j]
		a.bits = min(widest, a.bits+free[a.word]/sharing[a.word])
		a.shift = used[a.word]
		used[a.word] += a.bits + 2
		a.base = lo[j] - (int64(1)<<a.bits-1-(hi[j]-lo[j]))/2
		l.guards[a.word] |= a.guard()
	}
	return l
}

func (a *lane) guard() uint64 { return 1 << (a.shift + a.bits + 1) }

// holds reports whether coordinates from lo to hi fit.
func (a *lane) holds(lo, hi int64) bool { return lo >= a.base && uint64(hi-a.base)>>a.bits == 0 }

// value is what a word has in the lane, a sum of two values included.
func (a *lane) value(word uint64) uint64 { return word >> a.shift & (1<<(a.bits+1) - 1) }

// pack writes the words of a point and reports whether its coordinates fit.
func (l *layout) pack(at []int64, into []uint64) bool {
	clear(into)
	outside := uint64(0)
	for j := range l.lanes {
		a := &l.lanes[j]
		v := uint64(at[j] - a.base)
		outside |= v >> a.bits
		into[a.word] |= v << a.shift
	}
	return outside == 0
}

// unpack writes the coordinates of a packed point.
func (l *layout) unpack(words []uint64, at []int64) {
	for j := range l.lanes {
		a := &l.lanes[j]
		at[j] = int64(a.value(words[a.word])) + a.base
	}
}

// atLeast reports whether no lane of a is below that of b.
func (l *layout) atLeast(a, b []uint64) bool {
	for w, g := range l.guards {
		if ((a[w]|g)-b[w])&g != g {
			return false
		}
	}
	return true
}

// extend makes a box hold another one.
func (l *layout) extend(box, other []uint64) {
	w := len(l.guards)
	if !l.atLeast(other, box) {
		l.choose(box, other, func(have, v uint64) bool { return v < have })
	}
	if !l.atLeast(box[w:], other[w:]) {
		l.choose(box[w:], other[w:], func(have, v uint64) bool { return v > have })
	}
}

// choose takes the lanes that are better.
func (l *layout) choose(into, from []uint64, better func(have, v uint64) bool) {
	for j := range l.lanes {
		a := &l.lanes[j]
		if v := a.value(from[a.word]); better(a.value(into[a.word]), v) {
			into[a.word] = into[a.word]&^((a.guard()-1)&^(1<<a.shift-1)) | v<<a.shift
		}
	}
}
