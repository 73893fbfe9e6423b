package shares

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"anond/snapshot/audit/chain"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/table"
)

// QiAttack runs attackerQI and attackerNewcomerQI on every published record,
// without sampling.
//
// Method: records are sorted by their quasi-identifiers, attributes with few
// values first. For each attribute and value a bitset holds the classes whose
// cell contains the value; the classes around a record are the intersection.
// Neighbouring records share prefixes, and a prefix's intersection is kept as
// its non-zero words only, so the deep attributes touch few words.
// Cost per release: (distinct QI vectors) * (non-zero words of the prefix); a
// release that only adds classes is searched for newcomers only, since more
// classes cannot remove a candidate.
type QiAttack struct {
	s     *format.Schema
	recs  *chain.Records
	l     int
	attrs []int    // attribute order
	order []uint32 // published records by QI vector
	Cand  []uint32 // per record: candidate set + 1, 0 = not yet published
	Qi    *Attacker
	NewQI *Attacker
	all   uint32   // the set of all sensitive values seen
	seen  []uint32 // by value: the call of among that met it last
	round uint32   // calls of among
	found []uint32 // scratch of among
}

func NewQIAttack(s *format.Schema, recs *chain.Records, published []bool, l int) *QiAttack {
	q := &QiAttack{s: s, recs: recs, l: l, Cand: make([]uint32, len(published)), attrs: table.Ascending(len(s.Qi))}
	q.Qi, q.NewQI = NewAttacker(attackerQI), NewAttacker(attackerNewcomerQI)
	slices.SortStableFunc(q.attrs, func(a, b int) int { return len(s.Qi[a].Cells) - len(s.Qi[b].Cells) })
	for rec, p := range published {
		if p && rec < recs.N && recs.Known[rec] && !recs.Lacks(uint32(rec)) {
			q.order = append(q.order, uint32(rec))
		}
	}
	slices.SortFunc(q.order, func(x, y uint32) int { return q.compare(x, y) })
	return q
}

func (q *QiAttack) compare(x, y uint32) int {
	d := len(q.attrs)
	for _, a := range q.attrs {
		u, v := q.recs.Qi[int(x)*d+a], q.recs.Qi[int(y)*d+a]
		if u != v {
			return int(u) - int(v)
		}
	}
	return 0
}

// Release narrows every published record's candidates by one release. kept
// tells which classes were there, identical, in the release before; grows that
// no class vanished; arrived is the value set of the bag difference.
func (q *QiAttack) Release(v *chain.View, kept []bool, grows bool, arrived uint32, first bool) {
	index := newStab(q.s, v.Rel.Tab, q.attrs)
	q.all = q.everything()
	q.seen, q.round = make([]uint32, len(q.s.Sa.Text)), 0
	d := len(q.attrs)
	var hits []uint32
	var last []uint32
	for _, rec := range q.order {
		if v.Class(int(rec)) == 0 && q.Cand[rec] == 0 || grows && q.Cand[rec] > 0 {
			continue
		}
		row := q.recs.Qi[int(rec)*d:][:d]
		if last == nil || !slices.Equal(row, last) {
			hits = index.classes(row, hits[:0])
			last = row
		}
		if q.Cand[rec] == 0 && !first {
			n := q.among(v.Rel.Tab, hits, kept, arrived)
			q.NewQI.Count(len(q.s.Sets.Sets[n]), q.l)
		}
		if q.Cand[rec] == 0 {
			q.Cand[rec] = q.among(v.Rel.Tab, hits, nil, q.all) + 1
		} else {
			q.Cand[rec] = q.among(v.Rel.Tab, hits, nil, q.Cand[rec]-1) + 1
		}
	}
}

// everything is the set of all sensitive values seen.
func (q *QiAttack) everything() uint32 {
	all := make([]uint32, len(q.s.Sa.Text))
	for i := range all {
		all[i] = uint32(i)
	}
	return q.s.Sets.Intern(all)
}

// among gives the values of set within that occur in some class of hits not
// marked in skip. Cost: the values of these classes, whatever the size of within.
func (q *QiAttack) among(t *table.Table, hits []uint32, skip []bool, within uint32) uint32 {
	want := q.s.Sets.Sets[within]
	q.round++
	q.found = q.found[:0]
	for _, c := range hits {
		if skip != nil && skip[c] {
			continue
		}
		for _, v := range q.s.Sets.Sets[t.Support[c]] {
			if q.seen[v] == q.round {
				continue
			}
			q.seen[v] = q.round
			if _, ok := slices.BinarySearch(want, v); ok {
				q.found = append(q.found, v)
			}
		}
		if len(q.found) == len(want) {
			return within
		}
	}
	slices.Sort(q.found)
	return q.s.Sets.Intern(q.found)
}

// stab answers which classes of a release may hold a QI vector.
type stab struct {
	s      *format.Schema
	t      *table.Table
	attrs  []int
	cells  []map[uint32][]uint32 // per attribute: distinct cell -> classes
	bits   []map[uint32][]uint64 // per attribute: value -> classes, made on demand
	prefix []uint32              // values of the cached prefix
	levels [][]word              // surviving classes after each attribute
	rows   []map[string][]uint32 // anatomy: exact row -> groups; slicing: tuple -> groups, per slice
	parts  [][]int               // columns of each
}

type word struct {
	at   uint32
	bits uint64
}

// bitsetBudget bounds the bytes of cached bitsets per release; attributes with
// more values test the surviving classes one by one instead.
const bitsetBudget = 256 << 20

func newStab(s *format.Schema, t *table.Table, attrs []int) *stab {
	x := &stab{s: s, t: t, attrs: attrs}
	if t.Exact() && !t.Permuted {
		x.rows = []map[string][]uint32{x.indexRows(table.Ascending(t.D))}
		x.parts = [][]int{table.Ascending(t.D)}
		return x
	}
	x.levels = make([][]word, len(attrs))
	x.cells = make([]map[uint32][]uint32, len(attrs))
	x.bits = make([]map[uint32][]uint64, len(attrs))
	for j, a := range attrs {
		x.cells[j] = map[uint32][]uint32{}
		x.bits[j] = map[uint32][]uint64{}
		for c := range t.M {
			if t.Permuted { // each column shows the group's values on its own
				rows := t.RowsQI(c)
				for i := a; i < len(rows); i += t.D {
					x.cells[j][rows[i]] = append(x.cells[j][rows[i]], uint32(c))
				}
				continue
			}
			cell := t.Box[c*t.D+a]
			x.cells[j][cell] = append(x.cells[j][cell], uint32(c))
		}
	}
	return x
}

func (x *stab) indexRows(columns []int) map[string][]uint32 {
	rows := map[string][]uint32{}
	var key []byte
	for c := range x.t.M {
		for i := x.t.Start[c]; i < x.t.Start[c+1]; i++ {
			key = rowKey(x.t.Row(i), columns, key)
			groups := rows[string(key)]
			if len(groups) == 0 || groups[len(groups)-1] != uint32(c) {
				rows[string(key)] = append(groups, uint32(c))
			}
		}
	}
	return rows
}

func rowKey(row []uint32, columns []int, buf []byte) []byte {
	buf = buf[:0]
	for _, c := range columns {
		buf = binary.LittleEndian.AppendUint32(buf, row[c])
	}
	return buf
}

// classes appends the classes that may hold a record with these values.
func (x *stab) classes(row []uint32, out []uint32) []uint32 {
	if x.rows != nil {
		for i, rows := range x.rows {
			groups := rows[string(rowKey(row, x.parts[i], nil))]
			if i == 0 {
				out = append(out, groups...)
				continue
			}
			out = slices.DeleteFunc(out, func(c uint32) bool {
				_, ok := slices.BinarySearch(groups, c)
				return !ok
			})
		}
		return out
	}
	if len(x.attrs) == 0 {
		for c := range x.t.M {
			out = append(out, uint32(c))
		}
		return out
	}
	same := 0
	for same < len(x.prefix) && row[x.attrs[same]] == x.prefix[same] {
		same++
	}
	x.prefix = x.prefix[:same]
	for j := same; j < len(x.attrs); j++ {
		x.narrow(j, row[x.attrs[j]])
		x.prefix = append(x.prefix, row[x.attrs[j]])
	}
	for _, w := range x.levels[len(x.attrs)-1] {
		for b := w.bits; b != 0; b &= b - 1 {
			out = append(out, w.at<<6+uint32(bits.TrailingZeros64(b)))
		}
	}
	return out
}

// narrow computes level j from level j-1 and one value.
func (x *stab) narrow(j int, value uint32) {
	level := x.levels[j][:0]
	mask := x.mask(j, value)
	switch {
	case j == 0:
		for at, w := range mask {
			if w != 0 {
				level = append(level, word{uint32(at), w})
			}
		}
	case mask != nil:
		for _, w := range x.levels[j-1] {
			if b := w.bits & mask[w.at]; b != 0 {
				level = append(level, word{w.at, b})
			}
		}
	default:
		a := x.attrs[j]
		for _, w := range x.levels[j-1] {
			keep := uint64(0)
			for b := w.bits; b != 0; b &= b - 1 {
				c := int(w.at)<<6 + bits.TrailingZeros64(b)
				if x.s.Qi[a].Contains(x.t.Box[c*x.t.D+a], value) {
					keep |= b & -b
				}
			}
			if keep != 0 {
				level = append(level, word{w.at, keep})
			}
		}
	}
	x.levels[j] = level
}

// mask is the bitset of classes whose cell contains a value, or nil when the
// attribute has too many values to cache bitsets for.
func (x *stab) mask(j int, value uint32) []uint64 {
	if m, ok := x.bits[j][value]; ok {
		return m
	}
	words := (x.t.M + 63) / 64
	attr := x.s.Qi[x.attrs[j]]
	if j > 0 && !x.t.Permuted && len(attr.Cells)*words*8 > bitsetBudget {
		return nil
	}
	m := make([]uint64, words)
	for cell, classes := range x.cells[j] {
		if attr.Contains(cell, value) {
			for _, c := range classes {
				m[c>>6] |= 1 << (c & 63)
			}
		}
	}
	x.bits[j][value] = m
	return m
}
