package render

import (
	"strconv"

	"anond/snapshot"
)

// buckets is a recoding of level L2: classes without values, and values by bucket.
type buckets struct {
	plain
	cells bool // quasi-identifiers are generalized; else exact
}

// Buckets writes, for level L2, data.csv with a row a record, which has the tight
// cells of its class, the class and the class's bucket; values.csv with how often each
// value of each sensitive attribute is in each bucket; and what pools.go has of pools. A
// reader of a row learns that its value is one of the bucket's, each with its share.
//
// Guarantee: rule B (buckets). Theorem E (package equivclass/merge) gives each
// person of a bucket the bucket's share of each value, and its point (6) allows to
// publish the cells of each class, the bucket of each class, and the bag of each
// bucket. Its files are a function of these and of nothing else: the bag of a single
// class, a person's value, a number of the state or the order of arrival decide
// neither an order nor a number. So the values that the people of a bucket have of an
// attribute may be exchanged between them, also those of one attribute alone, and no byte
// changes but of tables.csv, which says what two attributes have in common in a whole pool.
func Buckets() Recoding { return &buckets{cells: true} }

// BucketAnatomy is Anatomy for level L2: the files of Buckets with exact
// quasi-identifiers. What stands there of values holds here. Exact cells tell who is
// in the release.
func BucketAnatomy() Recoding { return &buckets{} }

func (r *buckets) Name() string {
	if r.cells {
		return snapshot.NameBuckets
	}
	return snapshot.NameAnatomy
}

func (r *buckets) K1() string {
	if r.cells {
		return "rows"
	}
	return "sensitive-only"
}

func (*buckets) Shared() bool         { return true }
func (r *buckets) exact() bool        { return !r.cells }
func (*buckets) check(t *table) error { return t.share() }

func (*buckets) order(t *table) {
	t.placeShared()
	t.numberShared()
}

func (r *buckets) rows(t *table, s *scratch, dst []uint32, c *class) []uint32 {
	return t.exactRows(s, dst, c)
}

func (r *buckets) layouts(t *table) []layout {
	return append([]layout{{
		name:   snapshot.DataName,
		header: append(t.names(), "class", "bucket"),
		append: func(s *scratch, buf []byte, number int, c *class) ([]byte, int) {
			s.text = append(c.appendNumbers(s.text[:0], number), '\n')
			if !r.cells {
				return t.appendExact(buf, c.rows, s.text), len(c.members)
			}
			s.prefix = append(t.appendCells(s.prefix[:0], c.cells), s.text...)
			for range c.members {
				buf = append(buf, s.prefix...)
			}
			return buf, len(c.members)
		},
	}}, t.bagLayouts()...)
}

// appendNumbers appends the last fields of the rows of a class of level L2.
func (c *class) appendNumbers(buf []byte, number int) []byte {
	buf = append(strconv.AppendInt(append(buf, ','), int64(number), 10), ',')
	return strconv.AppendInt(buf, int64(c.bucket.number), 10)
}

// appendCells appends the cells of a class as CSV fields.
func (t *table) appendCells(buf []byte, cells []cell) []byte {
	for j := range t.cols {
		if j > 0 {
			buf = append(buf, ',')
		}
		buf = t.cols[j].appendCell(buf, &cells[j])
	}
	return buf
}

// appendExact appends rows of ranks, each with the same end.
func (t *table) appendExact(buf []byte, rows []uint32, end []byte) []byte {
	for i, v := range rows {
		j := i % len(t.cols)
		if j > 0 {
			buf = append(buf, ',')
		}
		if buf = append(buf, t.cols[j].quoted[v]...); j == len(t.cols)-1 {
			buf = append(buf, end...)
		}
	}
	return buf
}
