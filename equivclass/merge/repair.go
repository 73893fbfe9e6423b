package merge

// repair joins groups until none lacks anything or only one is left.
func (s *state) repair() {
	for {
		worst, groups := int32(-1), 0
		for g, n := range s.number {
			if n == 0 {
				continue
			}
			groups++
			if s.lack[g] > 0 && (worst < 0 || s.lack[g] > s.lack[worst]) {
				worst = int32(g)
			}
		}
		if worst < 0 || groups == 1 {
			return
		}
		s.join(worst, s.partner(worst))
	}
}

// match is what a group and a partner would be together.
type match struct {
	square, gain, lack int64
	number             int32
	energy             int64 // by how much it would rise
}

// partner returns the group that makes g eligible and raises the energy least. If
// none does, it returns the one with which the least is lacking for each part.
func (s *state) partner(g int32) (best int32) {
	best = -1
	var found match
	for h, n := range s.number {
		if n == 0 || int32(h) == g {
			continue
		}
		m := s.match(g, int32(h))
		if best < 0 || m.before(found) {
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
	x, y := m.lack/int64(m.number), o.lack/int64(o.number)
	return x < y || x == y && m.energy < o.energy
}

// match judges two groups as one. It puts the bag of h into the row of g for that
// moment.
func (s *state) match(g, h int32) (m match) {
	a, b := s.row(g), s.row(h)
	m.number, m.square = s.number[g]+s.number[h], s.square[g]+s.square[h]
	for i, n := range b {
		m.square += 2 * int64(a[i]) * int64(n)
		a[i] += n
	}
	m.gain, m.lack = gainOf(m.square, m.number), s.lacks(g, m.number)
	m.energy = s.gain[g] + s.gain[h] - m.gain
	for i, n := range b {
		a[i] -= n
	}
	return m
}

// join moves all parts of g to h.
func (s *state) join(g, h int32) {
	m := s.match(g, h)
	a, b := s.row(g), s.row(h)
	for i, n := range a {
		a[i], b[i] = 0, b[i]+n
	}
	for p := range s.group {
		if s.group[p] == g {
			s.group[p] = h
		}
	}
	s.set(g, 0, 0, 0, 0)
	s.set(h, m.number, m.square, m.gain, m.lack)
}
