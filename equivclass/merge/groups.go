package merge

// groups is a partition of the parts.
//
// Its energy is the sum over parts of |bag - mean bag of its group|^2: how far a class is
// from its bucket's shares, so how wrong an analyst is who spreads the bucket evenly. For a
// group that is the sum of the squared distances of its pairs, divided by its parts.
type groups struct {
	*instance
	of      []int32   // by part: its group
	members [][]int32 // by group
	free    []int32   // groups without parts
	made    []uint64  // by group: a number that changes with its members
	last    uint64
}

// alone has every part in a group of its own.
func alone(x *instance) *groups {
	m := len(x.parts)
	s := &groups{instance: x, of: make([]int32, m), members: make([][]int32, m), made: make([]uint64, m)}
	all := make([]int32, m)
	for p := range all {
		all[p] = int32(p)
		s.put(all[p:p+1:p+1], int32(p))
	}
	return s
}

// regroup replaces all groups.
func (s *groups) regroup(all [][]int32) {
	s.free = s.free[:0]
	for g := range s.members {
		if g < len(all) {
			s.put(all[g], int32(g))
		} else {
			s.empty(int32(g))
		}
	}
}

// put makes parts the members of a group.
func (s *groups) put(parts []int32, g int32) {
	s.members[g] = parts
	for _, p := range parts {
		s.of[p] = g
	}
	s.last++
	s.made[g] = s.last
}

// empty makes a group free.
func (s *groups) empty(g int32) {
	s.members[g] = nil
	s.free = append(s.free, g)
}

// add makes a group of these parts, in an unused entry of the list of groups.
func (s *groups) add(parts []int32) {
	last := len(s.free) - 1
	g := s.free[last]
	s.free = s.free[:last]
	s.put(parts, g)
}

// list returns the groups.
func (s *groups) list() (out [][]int32) {
	for _, g := range s.members {
		if len(g) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// eligible reports whether no group lacks anything.
func (s *groups) eligible() bool {
	for _, g := range s.members {
		if len(g) > 0 && !s.suffices(g) {
			return false
		}
	}
	return true
}

// whole is a common multiple of the numbers of parts that a step divides: energies are in
// units of 1/whole.
const whole = 840

// energyOf is the energy of a group, of the sum of the squared distances of its pairs.
func energyOf(pairs, parts int64) int64 {
	if parts < int64(len(wholeBy)) {
		return pairs * wholeBy[parts]
	}
	return pairs * whole / parts
}

// wholeBy is whole divided by a number of parts: a multiplication is faster than a division.
var wholeBy = [...]int64{0, whole, whole / 2, whole / 3, whole / 4, whole / 5, whole / 6, whole / 7, whole / 8}
