package audit

import (
	"encoding/binary"
	"slices"
)

// localMatch looks for the buckets of one release in the next (rule A, frozen classes,
// for local bucketization). Let the classes be matched: each class of the release before
// that reappears unchanged, and its copy. What must not change is not only what
// is in a bucket, but which rows are in which, jointly over the attributes. So
// there must be a matching of buckets, attribute by attribute, under which
//
//	contents are equal, and
//	every class has, row for row, the same buckets.
//
// Numbers may change; that is all. A matching that was found is checked on every
// row, so a release passes only if it exists.
//
// Cost: linear in the rows when content and classes tell buckets apart, or when
// those that they do not are numbered in the same order as before, as a
// canonical order does it; see refine for the rest.
type localMatch struct {
	s             *schema
	before, after *table
	was           []uint32 // class of after -> class of before + 1; 0: not a class that reappears
	born          []bool   // class of after: born in it
	f             *faults
	num           int
	to            [][]uint32 // per attribute: bucket of before -> bucket of after + 1; 0: none
}

func checkLocalFrozen(s *schema, before *table, rel *release, was []uint32, fates []fate, f *faults) {
	if rel.tab.local == nil || before.local == nil || before.m == 0 {
		return
	}
	m := &localMatch{s: s, before: before, after: rel.tab, was: was, born: make([]bool, rel.tab.m), f: f, num: rel.num,
		to: make([][]uint32, len(s.local))}
	for c, x := range fates {
		m.born[c] = x == fateBorn
	}
	whole := true
	for j := range s.local {
		whole = m.pair(j) && whole
	}
	if !whole {
		return // reported
	}
	if wrong := m.disagreeing(ascending(rel.tab.m)); len(wrong) > 0 && !m.refine(wrong) {
		f.addN("A", kindBucketRowsMoved, rel.num, wrong[0]+1, "",

			"rows of a class that was published before are in other buckets than before, taken over all attributes", len(wrong))
	}
}

// incidence lists, bucket by bucket, the classes of its rows, ascending.
type incidence struct {
	start, class []uint32
	other        []bool // some rows are in classes that are not matched
	fresh        []bool // some rows are in classes born now
}

func (x *incidence) of(b uint32) []uint32 { return x.class[x.start[b]:x.start[b+1]] }

// incidence walks over the matched classes in the order of after, on either side.
func (m *localMatch) incidence(t *table, j int) *incidence {
	b := &t.local.attrs[j]
	x := &incidence{start: make([]uint32, b.m+2), other: make([]bool, b.m), fresh: make([]bool, b.m)}
	later := t == m.after
	each := func(visit func(c, bucket uint32)) {
		for c := range m.after.m {
			p := c
			if !later {
				p = int(m.was[c]) - 1
			}
			if m.was[c] == 0 {
				continue
			}
			for _, r := range b.rows(t, p) {
				if r > 0 {
					visit(uint32(c), r-1)
				}
			}
		}
	}
	each(func(_, i uint32) { x.start[i+2]++ })
	for i := range x.start[1:] {
		x.start[i+1] += x.start[i]
	}
	x.class = make([]uint32, x.start[b.m+1])
	each(func(c, i uint32) {
		x.class[x.start[i+1]] = c
		x.start[i+1]++
	})
	for i := range b.m {
		x.other[i] = len(x.of(uint32(i))) != int(b.size[i])
	}
	if later {
		for c := range t.m {
			for _, r := range b.rows(t, c) {
				if r > 0 && m.born[c] {
					x.fresh[r-1] = true
				}
			}
		}
	}
	return x
}

// pair matches the buckets of attribute j by content and classes, those of equal
// key in order of number. It reports whether every bucket of before was found.
func (m *localMatch) pair(j int) bool {
	old, now := m.incidence(m.before, j), m.incidence(m.after, j)
	b, a := &m.before.local.attrs[j], &m.after.local.attrs[j]
	m.to[j] = make([]uint32, b.m)
	mixed := 0
	waiting := map[string][]uint32{} // key -> buckets of after, ascending
	var key []byte
	for i := range uint32(a.m) {
		if now.fresh[i] {
			if len(now.of(i)) > 0 {
				mixed++
			}
			continue
		}
		key = bucketKey(a.bags()[i], now.of(i), key)
		waiting[string(key)] = append(waiting[string(key)], i)
	}
	m.f.addN("A", kindBucketGrown, m.num, 0, m.s.local[j].name, "a bucket holds records of this release and of earlier ones", mixed)
	var lost []uint32
	broken := 0
	for i := range uint32(b.m) {
		key = bucketKey(b.bags()[i], old.of(i), key)
		if list := waiting[string(key)]; len(list) > 0 {
			m.to[j][i], waiting[string(key)] = list[0]+1, list[1:]
			continue
		}
		if old.other[i] { // some class of it does not reappear, which is reported
			broken++
			continue
		}
		lost = append(lost, i)
	}
	m.blame(j, old, now, lost, waiting)
	return mixed+broken+len(lost) == 0
}

// blame names what happened to buckets that were not found: other values in the
// same rows, or other rows.
func (m *localMatch) blame(j int, old, now *incidence, lost []uint32, waiting map[string][]uint32) {
	if len(lost) == 0 {
		return
	}
	rows := map[string]int{}
	var key []byte
	for _, list := range waiting {
		for _, i := range list {
			rows[string(bucketKey(0, now.of(i), key))]++
		}
	}
	changed, moved := 0, 0
	for _, i := range lost {
		key = bucketKey(0, old.of(i), key)
		if rows[string(key)] > 0 {
			rows[string(key)]--
			changed++
		} else {
			moved++
		}
	}
	m.f.addN("A", kindBucketChanged, m.num, 0, m.s.local[j].name, "a bucket with the same rows holds other values than before", changed)
	m.f.addN("A", kindBucketRowsMoved, m.num, 0, m.s.local[j].name,
		"rows of classes that were published before are in other buckets than before", moved)
}

func bucketKey(bag uint32, classes []uint32, buf []byte) []byte {
	buf = binary.LittleEndian.AppendUint32(buf[:0], bag)
	for _, c := range classes {
		buf = binary.LittleEndian.AppendUint32(buf, c)
	}
	return buf
}

// disagreeing lists the classes whose rows, taken jointly over the attributes,
// differ from before under the matching.
// Cost: linear in the rows, but for sorting those of a class.
func (m *localMatch) disagreeing(classes []int) (wrong []int) {
	q := len(m.s.local)
	var x, y []uint32
	for _, c := range classes {
		if m.was[c] == 0 {
			continue
		}
		p := int(m.was[c]) - 1
		x, y = x[:0], y[:0]
		for i := range m.after.size(c) {
			for j := range q {
				now := m.after.local.attrs[j].rows(m.after, c)[i]
				was := m.before.local.attrs[j].rows(m.before, p)[i]
				if was > 0 {
					was = m.to[j][was-1]
				}
				x, y = append(x, was), append(y, now)
			}
		}
		if !sameRows(x, y, q) {
			wrong = append(wrong, c)
		}
	}
	return wrong
}

// sameRows compares two lists of rows of q numbers as multisets.
func sameRows(x, y []uint32, q int) bool {
	if slices.Equal(x, y) {
		return true
	}
	return slices.EqualFunc(sortedRows(x, q), sortedRows(y, q), slices.Equal[[]uint32])
}

func sortedRows(x []uint32, q int) [][]uint32 {
	rows := make([][]uint32, 0, len(x)/q)
	for i := 0; i < len(x); i += q {
		rows = append(rows, x[i:i+q])
	}
	slices.SortFunc(rows, slices.Compare[[]uint32])
	return rows
}
