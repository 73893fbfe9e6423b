package snapshot

import (
	"fmt"
	"slices"
	"strconv"

	"anond/equivclass"
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

// localBuckets is one attribute of Input.Local.
type localBuckets struct {
	col   *column
	given [][]Record
	// of is the bucket of each record, -1 in none: its place in given, and once the
	// record is in a table, its place in the buckets of that table.
	of []int32
}

// bucketing is one attribute of Input.Local in a table. Buckets and classes are
// of one birth (rule A, frozen), so that no bucket reaches into another table.
type bucketing struct {
	*localBuckets
	buckets []*bucket // in canonical order once they are in order: number = index + 1
}

// bucket is a local bucket.
type bucket struct {
	members []Record
	bag     []uint32 // ranks, ascending
}

// localCodes returns the codes of a semi-sensitive attribute of the input.
func localCodes(in *Input, attribute int) []equivclass.Code {
	for _, l := range in.Local {
		if l.Attribute == attribute {
			return l.Codes
		}
	}
	return nil
}

// bind ties the local buckets of the input to the columns.
func (*lgb) bind(s *source, in *Input) error {
	want := append(slices.Clone(in.Schema.Semi()), in.Schema.SensitiveIndex())
	if len(in.Local) != len(want) {
		return fmt.Errorf("%w: it has buckets of %d attributes, the schema asks for %d", ErrView, len(in.Local), len(want))
	}
	for i, l := range in.Local {
		name := in.Schema.Attributes()[want[i]].Name
		if l.Attribute != want[i] {
			return fmt.Errorf("%w: the buckets of attribute %q are missing or out of order", ErrView, name)
		}
		b := &localBuckets{col: &s.sa, given: l.Buckets, of: slices.Repeat([]int32{-1}, len(in.SA))}
		if j := slices.IndexFunc(s.cols, func(c column) bool { return c.name == name }); j >= 0 {
			b.col, s.cols[j].local = &s.cols[j], b
		}
		for n, members := range l.Buckets {
			if len(members) == 0 {
				return fmt.Errorf("%w: a bucket of attribute %q is empty", ErrView, name)
			}
			for _, m := range members {
				if int(m) >= len(b.of) || b.of[m] >= 0 {
					return fmt.Errorf("%w: a bucket of attribute %q holds a record of another, or one that is not there", ErrView, name)
				}
				b.of[m] = int32(n)
			}
		}
		s.buckets = append(s.buckets, b)
	}
	return placed(s, in)
}

// placed demands that nobody is in a bucket who is in no class.
func placed(s *source, in *Input) error {
	for _, b := range s.buckets {
		left := 0
		for _, members := range b.given {
			left += len(members)
		}
		for i := range in.Classes {
			for _, m := range in.Classes[i].Members {
				if int(m) < len(b.of) && b.of[m] >= 0 {
					left--
				}
			}
		}
		if left != 0 {
			return fmt.Errorf("%w: a bucket of attribute %q holds a record that is not published", ErrView, b.col.name)
		}
	}
	return nil
}

// check holds buckets against classes: all members of a class are in buckets of
// the same attributes, all of the sensitive one, and buckets hold nobody of
// another table.
func (*lgb) check(t *table) error {
	for i, of := range t.buckets {
		b := &bucketing{localBuckets: of}
		for n, c := range t.classes {
			in := b.of[c.members[0]] >= 0
			for _, m := range c.members {
				if b.of[m] >= 0 != in || !in && i == len(t.buckets)-1 {
					return fmt.Errorf("%w: members of class %d of the view differ in whether attribute %q is bucketed", ErrView, n, b.col.name)
				}
			}
		}
		if !b.gather(t) {
			return fmt.Errorf("%w: a bucket of attribute %q holds records that were born apart", ErrView, b.col.name)
		}
		t.local = append(t.local, b)
	}
	t.wholeClasses = t.bucketsAreClasses()
	return nil
}

// gather collects the buckets of the records of a table. It reports whether all
// their members are in it.
func (b *bucketing) gather(t *table) bool {
	place := map[int32]int32{} // in given, to that in the table
	members := 0
	for _, c := range t.classes {
		for _, m := range c.members {
			n := b.of[m]
			if n < 0 {
				continue
			}
			at, ok := place[n]
			if !ok {
				at = int32(len(b.buckets))
				place[n] = at
				b.buckets = append(b.buckets, b.bucket(b.given[n]))
				members += len(b.given[n])
			}
			b.of[m] = at
			members--
		}
	}
	return members == 0
}

func (b *bucketing) bucket(members []Record) *bucket {
	x := &bucket{members: members, bag: make([]uint32, len(members))}
	for k, m := range members {
		x.bag[k] = b.col.rank[b.col.codes[m]]
	}
	slices.Sort(x.bag)
	return x
}

// bucketsAreClasses tells whether each bucket of the sensitive attribute is a class.
func (t *table) bucketsAreClasses() bool {
	sa := t.local[len(t.local)-1]
	if len(sa.buckets) != len(t.classes) {
		return false
	}
	for _, c := range t.classes {
		of := sa.of[c.members[0]]
		for _, m := range c.members {
			if sa.of[m] != of {
				return false
			}
		}
	}
	return true
}

// nests tells whether the buckets of every attribute nest: whether each lies
// inside one class or is a union of whole classes. Only then does level L0 hold:
// a class and a bucket that overlap in part make some assignments of values fit by
// more arrangements of rows than others (docs/THREAT_MODEL.md, Theorem L).
// Cost: linear in the bucketed values.
func (t *table) nests() bool {
	for _, b := range t.local {
		in := make([]int, len(b.buckets)) // members of a class, by bucket
		for _, c := range t.classes {
			for _, m := range c.members {
				if n := b.of[m]; n >= 0 {
					in[n]++
				}
			}
			for _, m := range c.members {
				n := b.of[m]
				if n < 0 || in[n] == 0 { // a value of a quasi-identifier, or seen
					continue
				}
				if in[n] != len(c.members) && in[n] != len(b.buckets[n].members) {
					return false
				}
				in[n] = 0
			}
		}
	}
	return true
}

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
			for row := range slices.Chunk(s.sorted, len(t.local)) {
				at := 0
				for j := range t.cols {
					if t.cols[j].local != nil {
						at++
					}
					if c.cells[j].bucketed {
						buf = append(strconv.AppendUint(append(buf, '*'), uint64(row[at-1]), 10), ',')
						continue
					}
					buf = append(t.cols[j].appendCell(buf, &c.cells[j]), ',')
				}
				buf = append(strconv.AppendUint(append(buf, '*'), uint64(row[at]), 10), ',')
				buf = append(strconv.AppendInt(buf, int64(number), 10), '\n')
			}
			return buf, len(c.members)
		},
	}, {
		name:   bucketsName,
		header: []string{"attribute", "bucket", "value", "count"},
		whole:  func() ([]byte, int) { return t.bucketRows() },
	}}
}

// bucketRows is buckets.csv without its header.
func (t *table) bucketRows() (text []byte, rows int) {
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
	return text, rows
}
