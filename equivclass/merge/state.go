package merge

// state is a partition of the parts, with what its energy consists of. Groups are
// slots; a slot without parts is free.
//
// The energy is the sum over parts of |bag - mean bag of its group|^2, which is a
// constant less the sum over groups of |sum of bags|^2 / parts. That is how far a
// class is from its bucket's shares, so how wrong an analyst is who spreads the
// bucket evenly.
type state struct {
	parts       []part
	requirement Requirement
	width       int // different values
	values      []uint32

	group  []int32 // by part
	counts []int32 // by group and value: the group's bag
	number []int32 // by group: how many parts
	square []int64 // by group: |bag|^2
	gain   []int64 // by group: square / number, in units
	lack   []int64 // by group: what its bag lacks, in units of records
	free   []int32 // slots without parts
	size   int32
	bag    Bag // scratch
}

// part is a bag with its values numbered from 0.
type part struct {
	bag    []entry
	square int64
}

type entry struct{ at, n int32 }

// newState has every part alone.
func newState(list []Bag, size int, requirement Requirement) *state {
	requirement.L = max(1, requirement.L)
	s := &state{requirement: requirement, size: int32(size)}
	for _, c := range sum(list) {
		s.values = append(s.values, c.Value)
	}
	m := len(list)
	s.width = len(s.values)
	s.parts, s.group, s.counts = make([]part, m), make([]int32, m), make([]int32, m*s.width)
	s.number, s.square, s.gain, s.lack = make([]int32, m), make([]int64, m), make([]int64, m), make([]int64, m)
	place := make(map[uint32]int32, s.width)
	for i, v := range s.values {
		place[v] = int32(i)
	}
	var all []entry // one after the other, which is twice as fast
	for i, b := range list {
		p := &s.parts[i]
		for _, c := range b {
			all = append(all, entry{place[c.Value], int32(c.N)})
			p.square += int64(c.N) * int64(c.N)
		}
	}
	for i, b := range list {
		p := &s.parts[i]
		p.bag, all = all[:len(b):len(b)], all[len(b):]
		s.group[i], s.number[i], s.square[i] = int32(i), 1, p.square
		s.gain[i] = p.square * unit
		s.add(i, int32(i), 1)
		s.lack[i] = s.lacks(int32(i), 1)
	}
	return s
}

// row is the bag of a group.
func (s *state) row(g int32) []int32 { return s.counts[int(g)*s.width:][:s.width:s.width] }

// add adds the bag of a part to a group's, or with -1 takes it away.
func (s *state) add(p int, g int32, sign int32) {
	row := s.row(g)
	for _, e := range s.parts[p].bag {
		row[e.at] += sign * e.n
	}
}

// dot is the product of a part's bag and a group's.
func (s *state) dot(p int, g int32) (out int64) {
	row := s.row(g)
	for _, e := range s.parts[p].bag {
		out += int64(e.n) * int64(row[e.at])
	}
	return out
}

// between is the product of the bags of two parts.
func (s *state) between(p, q int) (out int64) {
	x, y := s.parts[p].bag, s.parts[q].bag
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch a, b := x[i], y[j]; {
		case a.at < b.at:
			i++
		case a.at > b.at:
			j++
		default:
			out += int64(a.n) * int64(b.n)
			i, j = i+1, j+1
		}
	}
	return out
}

// lacks is what the bag of a group of so many parts lacks: the records above 1/l,
// and what the extra principles say.
func (s *state) lacks(g int32, number int32) int64 {
	n, l := number*s.size, int32(s.requirement.L)
	row := s.row(g)
	var over int64
	for _, c := range row {
		if x := int64(c)*int64(l) - int64(n); x > 0 {
			over += x
		}
	}
	out := (over*unit + int64(l) - 1) / int64(l)
	if len(s.requirement.Extra) == 0 || n == 0 {
		return out
	}
	s.bag = s.bag[:0]
	for i, c := range row {
		if c > 0 {
			s.bag = append(s.bag, Count{s.values[i], uint32(c)})
		}
	}
	for _, p := range s.requirement.Extra {
		out += p.Lack(s.bag, int(n))
	}
	return out
}

// gainOf is what a group of so many parts takes off the energy.
func gainOf(square int64, number int32) int64 {
	if number == 0 {
		return 0
	}
	if square < 1<<(62-unitBits) {
		return square << unitBits / int64(number)
	}
	return ratio(uint64(square), uint64(number), unitBits)
}

// eligible reports whether no group lacks anything.
func (s *state) eligible() bool {
	for g, n := range s.number {
		if n > 0 && s.lack[g] > 0 {
			return false
		}
	}
	return true
}

// groups lists the parts of each group.
func (s *state) groups() (out [][]int32) {
	slot := make(map[int32]int, len(s.number))
	for p, g := range s.group {
		if _, known := slot[g]; !known {
			slot[g] = len(out)
			out = append(out, nil)
		}
		out[slot[g]] = append(out[slot[g]], int32(p))
	}
	return out
}
