package merge

import "math"

// splitMost is how many parts a group has at most whose pairs are tried.
const splitMost = 64

// forced takes any change.
var forced = rule{limit: math.MaxInt64}

// split divides groups as long as a part, or a pair of parts, and the rest of its
// group are both eligible. That always lowers the energy. The random proposals find
// most of these, but in a small pool they are few.
func (s *state) split() {
	for changed := true; changed; {
		changed = false
		for p := range s.parts {
			changed = s.detach(p, rule{hard: true}) || changed
		}
		for _, members := range s.groups() {
			if len(members) >= 4 && len(members) <= splitMost {
				changed = s.splitPair(members) || changed
			}
		}
	}
}

// splitPair takes the first pair of a group that may leave it.
func (s *state) splitPair(members []int32) bool {
	from := s.group[members[0]]
	for i, p := range members {
		s.detach(int(p), forced)
		to := s.group[p]
		for _, q := range members[i+1:] {
			s.move(int(q), to, forced)
			if s.lack[from] == 0 && s.lack[to] == 0 {
				return true
			}
			s.move(int(q), from, forced)
		}
		s.move(int(p), from, forced)
	}
	return false
}
