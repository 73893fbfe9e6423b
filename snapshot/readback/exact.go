package readback

import (
	"fmt"
	"slices"
	"strconv"

	"anond/equivclass"
	"anond/snapshot"
)

// loadExact reads the two files of an exact recoding. counted: the second has a
// count with each value.
func (r *Release) loadExact(quasi, sensitive string, counted bool) error {
	if err := r.loadQuasi(quasi); err != nil {
		return err
	}
	d := len(r.Dicts) - 1
	header := []string{"group", r.Dicts[d].Attribute().Name}
	if counted {
		header = append(header, "count")
	}
	s, err := r.sheet(sensitive, header, 0)
	if err != nil {
		return err
	}
	values := newCellReader(r.Dicts[d])
	sizes := []int32{0}
	for {
		fields, err := s.next()
		if err != nil {
			return err
		}
		if fields == nil {
			break
		}
		code, ok := values.value(fields[1])
		n := 1
		if counted {
			n, err = strconv.Atoi(fields[2])
		}
		if !ok || err != nil || n < 1 || n > r.Manifest.Records {
			return s.damaged("has no value with its count")
		}
		r.SA = append(r.SA, slices.Repeat([]equivclass.Code{code}, n)...)
		sizes = append(sizes[:s.class], int32(len(r.SA)))
	}
	if !slices.Equal(sizes, r.Start) {
		return fmt.Errorf("%w: %s and %s disagree on the size of a group", snapshot.ErrDamaged, quasi, sensitive)
	}
	return nil
}

func (r *Release) loadQuasi(name string) error {
	names, d := r.names(), len(r.Dicts)-1
	s, err := r.sheet(name, append(names[:d:d], "group"), d)
	if err != nil {
		return err
	}
	readers := make([]cellReader, d)
	for j := range readers {
		readers[j] = newCellReader(r.Dicts[j])
	}
	r.QI, r.Start = make([][]equivclass.Code, d), []int32{0}
	for {
		fields, err := s.next()
		if err != nil || fields == nil {
			return err
		}
		for j := range d {
			code, ok := readers[j].value(fields[j])
			if !ok {
				return s.damaged(fmt.Sprintf("has no value of attribute %q", names[j]))
			}
			r.QI[j] = append(r.QI[j], code)
		}
		r.Start = append(r.Start[:s.class], int32(len(r.QI[0])))
	}
}
