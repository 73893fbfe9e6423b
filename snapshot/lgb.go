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

// bucketing is one attribute of Input.Local.
type bucketing struct {
	col     *column
	buckets []*bucket // in canonical order once they are in order: number = index + 1
	of      []int32   // by record: its bucket; -1 in none
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
func (*lgb) bind(t *table, in *Input) error {
	want := append(slices.Clone(in.Schema.Semi()), in.Schema.SensitiveIndex())
	if len(in.Local) != len(want) {
		return fmt.Errorf("%w: it has buckets of %d attributes, the schema asks for %d", ErrView, len(in.Local), len(want))
	}
	for i, l := range in.Local {
		if l.Attribute != want[i] {
			return fmt.Errorf("%w: the buckets of attribute %q are missing or out of order", ErrView, in.Schema.Attributes()[want[i]].Name)
		}
		b := &bucketing{col: &t.sa, of: slices.Repeat([]int32{-1}, len(in.SA))}
		name := in.Schema.Attributes()[l.Attribute].Name
		if j := slices.IndexFunc(t.cols, func(c column) bool { return c.name == name }); j >= 0 {
			b.col, t.cols[j].local = &t.cols[j], b
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
			b.buckets = append(b.buckets, &bucket{members: members})
		}
		t.local = append(t.local, b)
	}
	return nil
}

// check holds buckets against classes: all members of a class are in buckets of
// the same attributes, all of the sensitive one, and nobody else is in any.
func (*lgb) check(t *table, in *Input) error {
	for i, b := range t.local {
		placed := 0
		for n, c := range in.Classes {
			in := b.of[c.Members[0]] >= 0
			for _, m := range c.Members {
				if b.of[m] >= 0 != in || !in && i == len(t.local)-1 {
					return fmt.Errorf("%w: members of class %d of the view differ in whether attribute %q is bucketed", ErrView, n, b.col.name)
				}
			}
			if in {
				placed += len(c.Members)
			}
		}
		for _, x := range b.buckets {
			placed -= len(x.members)
			x.bag = make([]uint32, len(x.members))
			for k, m := range x.members {
				x.bag[k] = b.col.rank[b.col.codes[m]]
			}
			slices.Sort(x.bag)
		}
		if placed != 0 {
			return fmt.Errorf("%w: a bucket of attribute %q holds a record that is not published", ErrView, b.col.name)
		}
	}
	t.wholeClasses = wholeClasses(t, in)
	return nil
}

// wholeClasses tells whether each bucket of the sensitive attribute is a class.
func wholeClasses(t *table, in *Input) bool {
	sa := t.local[len(t.local)-1]
	if len(sa.buckets) != len(in.Classes) {
		return false
	}
	for _, c := range in.Classes {
		of := sa.of[c.Members[0]]
		for _, m := range c.Members {
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
		name:   "buckets.csv",
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
