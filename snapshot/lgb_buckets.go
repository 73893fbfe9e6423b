package snapshot

import (
	"fmt"
	"slices"

	"anond/equivclass"
)

// localBuckets is one attribute of Input.Local.
type localBuckets struct {
	col   *column
	given [][]Record
	// of is the bucket of each record, -1 in none: its place in given, and once the
	// record is in a table, its place in the buckets of that table.
	of []int32
	// place is the place of each of given in the buckets of its table, + 1; 0: not
	// in one yet.
	place []int32
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
func localCodes(in *Input, attribute int) equivclass.Column {
	for _, l := range in.Local {
		if l.Attribute == attribute {
			return l.Codes
		}
	}
	return equivclass.Column{}
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
		b := &localBuckets{col: &s.sa, given: l.Buckets, of: slices.Repeat([]int32{-1}, in.SA.Len())}
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
	if b.place == nil {
		b.place = make([]int32, len(b.given))
	}
	members := 0
	for _, c := range t.classes {
		for _, m := range c.members {
			n := b.of[m]
			if n < 0 {
				continue
			}
			if b.place[n] == 0 {
				b.buckets = append(b.buckets, b.bucket(b.given[n]))
				b.place[n] = int32(len(b.buckets))
				members += len(b.given[n])
			}
			b.of[m] = b.place[n] - 1
			members--
		}
	}
	return members == 0
}

func (b *bucketing) bucket(members []Record) *bucket {
	x := &bucket{members: members, bag: make([]uint32, len(members))}
	for k, m := range members {
		x.bag[k] = b.col.rank[b.col.codes.At(int(m))]
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
