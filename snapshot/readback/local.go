package readback

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"anond/equivclass"
	"anond/equivclass/query"
	"anond/snapshot"
)

// loadLocal reads lgb.csv and buckets.csv. SA gets the values of the sensitive
// attribute bucket by bucket: whose row which of them is, nobody is told.
func (r *Release) loadLocal() error {
	l := &query.LocalRelease{Dicts: r.Dicts, Bucket: make([][]int32, len(r.Dicts)),
		Values: make([][][]equivclass.Code, len(r.Dicts)), Grain: query.Grains(r.Dicts)}
	readers := make([]cellReader, len(r.Dicts))
	for j := range readers {
		readers[j] = newCellReader(r.Dicts[j])
	}
	before, err := r.loadBuckets(l, readers)
	if err != nil {
		return err
	}
	if err := r.loadLocalRows(l, readers, before); err != nil {
		return err
	}
	for _, values := range l.Values[len(r.Dicts)-1] {
		r.SA = append(r.SA, values...)
	}
	r.Local = l
	return r.checkLocal()
}

// checkLocal holds both files against each other: as many rows name a bucket as
// it has values, and each row one of the sensitive attribute.
func (r *Release) checkLocal() error {
	for j, column := range r.Local.Bucket {
		rows := make([]int, len(r.Local.Values[j]))
		for _, b := range column {
			if b >= 0 {
				rows[b]++
			} else if j == len(r.Dicts)-1 {
				return fmt.Errorf("%w: lgb.csv: a row is in no bucket of attribute %q", snapshot.ErrDamaged, r.names()[j])
			}
		}
		for b, values := range r.Local.Values[j] {
			if rows[b] != len(values) {
				return fmt.Errorf("%w: lgb.csv and buckets.csv disagree on the size of a bucket of attribute %q", snapshot.ErrDamaged, r.names()[j])
			}
		}
	}
	return nil
}

// loadBuckets reads buckets.csv. It returns by part, from 0, and attribute how many
// buckets the parts before have, each of which numbers its own; and how many all.
func (r *Release) loadBuckets(l *query.LocalRelease, readers []cellReader) (before [][]int, err error) {
	s, err := r.sheet("buckets.csv", []string{"attribute", "bucket", "value", "count"}, noNumber)
	if err != nil {
		return nil, err
	}
	names := r.names()
	for {
		fields, err := s.next()
		if err != nil {
			return nil, err
		}
		for len(before) < s.part {
			before = append(before, sizesOf(l.Values))
		}
		if fields == nil {
			return append(before, sizesOf(l.Values)), nil
		}
		j := slices.Index(names, fields[0])
		if j < 0 {
			return nil, s.damaged("names no attribute of the schema")
		}
		number, err := strconv.Atoi(fields[1])
		number += before[s.part-1][j]
		if last := len(l.Values[j]); err != nil || number != last && number != last+1 || number == before[s.part-1][j] {
			return nil, s.damaged("has a number of a bucket out of order")
		}
		code, ok := readers[j].value(fields[2])
		n, err := strconv.Atoi(fields[3])
		if !ok || err != nil || n < 1 || n > r.Manifest.Records {
			return nil, s.damaged("has no value with its count")
		}
		if number > len(l.Values[j]) {
			l.Values[j] = append(l.Values[j], nil)
		}
		l.Values[j][number-1] = append(l.Values[j][number-1], slices.Repeat([]equivclass.Code{code}, n)...)
	}
}

func sizesOf(values [][][]equivclass.Code) []int {
	out := make([]int, len(values))
	for j := range values {
		out[j] = len(values[j])
	}
	return out
}

func (r *Release) loadLocalRows(l *query.LocalRelease, readers []cellReader, before [][]int) error {
	names := r.names()
	s, err := r.sheet("lgb.csv", append(names, "class"), len(names))
	if err != nil {
		return err
	}
	r.Start = []int32{0}
	last := 0
	for {
		fields, err := s.next()
		if err != nil || fields == nil {
			return err
		}
		class := s.class
		fresh := class > last
		if fresh {
			l.Cells = append(l.Cells, make([]query.Cell, len(names)))
			r.Start, last = append(r.Start, r.Start[last]), class
		}
		for j := range names {
			bucket, ok := bucketNumber(fields[j], before[s.part-1][j], before[s.part][j])
			if !ok {
				return s.damaged("names no bucket of its attribute")
			}
			if bucket < 0 && fresh {
				if l.Cells[class-1][j], ok = readers[j].cell(fields[j]); !ok {
					return s.damaged("has no cell of its attribute")
				}
			}
			if !fresh && (bucket < 0) != (l.Bucket[j][len(l.Group)-1] < 0) {
				return s.damaged("is bucketed otherwise than its class")
			}
			l.Bucket[j] = append(l.Bucket[j], bucket)
		}
		l.Group = append(l.Group, int32(class-1))
		r.Start[last]++
	}
}

// bucketNumber reads *n as the place over all parts of a bucket of a part that has
// those from one place up to another; any cell as -1. No value starts with a star,
// and a star alone is the root of a hierarchy.
func bucketNumber(text string, from, to int) (int32, bool) {
	digits, ok := strings.CutPrefix(text, "*")
	if !ok || digits == "" {
		return -1, true
	}
	n, err := strconv.Atoi(digits)
	return int32(from + n - 1), err == nil && n >= 1 && n <= to-from
}
