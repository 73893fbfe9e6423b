package attacker

import (
	"cmp"
	"slices"
)

// merged is what the steps of Merge tell, if the attacker takes their end as a local
// optimum: no exchange of two classes between two near buckets, and no move of a class
// to a near bucket, lowers the energy and keeps both eligible. The energy is a
// constant less the sum over buckets of |bag|^2 / classes. So each pair of classes is
// a condition on their two bags, given the published bags of the buckets. It is the
// same condition for all classes of a bucket, which is why it tells nothing about
// one of them. Merge decides inside each sub-pool, so only buckets of one are compared;
// those of sub-pools that were joined are left out.
type merged struct {
	p      *publicView
	near   [][]int32 // by bucket: others, both ways
	square []int64   // by bucket: |bag|^2
	counts []int32   // by class and value: the bag in the world that is followed
	n      int       // conditions
}

// nearBuckets is with how many others a bucket is compared: those with the most
// similar shares. The others compare themselves with it, too.
const nearBuckets = 1

func mergeRules(p *publicView) func() rules {
	m := merged{p: p, near: similar(p)}
	for g, bag := range p.bags {
		var sum int64
		for _, n := range bag {
			sum += int64(n) * int64(n)
		}
		m.square = append(m.square, sum)
		for _, h := range m.near[g] {
			m.n += len(p.parts[g])
			if int(h) > g {
				m.n += len(p.parts[g]) * len(p.parts[h])
			}
		}
	}
	return func() rules {
		own := m
		own.counts = make([]int32, len(p.classes)*p.values)
		return &own
	}
}

// similar lists for each bucket others of similar shares, both ways.
func similar(p *publicView) [][]int32 {
	type other struct {
		dist float64
		g    int32
	}
	near, in := make([][]int32, len(p.groups)), p.inSubPools()
	for g := range p.groups {
		all := make([]other, 0, len(p.groups))
		for h := range p.groups {
			if g == h || in[g] < 0 || in[g] != in[h] {
				continue
			}
			var dist float64
			for v := range p.values {
				d := p.share(int32(g), value(v)) - p.share(int32(h), value(v))
				dist += d * d
			}
			all = append(all, other{dist, int32(h)})
		}
		slices.SortFunc(all, func(a, b other) int { return cmp.Or(cmp.Compare(a.dist, b.dist), cmp.Compare(a.g, b.g)) })
		for _, o := range all[:min(nearBuckets, len(all))] {
			near[g] = append(near[g], o.g)
			near[o.g] = append(near[o.g], int32(g))
		}
	}
	for g := range near {
		slices.Sort(near[g])
		near[g] = slices.Compact(near[g])
	}
	return near
}

// inSubPools is the sub-pool of each bucket, -1 if it has classes of several.
func (p *publicView) inSubPools() []int32 {
	s, out := int32(p.subPools()), make([]int32, len(p.parts))
	for g, part := range p.parts {
		out[g] = part[0] % s
		for _, c := range part {
			if c%s != out[g] {
				out[g] = -1
				break
			}
		}
	}
	return out
}

// Conditions implements Rules.
func (m *merged) Conditions() int { return m.n }

func (m *merged) bag(c int32) []int32 { return m.counts[int(c)*m.p.values:][:m.p.values] }

// Broken implements Rules.
func (m *merged) Broken(w world) (n int) {
	clear(m.counts)
	for r, c := range m.p.class {
		if c >= 0 {
			m.counts[int(c)*m.p.values+int(w[r])]++
		}
	}
	for g, part := range m.p.parts {
		for _, c := range part {
			for _, h := range m.near[g] {
				n += m.moves(c, int32(g), h)
				for _, d := range m.p.parts[h] {
					if int(h) > g {
						n += m.swaps(c, d, int32(g), h)
					}
				}
			}
		}
	}
	return n
}

// of counts the broken conditions of a class of a bucket.
func (m *merged) of(c, g int32) (n int) {
	for _, h := range m.near[g] {
		n += m.moves(c, g, h)
		for _, d := range m.p.parts[h] {
			n += m.swaps(c, d, g, h)
		}
	}
	return n
}

// swaps is 1 if exchanging class c of bucket g with d of h would lower the energy.
func (m *merged) swaps(c, d, g, h int32) int {
	ng, nh := int64(len(m.p.parts[g])), int64(len(m.p.parts[h]))
	if ng == 1 && nh == 1 {
		return 0
	}
	x, y, bg, bh := m.bag(c), m.bag(d), m.p.bags[g], m.p.bags[h]
	var apart, alongG, alongH int64 // |y-x|^2, (y-x) bag g, (x-y) bag h
	for v, n := range x {
		if step := int64(y[v] - n); step != 0 {
			apart, alongG, alongH = apart+step*step, alongG+step*int64(bg[v]), alongH-step*int64(bh[v])
		}
	}
	if (apart+2*alongG)*nh+(apart+2*alongH)*ng <= 0 {
		return 0
	}
	for v, n := range x {
		if step := int(y[v] - n); (int(bg[v])+step)*m.p.l > len(m.p.groups[g]) || (int(bh[v])-step)*m.p.l > len(m.p.groups[h]) {
			return 0
		}
	}
	return 1
}

// moves is 1 if moving class c of bucket g to h would lower the energy.
func (m *merged) moves(c, g, h int32) int {
	x, bg, bh := m.bag(c), m.p.bags[g], m.p.bags[h]
	ng, nh := float64(len(m.p.parts[g])), float64(len(m.p.parts[h]))
	var own, alongG, alongH int64
	for v, n := range x {
		own, alongG, alongH = own+int64(n)*int64(n), alongG+int64(n)*int64(bg[v]), alongH+int64(n)*int64(bh[v])
	}
	before := float64(m.square[g])/ng + float64(m.square[h])/nh
	after := float64(m.square[h]+2*alongH+own) / (nh + 1)
	if ng > 1 {
		after += float64(m.square[g]-2*alongG+own) / (ng - 1)
	}
	if after <= before+1e-9 {
		return 0
	}
	for v, n := range x {
		if int(bg[v]-n)*m.p.l > len(m.p.groups[g])-m.p.k || int(bh[v]+n)*m.p.l > len(m.p.groups[h])+m.p.k {
			return 0
		}
	}
	return 1
}

// Change implements Rules.
func (m *merged) Change(w world, i, j int32) int {
	c, d, g := m.p.class[i], m.p.class[j], m.p.group[i]
	if c == d {
		return 0
	}
	before := m.of(c, g) + m.of(d, g)
	m.shift(c, d, w[i], w[j]) // as if they had been exchanged
	after := m.of(c, g) + m.of(d, g)
	m.shift(c, d, w[j], w[i])
	return after - before
}

// shift takes a value from class c to d and another one back.
func (m *merged) shift(c, d int32, to, back value) {
	x, y := m.bag(c), m.bag(d)
	x[to]--
	x[back]++
	y[back]--
	y[to]++
}

// Exchanged implements Rules: afterwards row i has w[i], which j had before.
func (m *merged) Exchanged(w world, i, j int32) { m.shift(m.p.class[i], m.p.class[j], w[j], w[i]) }
