package merge

import (
	"math/bits"
	"sync"
)

// Numbers of the annealing. They are public and constant, as those of the search.
const (
	sweeps      = 500 // proposals for each part
	octaves     = 6   // so often the temperature halves, and the penalty doubles
	hottest     = 32  // the first temperature, in 1/256 of the spread
	loose       = 128 // the first penalty for a lacking record, in 1/256 of the spread by size
	clusterMost = 12  // parts in a group
	lackBits    = 8   // fractional bits of what a group lacks, in records
)

// annealing divides the parts of a tight pool, in which most small groups are not eligible: a
// fixed public sequence of proposals, of which it takes some that raise the energy. It starts
// with every part alone. Groups may lack something; a penalty for that rises while the
// temperature falls.
type annealing struct {
	*instance
	near     []int32
	nearEach int
	of       []int32 // by part: its group
	clusters []cluster
	free     []int32                // groups without parts
	sums     []int32                // by group and value
	hot      []int32                // values that may exceed their caps
	words    int                    // of their lanes
	slack    []uint64               // by part: what it has below their caps
	below    []uint64               // by group: the sum
	scale    [clusterMost + 1]int64 // a unit of energy divided by a number of parts
	weight   []int64                // by value: 2^(lackBits+8) by the denominator of its cap
	spread   int64
	limit    int64 // the energy may rise by as much, penalty included
	penalty  int64 // energy for 2^-lackBits records
}

// cluster is a group.
type cluster struct {
	square  int64 // |sum of bags|^2
	gain    int64 // what it takes off the energy: square / parts
	lack    int64
	at, n   int32
	members [clusterMost]int32
}

func newAnnealing(x *instance, near []int32, nearEach int) *annealing {
	m := len(x.parts)
	a := &annealing{instance: x, near: near, nearEach: nearEach, of: make([]int32, m), clusters: make([]cluster, m),
		sums: make([]int32, m*len(x.values)), hot: x.hot()}
	a.words = (len(a.hot) + x.lanes.each - 1) / x.lanes.each
	a.slack, a.below = make([]uint64, m*a.words), make([]uint64, m*a.words)
	fraction := min(unitBits, 58-2*bits.Len64(uint64(clusterMost*x.most))) // squares, penalties and their sums fit
	for n := int64(1); n <= clusterMost; n++ {
		a.scale[n] = 1 << fraction / n
	}
	a.spread = x.spread() << fraction
	for _, c := range x.few {
		a.weight = append(a.weight, (1<<(lackBits+8)+c.den-1)/c.den)
	}
	for i := range a.clusters {
		p, c := int32(i), &a.clusters[i]
		c.at, c.n, c.square, c.gain = p, 1, x.square[i], x.square[i]*a.scale[1]
		c.members[0], a.of[i] = p, p
		a.add(p, c, 1)
		x.slackOf(p, a.hot, a.slackOf(p))
		for w, s := range a.slackOf(p) {
			a.belowOf(c)[w] = x.lanes.signs + s
			c.lack += a.lackOf(x.lanes.signs+s, w)
		}
		if len(x.principles) > 0 {
			c.lack += a.asked(c, 1)
		}
	}
	return a
}

func (a *annealing) slackOf(p int32) []uint64 { return a.slack[int(p)*a.words:][:a.words:a.words] }

func (a *annealing) belowOf(c *cluster) []uint64 {
	return a.below[int(c.at)*a.words:][:a.words:a.words]
}

func (a *annealing) sumOf(c *cluster) []int32 {
	return a.sums[int(c.at)*len(a.values):][:len(a.values)]
}

// run returns the groups, of which some may lack something.
func (a *annealing) run(stop func() bool) (out [][]int32) {
	rounds := min(sweeps, len(a.parts)*len(a.parts)) // of few parts there is not much to try
	of, random := quantiles(), uint64(0)
	for i := range rounds {
		if stop() {
			break
		}
		factor := rising(i, rounds)
		temperature := a.spread * hottest / factor
		a.penalty = max(1, a.spread*loose/a.size*factor>>(16+lackBits))
		for range a.parts {
			random += 0x9e3779b97f4a7c15 // splitmix64
			u := (random ^ random>>30) * 0xbf58476d1ce4e5b9
			u = (u ^ u>>27) * 0x94d049bb133111eb
			u ^= u >> 31
			hi, lo := bits.Mul64(uint64(temperature), of[u>>4&0xff])
			a.limit = int64(hi<<(64-unitBits) | lo>>unitBits)
			a.propose(u)
		}
	}
	for i := range a.clusters {
		if c := &a.clusters[i]; c.n > 0 {
			out = append(out, c.members[:c.n])
		}
	}
	return out
}

// rising goes from 1 to 2^octaves, with 8 fractional bits: linear between powers
// of 2.
func rising(i, of int) int64 {
	at := i * octaves
	return int64(256+at%of*256/of) << (at / of)
}

// quantiles are -log2 of (i + 1/2)/256, in units: temperatures times them are exponentially
// distributed.
var quantiles = sync.OnceValue(func() (t [1 << 8]uint64) {
	for i := range t {
		t[i] = uint64(9<<unitBits - log2(uint64(2*i+1))>>(logBits-unitBits))
	}
	return t
})

// propose tries a random change: half are swaps, an eighth detaches a part, the others move one.
// In three quarters of them the other part is a near one. Bits from 38 on and bits 12 to 37 of u
// choose the parts, bits 0 to 2 what is done, bits 4 to 11 the limit; bits 8 and 9 the other
// part's kind.
func (a *annealing) propose(u uint64) {
	m, low := uint64(len(a.parts)), u>>12&(1<<26-1)
	p, q := int32(u>>38*m>>26), int32(low*m>>26)
	if u>>8&3 != 0 {
		q = a.near[int(p)*a.nearEach+int(low*uint64(min(a.nearEach, startNear))>>26)]
	}
	switch kind := u & 7; {
	case kind == 0:
		if a.clusters[a.of[p]].n > 1 {
			a.move(p, a.free[len(a.free)-1])
		}
	case kind < 4:
		a.move(p, a.of[q])
	default:
		a.swap(p, q)
	}
}

// dot is the product of a part's bag and a group's.
func (a *annealing) dot(p int32, c *cluster) (out int64) {
	sums := a.sumOf(c)
	for _, e := range a.parts[p].bag {
		out += int64(e.n) * int64(sums[e.at])
	}
	return out
}

// add adds the bag of a part to a group's, or with -1 takes it away.
func (a *annealing) add(p int32, c *cluster, sign int32) {
	sums := a.sumOf(c)
	for _, e := range a.parts[p].bag {
		sums[e.at] += sign * e.n
	}
}

// move takes a part to another group, or to one without parts.
func (a *annealing) move(p, to int32) {
	from := a.of[p]
	f, t := &a.clusters[from], &a.clusters[to]
	if from == to || f.n == 1 && t.n == 0 || t.n == clusterMost {
		return
	}
	own := a.square[p]
	if !a.takes(f, t, p, -1, f.square-2*a.dot(p, f)+own, t.square+2*a.dot(p, t)+own) {
		return
	}
	if t.n == 0 {
		a.free = a.free[:len(a.free)-1]
	}
	f.n--
	f.replace(p, f.members[f.n])
	t.members[t.n], a.of[p] = p, to
	t.n++
	if f.n == 0 {
		a.free = append(a.free, from)
	}
}

// swap exchanges two parts between their groups.
func (a *annealing) swap(p, q int32) {
	f, t := &a.clusters[a.of[p]], &a.clusters[a.of[q]]
	if f == t || f.n == 1 && t.n == 1 {
		return
	}
	apart := a.apart(p, q)
	if apart == 0 {
		return // equal bags
	}
	if !a.takes(f, t, p, q, f.square+2*(a.dot(q, f)-a.dot(p, f))+apart, t.square+2*(a.dot(p, t)-a.dot(q, t))+apart) {
		return
	}
	f.replace(p, q)
	t.replace(q, p)
	a.of[p], a.of[q] = a.of[q], a.of[p]
}

func (c *cluster) replace(p, q int32) {
	for i, r := range c.members[:] {
		if r == p {
			c.members[i] = q
			return
		}
	}
}

// takes moves p from f to t, and q back if there is one, in all sums, if the energy
// and the penalties rise by no more than the limit. Energies come first, since most
// proposals fail by them, and what a group lacks costs more.
func (a *annealing) takes(f, t *cluster, p, q int32, squareF, squareT int64) bool {
	nf, nt := f.n, t.n
	if q < 0 {
		nf, nt = nf-1, nt+1
	}
	gainF, gainT := squareF*a.scale[nf], squareT*a.scale[nt]
	rise := f.gain + t.gain - gainF - gainT - a.penalty*(f.lack+t.lack)
	if rise > a.limit {
		return false
	}
	var lackF, lackT int64
	belowF, belowT := a.belowOf(f), a.belowOf(t)
	for w := range belowF {
		x := a.step(p, q, w)
		lackF += a.lackOf(belowF[w]-x, w)
		lackT += a.lackOf(belowT[w]+x, w)
	}
	if len(a.principles) > 0 {
		a.exchange(f, t, p, q)
		lackF, lackT = lackF+a.asked(f, nf), lackT+a.asked(t, nt)
		a.exchange(t, f, p, q)
	}
	if rise+a.penalty*(lackF+lackT) > a.limit {
		return false
	}
	for w := range belowF {
		x := a.step(p, q, w)
		belowF[w] -= x
		belowT[w] += x
	}
	a.exchange(f, t, p, q)
	f.square, f.gain, f.lack = squareF, gainF, lackF
	t.square, t.gain, t.lack = squareT, gainT, lackT
	return true
}

// step is what a word of a group's sums below the caps gains with p and loses with q.
func (a *annealing) step(p, q int32, w int) uint64 {
	x := a.slack[int(p)*a.words+w]
	if q >= 0 {
		x -= a.slack[int(q)*a.words+w]
	}
	return x
}

// exchange moves the bag of p from f to t, and that of q back if there is one.
func (a *annealing) exchange(f, t *cluster, p, q int32) {
	a.add(p, f, -1)
	a.add(p, t, 1)
	if q >= 0 {
		a.add(q, t, -1)
		a.add(q, f, 1)
	}
}

// lackOf is what a word of sums below the caps lacks.
func (a *annealing) lackOf(word uint64, w int) (out int64) {
	l := &a.lanes
	if word&l.signs == l.signs {
		return 0
	}
	for i, v := range a.hot[w*l.each : min(len(a.hot), (w+1)*l.each)] {
		if slack := int64(word>>(i*l.bits)&(1<<l.bits-1) - 1<<(l.bits-1)); slack < 0 {
			out += -slack * a.weight[v] >> 8
		}
	}
	return out
}

// asked is what a group lacks by the extra principles.
func (a *annealing) asked(c *cluster, parts int32) int64 {
	if parts == 0 {
		return 0
	}
	a.sumUp(nil)
	for v, n := range a.sumOf(c) {
		if n > 0 {
			a.tally[v], a.touched = int64(n), append(a.touched, int32(v))
		}
	}
	return (a.ask(int64(parts)*a.size) + 1<<(unitBits-lackBits) - 1) >> (unitBits - lackBits)
}
