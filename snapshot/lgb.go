package snapshot

import (
	"slices"
	"strconv"
)

// lgb holds the seed, which must not be printed (rule R, randomness).
type lgb struct {
	plain
	seed [32]byte
	// keep: what is numbered is read back from parts, so that no draw decides
	// between nodes that look alike, but their order there, which draws decided.
	keep bool
}

// LGB is local generalization and bucketization (Li, He and Sun): lgb.csv has a
// row a record, with the tight cell of its class where its value is a
// quasi-identifier's, and with *n where the value is in local bucket n of its
// attribute; buckets.csv has what is in the buckets. A reader of a row learns that
// its value is one of the bucket's, each with its share in the bucket.
//
// Guarantee: what the input's classes and buckets promise (Local).
// The numbers of classes and buckets and the order of rows add nothing (promise
// K1; rule F, forbidden): they follow content, and where content does not tell
// two apart, random draws.
func LGB(seed [32]byte) Recoding { return &lgb{seed: seed} }

func (*lgb) Name() string { return NameLGB }
func (*lgb) K1() string   { return "rows" }
func (*lgb) semi() bool   { return true }

// String and GoString keep the seed out of texts.
func (*lgb) String() string   { return NameLGB }
func (*lgb) GoString() string { return NameLGB }

// numbering: cells of bucketed attributes name buckets by *n, and buckets.csv
// numbers those of each attribute.
func (*lgb) numbering(s *source, file string) numbering {
	if file == bucketsName {
		return numbering{class: noField, attribute: 0, bucket: 1}
	}
	n := numbering{class: lastField, local: map[int]string{len(s.cols): string(appendField(nil, s.sa.name))}}
	for j := range s.cols {
		if s.cols[j].local != nil {
			n.local[j] = string(appendField(nil, s.cols[j].name))
		}
	}
	return n
}

// bucketsName is the file of what is in local buckets.
const bucketsName = "buckets.csv"

func (r *lgb) layouts(t *table) []layout {
	return []layout{{
		name:   "lgb.csv",
		header: append(t.names(), t.sa.name, "class"),
		append: func(s *scratch, buf []byte, number int, c *class) ([]byte, int) {
			s.ranks = s.ranks[:0]
			for _, m := range c.members {
				for _, b := range t.local {
					s.ranks = append(s.ranks, uint32(b.of[m]+1))
				}
			}
			s.sorted = t.sortRows(s, s.sorted[:0], len(t.local))
			t.localText(s, number, c)
			for row := range slices.Chunk(s.sorted, len(t.local)) {
				from := 0
				for _, cut := range s.cuts {
					buf = append(buf, s.text[from:cut.at]...)
					buf = strconv.AppendUint(buf, uint64(row[cut.bucket]), 10)
					from = cut.at
				}
				buf = append(buf, s.text[from:]...)
			}
			return buf, len(c.members)
		},
	}, {
		name:   bucketsName,
		header: []string{"attribute", "bucket", "value", "count"},
		whole:  t.bucketRows,
	}}
}

// localCut is where the number of a bucket belongs in the text that the rows of a
// class share: the record's bucket of an attribute.
type localCut struct{ at, bucket int }

// localText writes what the rows of a class share.
func (t *table) localText(s *scratch, number int, c *class) {
	s.text, s.cuts = s.text[:0], s.cuts[:0]
	local := 0
	for j := range t.cols {
		if c.cells[j].bucketed {
			s.text = append(s.text, '*')
			s.cuts = append(s.cuts, localCut{len(s.text), local})
		} else {
			s.text = t.cols[j].appendCell(s.text, &c.cells[j])
		}
		s.text = append(s.text, ',')
		if t.cols[j].local != nil {
			local++
		}
	}
	s.text = append(s.text, '*')
	s.cuts = append(s.cuts, localCut{len(s.text), local})
	s.text = append(strconv.AppendInt(append(s.text, ','), int64(number), 10), '\n')
}

// bucketRows is buckets.csv without its header.
func (t *table) bucketRows(put func(text []byte) error) (rows int, err error) {
	var text []byte
	for _, b := range t.local {
		name := appendField(nil, b.col.name)
		for i, x := range b.buckets {
			for v, n := range runs(x.bag) {
				text = append(append(text, name...), ',')
				text = append(strconv.AppendInt(text, int64(i+1), 10), ',')
				text = append(append(text, b.col.quoted[v]...), ',')
				text = append(strconv.AppendInt(text, int64(n), 10), '\n')
				rows++
			}
		}
	}
	return rows, put(text)
}
