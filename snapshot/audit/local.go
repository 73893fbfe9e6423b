package audit

import (
	"encoding/binary"
	"slices"
)

// localAttr is an attribute whose sensitive values are published in local
// buckets (Li, He and Sun, Definition 9): a semi-sensitive one, or the
// sensitive one.
type localAttr struct {
	name    string
	col     int    // its cells among schema.qi; -1: every value is bucketed (the sensitive attribute)
	flag    string // field of the records export that says which values are sensitive; "": all
	promise Promise
	values  *valueDict
	close   *closeTest // promise t
	bags    *setDict   // contents of buckets
	content []uint32   // scratch of localBuckets.bags
}

// semi lists the semi-sensitive attributes.
func (s *schema) semi() []*localAttr {
	if len(s.local) == 0 {
		return nil
	}
	return s.local[:len(s.local)-1] // the last one is the sensitive attribute
}

func newLocalAttr(c *Column, a *attribute, col int, h *hierarchy) *localAttr {
	a.bucketed()
	l := &localAttr{name: c.Name, col: col, flag: c.Flag, bags: newSetDict(),
		values: &valueDict{name: c.Name, ids: map[string]uint32{}, numeric: a.typ == typeNumber}}
	if c.Promise != nil {
		l.promise = *c.Promise
	}
	if l.promise.T > 0 {
		l.close = newCloseTest(c.Promise, l.values, c, h)
	}
	return l
}

// localTable is what a release by local generalization and bucketization shows
// besides its cells: for each attribute its buckets, and the bucket of each row.
type localTable struct {
	attrs []localBuckets // as schema.local
	own   bool           // the buckets of the sensitive attribute are the classes
}

// localBuckets are the buckets of one attribute, numbered from 0 here and
// reported from 1.
type localBuckets struct {
	m     int
	start []uint32 // m+1: entries of each bucket
	value []uint32 // ascending by id within a bucket
	count []uint32
	size  []uint32
	top   []uint32 // count of the most frequent value
	attr  *localAttr
	bag   []uint32 // see bags: of the first buckets, which were asked for
	row   []uint32 // by row of the table: bucket + 1; 0: the value is in the cell
}

func (b *localBuckets) entries(i uint32) (values, counts []uint32) {
	return b.value[b.start[i]:b.start[i+1]], b.count[b.start[i]:b.start[i+1]]
}

// bags gives the content of each bucket, interned in localAttr.bags. Comparing buckets
// asks for it, reading and testing them does not.
func (b *localBuckets) bags() []uint32 {
	for i := len(b.bag); i < b.m; i++ {
		content := b.attr.content[:0]
		values, counts := b.entries(uint32(i))
		for k, v := range values {
			content = append(content, v, counts[k])
		}
		b.attr.content = content
		b.bag = append(b.bag, b.attr.bags.intern(content))
	}
	return b.bag
}

// rows gives the buckets of the rows of a class.
func (b *localBuckets) rows(t *table, c int) []uint32 { return b.row[t.start[c]:t.start[c+1]] }

// holds reports that a bucket keeps the attribute's promise.
func (a *localAttr) holds(b *localBuckets, i uint32) bool {
	if a.close != nil {
		return a.close.holds(b.entries(i))
	}
	return int(b.top[i])*a.promise.L <= int(b.size[i])
}

// histogram counts the values of an attribute over all buckets.
func (b *localBuckets) histogram(values int) []int {
	h := make([]int, values)
	for i, v := range b.value {
		h[v] += int(b.count[i])
	}
	return h
}

// topShare is the largest probability of a value of attribute j for a member of
// a class (Lemma 2 of Li, He and Sun, with equality):
//
//	P(t has v) = sum over buckets b of P(t is in b) * count_b(v)/|b|
//
// where P(t is in b) is the share of the class's rows that name b, because every
// assignment of the members to the rows is equally likely. 0: no value of the
// class is bucketed.
func (l *localTable) topShare(t *table, c, j int) float64 {
	b := &l.attrs[j]
	rows := b.rows(t, c)
	if rows[0] == 0 {
		return 0
	}
	if same(rows) {
		i := rows[0] - 1
		return share(int(b.top[i]), int(b.size[i]))
	}
	sum, top := map[uint32]float64{}, 0.0
	for _, r := range rows {
		if r == 0 {
			continue // rows of the class disagree, which is reported
		}
		values, counts := b.entries(r - 1)
		for i, v := range values {
			sum[v] += float64(counts[i]) / float64(b.size[r-1])
			top = max(top, sum[v])
		}
	}
	return top / float64(len(rows))
}

// sensitiveTop is the largest share of one value in a bucket of the sensitive
// attribute.
func (l *localTable) sensitiveTop() float64 {
	b, top := &l.attrs[len(l.attrs)-1], 0.0
	for i := range b.m {
		top = max(top, share(int(b.top[i]), int(b.size[i])))
	}
	return top
}

// exceeds reports that some row of the class is in a bucket of the sensitive
// attribute with a value above 1/l.
func (l *localTable) exceeds(t *table, c, limit int) bool {
	b := &l.attrs[len(l.attrs)-1]
	return slices.ContainsFunc(b.rows(t, c), func(r uint32) bool { return int(b.top[r-1])*limit > int(b.size[r-1]) })
}

// classKey appends what the rows of a class show of buckets, by content alone:
// the multiset of the rows' buckets, jointly over the attributes.
func (l *localTable) classKey(t *table, c int, buf []byte) []byte {
	if b := &l.attrs[0]; len(l.attrs) == 1 && b.row[t.start[c]] > 0 && same(b.rows(t, c)) { // as at level L2
		content := b.bags()[b.rows(t, c)[0]-1] + 1
		for range t.size(c) {
			buf = binary.LittleEndian.AppendUint32(buf, content)
		}
		return buf
	}
	rows := make([][]byte, t.size(c))
	for i := range rows {
		for j := range l.attrs {
			b := &l.attrs[j]
			content := uint32(0)
			if r := b.row[int(t.start[c])+i]; r > 0 {
				content = b.bags()[r-1] + 1
			}
			rows[i] = binary.LittleEndian.AppendUint32(rows[i], content)
		}
	}
	slices.SortFunc(rows, slices.Compare[[]byte])
	for _, r := range rows {
		buf = append(buf, r...)
	}
	return buf
}

// ownBags tells whether every class has one bucket of the sensitive attribute
// and every such bucket one class.
func (l *localTable) ownBags(t *table) bool {
	b := &l.attrs[len(l.attrs)-1]
	if b.m != t.m {
		return false
	}
	seen := make([]bool, b.m)
	for c := range t.m {
		rows := b.rows(t, c)
		if !same(rows) || seen[rows[0]-1] || int(b.size[rows[0]-1]) != len(rows) {
			return false
		}
		seen[rows[0]-1] = true
	}
	return true
}

// fill gives each row a sensitive value of its bucket, so that the table's
// histogram is right. Where the buckets are the classes it is the class's bag;
// elsewhere which row gets which is arbitrary, and nothing may look at a
// class's bag (table.ownBags).
func (l *localTable) fill(t *table) {
	b := &l.attrs[len(l.attrs)-1]
	at, used := make([]uint32, b.m), make([]uint32, b.m)
	for row, r := range b.row {
		values, counts := b.entries(r - 1)
		i := r - 1
		for int(at[i]) < len(values)-1 && used[i] == counts[at[i]] {
			at[i], used[i] = at[i]+1, 0
		}
		t.sa[row] = values[at[i]]
		used[i]++
	}
}

// supports gives each class the values its rows may have; without bags of their
// own, classes are not flat and have no count of a value.
func (l *localTable) supports(t *table, sets *setDict) {
	b := &l.attrs[len(l.attrs)-1]
	known := make([]uint32, b.m) // by bucket: the number of its set of values + 1
	var set []uint32
	for c := range t.m {
		t.top[c], t.flat[c] = 0, 0
		rows := b.rows(t, c)
		if at := rows[0] - 1; same(rows) {
			if known[at] == 0 {
				values, _ := b.entries(at)
				known[at] = sets.intern(values) + 1
			}
			t.support[c] = known[at] - 1
			continue
		}
		set = set[:0]
		for _, r := range rows {
			values, _ := b.entries(r - 1)
			set = append(set, values...)
		}
		slices.Sort(set)
		t.support[c] = sets.intern(slices.Compact(set))
	}
}
