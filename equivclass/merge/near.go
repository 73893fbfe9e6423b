package merge

// Near parts are those that would make a good pair. Half of the proposals name one
// of them: random pairs alone need four times as many for the same energy.
const (
	nearEach  = 16   // near parts of each part
	nearTried = 2048 // parts that are looked at for each
)

// nearest lists for each part its near parts, best first.
func (s *state) nearest(spread int64) (near []int32) {
	m := len(s.parts)
	stride := max(1, (m-1)/nearTried)
	near = make([]int32, 0, m*nearEach)
	row := make([]int32, s.width)
	for p := range m {
		for _, e := range s.parts[p].bag {
			row[e.at] = e.n
		}
		var best shortlist
		for q, tried := (p+stride)%m, 0; q != p && tried < min(m-1, nearTried); q, tried = (q+stride)%m, tried+1 {
			best.offer(s.pair(row, p, q, spread), int32(q))
		}
		for i := range nearEach {
			near = append(near, best.part[i%best.n])
		}
		for _, e := range s.parts[p].bag {
			row[e.at] = 0
		}
	}
	return near
}

// pair is the energy of two parts as one group, and a penalty for the records above
// 1/l. row is the bag of p.
func (s *state) pair(row []int32, p, q int, spread int64) int64 {
	l, n := int64(s.requirement.L), 2*int64(s.size)
	var dot, over int64
	for _, e := range s.parts[q].bag {
		have := int64(row[e.at])
		dot += int64(e.n) * have
		over += max(0, (have+int64(e.n))*l-n) - max(0, have*l-n)
	}
	// What p has above 1/l where q has nothing is the same for every q.
	return (s.parts[p].square+s.parts[q].square-2*dot)*unit/2 + spread/int64(s.size)*over/l
}

// shortlist keeps the least offers; the first of equal ones.
type shortlist struct {
	energy [nearEach]int64
	part   [nearEach]int32
	n      int
}

func (b *shortlist) offer(energy int64, part int32) {
	if b.n == nearEach && energy >= b.energy[b.n-1] {
		return
	}
	at := min(b.n, nearEach-1)
	for ; at > 0 && b.energy[at-1] > energy; at-- {
		b.energy[at], b.part[at] = b.energy[at-1], b.part[at-1]
	}
	b.energy[at], b.part[at] = energy, part
	b.n = min(b.n+1, nearEach)
}
