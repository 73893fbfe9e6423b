package merge

// rule says which changes are taken.
type rule struct {
	limit   int64 // the energy may rise by as much, penalty included
	penalty int64 // energy for each record that is lacking, 8 fractional bits
	hard    bool  // nothing may lack anything afterwards, and the energy must fall
}

// takes reports whether a change is taken, given what two groups lacked and would
// lack.
func (r rule) takes(energy, before, after int64) bool {
	if r.hard {
		return after == 0 && energy < 0
	}
	return energy+r.penalty*(after-before)>>8 <= r.limit
}

// hopeless reports that a change is not taken even if nothing lacked anything
// afterwards. It saves the costly half of most proposals.
func (r rule) hopeless(energy, before int64) bool { return !r.takes(energy, before, 0) }

// move takes a part from its group to another, or to a free slot.
func (s *state) move(p int, to int32, r rule) bool {
	from := s.group[p]
	if from == to || s.number[from] == 1 && s.number[to] == 0 {
		return false
	}
	own := s.parts[p].square
	nf, nt := s.number[from]-1, s.number[to]+1
	qf, qt := s.square[from]-2*s.dot(p, from)+own, s.square[to]+2*s.dot(p, to)+own
	gf, gt := gainOf(qf, nf), gainOf(qt, nt)
	energy, before := s.gain[from]+s.gain[to]-gf-gt, s.lack[from]+s.lack[to]
	if r.hopeless(energy, before) {
		return false
	}
	s.add(p, from, -1)
	s.add(p, to, 1)
	lf, lt := s.lacks(from, nf), s.lacks(to, nt)
	if !r.takes(energy, before, lf+lt) {
		s.add(p, from, 1)
		s.add(p, to, -1)
		return false
	}
	s.group[p] = to
	s.set(from, nf, qf, gf, lf)
	s.set(to, nt, qt, gt, lt)
	return true
}

// swap exchanges two parts between their groups.
func (s *state) swap(p, q int, r rule) bool {
	g, h := s.group[p], s.group[q]
	if g == h || s.number[g] == 1 && s.number[h] == 1 {
		return false
	}
	apart := s.parts[p].square + s.parts[q].square - 2*s.between(p, q)
	if apart == 0 {
		return false // equal bags
	}
	qg := s.square[g] + 2*(s.dot(q, g)-s.dot(p, g)) + apart
	qh := s.square[h] + 2*(s.dot(p, h)-s.dot(q, h)) + apart
	gg, gh := gainOf(qg, s.number[g]), gainOf(qh, s.number[h])
	energy, before := s.gain[g]+s.gain[h]-gg-gh, s.lack[g]+s.lack[h]
	if r.hopeless(energy, before) {
		return false
	}
	s.exchange(p, g, q, h)
	lg, lh := s.lacks(g, s.number[g]), s.lacks(h, s.number[h])
	if !r.takes(energy, before, lg+lh) {
		s.exchange(q, g, p, h)
		return false
	}
	s.group[p], s.group[q] = h, g
	s.set(g, s.number[g], qg, gg, lg)
	s.set(h, s.number[h], qh, gh, lh)
	return true
}

// exchange replaces part p in group g by q, and q in group h by p.
func (s *state) exchange(p int, g int32, q int, h int32) {
	s.add(p, g, -1)
	s.add(q, g, 1)
	s.add(q, h, -1)
	s.add(p, h, 1)
}

// set notes a group's new numbers and whether its slot is free.
func (s *state) set(g, number int32, square, gain, lack int64) {
	switch was := s.number[g]; {
	case was > 0 && number == 0:
		s.free = append(s.free, g)
	case was == 0 && number > 0:
		s.free = s.free[:len(s.free)-1] // a move into a free slot takes the last one
	}
	s.number[g], s.square[g], s.gain[g], s.lack[g] = number, square, gain, lack
}

// detach makes a part a group of its own.
func (s *state) detach(p int, r rule) bool {
	if s.number[s.group[p]] == 1 {
		return false
	}
	return s.move(p, s.free[len(s.free)-1], r)
}
