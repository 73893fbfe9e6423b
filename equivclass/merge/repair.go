package merge

// repair joins groups until none lacks anything or only one is left: the group that lacks most
// with the one that makes it eligible and raises the energy least or, if none does, the one with
// which the least is lacking for each part.
func (s *search) repair() {
	r := newRepairing(s.groups)
	for groups := len(s.list()); groups > 1; groups-- {
		worst := int32(0)
		for g := range r.lack {
			if r.lack[g] > r.lack[worst] {
				worst = int32(g)
			}
		}
		if r.lack[worst] == 0 || s.run.Stop() {
			return
		}
		r.join(worst, r.partner(worst))
	}
}

// repairing is groups with the sums of their bags. Only groups that something is joined
// with need them.
type repairing struct {
	*groups
	lack   []int64 // by group
	square []int64 // by group: |sum of bags|^2
	sums   []int64 // by group and value
}

func newRepairing(s *groups) *repairing {
	r := &repairing{groups: s, lack: make([]int64, len(s.members))}
	needed := false
	for g, members := range s.members {
		if len(members) > 0 && !s.suffices(members) {
			r.lack[g], needed = s.lacks(members), true
		}
	}
	if !needed {
		return r
	}
	r.square, r.sums = make([]int64, len(s.members)), make([]int64, len(s.members)*len(s.values))
	for g, members := range s.members {
		s.sumUp(members)
		for _, v := range s.touched {
			r.row(int32(g))[v] = s.tally[v]
			r.square[g] += s.tally[v] * s.tally[v]
		}
	}
	return r
}

func (r *repairing) row(g int32) []int64 { return r.sums[int(g)*len(r.values):][:len(r.values)] }

// match is what two groups would be together.
type match struct {
	square, lack, energy int64 // by how much that would rise
	parts                int64
}

func (r *repairing) match(g, h int32) (m match) {
	r.sumUp(nil)
	a, b := r.row(g), r.row(h)
	for v, n := range a {
		if n += b[v]; n > 0 {
			r.tally[v], r.touched = n, append(r.touched, int32(v))
			m.square += n * n
		}
	}
	ng, nh := int64(len(r.members[g])), int64(len(r.members[h]))
	m.parts = ng + nh
	m.lack = r.above(m.parts*r.size) + r.ask(m.parts*r.size)
	m.energy = gainOf(r.square[g], ng) + gainOf(r.square[h], nh) - gainOf(m.square, m.parts)
	return m
}

// gainOf is what a group takes off the energy, in units.
func gainOf(square, parts int64) int64 { return ratio(uint64(square), uint64(parts), unitBits) }

func (r *repairing) partner(g int32) (best int32) {
	best = -1
	var found match
	for h, members := range r.members {
		if len(members) == 0 || int32(h) == g {
			continue
		}
		if m := r.match(g, int32(h)); best < 0 || m.before(found) {
			best, found = int32(h), m
		}
	}
	return best
}

// before prefers what lacks nothing, then the least energy; or the least lack for
// each part.
func (m match) before(o match) bool {
	if m.lack == 0 || o.lack == 0 {
		return m.lack == 0 && (o.lack > 0 || m.energy < o.energy)
	}
	x, y := m.lack/m.parts, o.lack/o.parts
	return x < y || x == y && m.energy < o.energy
}

func (r *repairing) join(g, h int32) {
	m := r.match(g, h)
	a, b := r.row(g), r.row(h)
	for v, n := range a {
		b[v] += n
	}
	r.lack[g], r.lack[h], r.square[h] = 0, m.lack, m.square
	r.groups.join(g, h)
}
