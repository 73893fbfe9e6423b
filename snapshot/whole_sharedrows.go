package snapshot

import (
	"bytes"
	"slices"
	"strconv"
)

// read is the values of a column, numbered in the order in which they are read.
type read struct {
	col    *wholeColumn
	number map[shown]uint32
	values []shown
	quoted [][]byte
}

// of is the number of a value as it is written.
func (r *read) of(field []byte) (uint32, error) {
	v, err := r.col.shown(field)
	if err != nil {
		return 0, err
	}
	n, ok := r.number[v]
	if !ok {
		n = uint32(len(r.values))
		r.number[v], r.values, r.quoted = n, append(r.values, v), append(r.quoted, bytes.Clone(field))
	}
	return n, nil
}

// ranks are those of the values by number; the column gets its texts by rank.
func (r *read) ranks(c *column) []uint32 {
	order, rank := make([]uint32, len(r.values)), make([]uint32, len(r.values))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return compareShown(r.values[a], r.values[b]) })
	for i, n := range order {
		rank[n] = uint32(i)
		c.quoted = append(c.quoted, r.quoted[n])
	}
	return rank
}

// bucket takes in a row of buckets.csv.
func (l *sharedWhole) bucket(record, _ []byte) error {
	if l.fields = splitRecord(l.fields, record); len(l.fields) != 3 {
		return errShared
	}
	v, err := l.sa.of(l.fields[1])
	count, err2 := strconv.Atoi(string(l.fields[2]))
	b := l.bucketOf(l.fields[0], true)
	if err != nil || err2 != nil || b == nil || count < 1 || count > l.manifest.Records {
		return errShared
	}
	b.bag = append(b.bag, slices.Repeat([]uint32{v}, count)...)
	return nil
}

// bucketOf is a bucket by its number in the part at hand. inOrder: it must be the
// newest one or the next.
func (l *sharedWhole) bucketOf(number []byte, inOrder bool) *sharedBucket {
	t := l.table
	n, err := strconv.Atoi(string(number))
	known := len(t.shared) - l.buckets
	if inOrder && n == known+1 {
		t.shared = append(t.shared, &sharedBucket{})
		known++
	}
	if err != nil || n < 1 || n > known || inOrder && n < known {
		return nil
	}
	return t.shared[l.buckets+n-1]
}

// class takes in a row that ends with its class and its bucket. The rows of a class
// with cells are all the same.
func (l *sharedWhole) class(record, last []byte) error {
	if c := l.newest(); c != nil && l.cells && bytes.Equal(record, last) {
		return l.member(c)
	}
	if l.fields = splitRecord(l.fields, record); len(l.fields) != len(l.cols)+2 {
		return errShared
	}
	n, err := strconv.Atoi(string(l.fields[len(l.cols)]))
	b := l.bucketOf(l.fields[len(l.cols)+1], false)
	if err != nil || b == nil {
		return errShared
	}
	c := l.newest()
	if number := len(l.table.classes) - l.classes; n == number+1 {
		if c, err = l.begin(b); err != nil {
			return err
		}
	} else if n != number || n < 1 || b != c.bucket || l.cells {
		return errShared
	}
	for j := 0; !l.cells && j < len(l.cols); j++ {
		v, err := l.qi[j].of(l.fields[j])
		if err != nil {
			return errShared
		}
		c.rows = append(c.rows, v)
	}
	return l.member(c)
}

// drawn takes in a row with a value of its bucket. Every k of those of a bucket that
// have the same cells are a class.
func (l *sharedWhole) drawn(record, _ []byte) error {
	if l.fields = splitRecord(l.fields, record); len(l.fields) != len(l.cols)+2 {
		return errShared
	}
	v, err := l.sa.of(l.fields[len(l.cols)])
	b := l.bucketOf(l.fields[len(l.cols)+1], true)
	if err != nil || b == nil {
		return errShared
	}
	c := l.newest()
	if c == nil || len(c.members) == l.manifest.Policy.K {
		if c, err = l.begin(b); err != nil {
			return err
		}
		l.shown = append(l.shown[:0], l.shownCells(record)...)
	} else if b != c.bucket || !bytes.HasPrefix(record, l.shown) {
		return errShared
	}
	c.values, b.bag = append(c.values, v), append(b.bag, v)
	return l.member(c)
}

// shownCells are the cells of the row at hand: what stands before the value and the
// bucket, the last comma included.
func (l *sharedWhole) shownCells(record []byte) []byte {
	n := 0
	for _, f := range l.fields[:len(l.cols)] {
		n += len(f) + 1
	}
	return record[:n]
}

// newest is the newest class of the part at hand.
func (l *sharedWhole) newest() *class {
	if classes := l.table.classes[l.classes:]; len(classes) > 0 {
		return classes[len(classes)-1]
	}
	return nil
}

// begin adds a class of a bucket, with the cells of the row at hand.
func (l *sharedWhole) begin(b *sharedBucket) (*class, error) {
	c := &class{bucket: b, members: l.members[:0]}
	for j := 0; l.cells && j < len(l.cols); j++ {
		x, err := l.cols[j].shownCell(l.fields[j])
		if err != nil {
			return nil, errShared
		}
		c.cells = append(c.cells, x)
	}
	b.classes = append(b.classes, c)
	l.table.classes = append(l.table.classes, c)
	return c, nil
}

// member adds a record to a class.
func (l *sharedWhole) member(c *class) error {
	n := len(c.members) + 1
	if n > len(l.members) {
		return errShared
	}
	c.members = l.members[:n]
	return nil
}
