package merge

import (
	"math/bits"
	"math/rand/v2"
	"sync"
)

// Numbers of the search. They are public and constant: with other numbers the
// buckets would be other ones, and as safe.
const (
	sweeps     = 2000 // proposals for each part
	lastSweeps = 400  // proposals for each part in the descent
	octaves    = 6    // so often the temperature halves, and the penalty doubles
	hot        = 32   // the first temperature, in 1/256 of the spread
	loose      = 128  // the first penalty for a lacking record, in 1/256 of the spread by size
)

// search is the public, fixed sequence of proposals.
type search struct {
	*state
	random *rand.PCG
	logs   *[1 << tableBits]int64
	spread int64   // the scale of temperatures
	near   []int32 // by part, nearEach each
}

func (s *state) search() search {
	spread := s.spread()
	return search{s, rand.NewPCG(0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9), logTable(), spread, s.nearest(spread)}
}

// anneal lowers the energy, with a penalty for what groups lack, at a falling
// temperature. It starts with every part alone.
func (x search) anneal(stop func() bool) {
	rounds := x.rounds(sweeps)
	for i := range rounds {
		if stop() {
			return
		}
		factor := rising(i, rounds)
		temperature := x.spread * hot / factor
		penalty := x.spread / unit * loose * factor / int64(x.size) >> 8
		for range x.parts {
			u, v := x.random.Uint64(), x.random.Uint64()
			x.propose(u, rule{limit: x.limit(temperature, v), penalty: penalty})
		}
	}
}

// rounds are fewer for few parts: there is not much to try.
func (s *state) rounds(most int) int { return min(most, len(s.parts)*len(s.parts)) }

// rising goes from 1 to 2^octaves, with 8 fractional bits: linear between powers
// of 2.
func rising(i, of int) int64 {
	at := i * octaves
	return int64(256+at%of*256/of) << (at / of)
}

// descend takes what lowers the energy and keeps every group eligible.
func (x search) descend(stop func() bool) {
	r := rule{hard: true}
	for range x.rounds(lastSweeps) {
		if stop() {
			return
		}
		for range x.parts {
			x.propose(x.random.Uint64(), r)
		}
	}
	x.split()
}

// propose tries a random change: half are swaps, an eighth detaches a part, the
// others move one. The other part is a near one in half of them. The upper and the
// lower 32 bits of u choose the parts, the lowest 4 what is done.
func (x search) propose(u uint64, r rule) {
	p, low := below32(u>>32, len(x.parts)), u&0xffffffff
	q := below32(low, len(x.parts))
	if u&8 == 0 {
		q = int(x.near[p*nearEach+below32(low, nearEach)])
	}
	switch kind := u & 7; {
	case kind == 0:
		x.detach(p, r)
	case kind < 4:
		x.move(p, x.group[q], r)
	default:
		x.swap(p, q, r)
	}
}

// below32 turns 32 random bits into a number below n. That some numbers come up
// slightly more often does not matter: the sequence is public anyway.
func below32(r uint64, n int) int { return int(r * uint64(n) >> 32) }

// spread is the mean energy of a part if all parts were one group: the scale of
// temperatures.
func (s *state) spread() int64 {
	var parts int64
	all := make([]int64, s.width)
	for i := range s.parts {
		p := &s.parts[i]
		parts += p.square
		for _, e := range p.bag {
			all[e.at] += int64(e.n)
		}
	}
	var square int64
	for _, n := range all {
		square += n * n
	}
	m := len(s.parts)
	return max(unit, ratio(uint64(parts), uint64(m), unitBits)-gainOf(square, int32(m))/int64(m))
}

// limit returns by how much the energy may rise: the temperature times -log2 of a
// uniform number in (0,1].
func (x search) limit(temperature int64, u uint64) int64 {
	u |= 1
	zeros := bits.LeadingZeros64(u)
	exponential := int64(zeros+1)<<unitBits - x.logs[u<<zeros>>(63-tableBits)&(1<<tableBits-1)]
	hi, lo := bits.Mul64(uint64(temperature), uint64(exponential))
	return int64(hi<<(64-unitBits) | lo>>unitBits)
}

const tableBits = 8

// logTable has log2 of 1 + i/256 with unitBits fractional bits.
var logTable = sync.OnceValue(func() *[1 << tableBits]int64 {
	var t [1 << tableBits]int64
	for i := range t {
		t[i] = (log2(uint64(1<<tableBits+i)) - tableBits<<logBits) >> (logBits - unitBits)
	}
	return &t
})
