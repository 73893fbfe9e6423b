// Package flagged has tables whose values are sensitive to some of their persons and not to others.
package flagged

import (
	"cmp"
	"fmt"
	"slices"

	"anond/equivclass"
)

// MaxAttributes is the number of attributes that the flags of a record have room for.
const MaxAttributes = 64

// Table is a table whose values carry a flag each: sensitive to its
// person, or a quasi-identifier value (Li, He and Sun, definitions 1-3). An
// attribute without a sensitive value is a QI attribute, one with nothing else
// a sensitive attribute, one with both is semi-sensitive.
type Table struct {
	*equivclass.Table
	// Flags holds the sensitive attributes of each record, bit j for attribute j.
	Flags []uint64
}

// Len returns the number of records.
func (t *Table) Len() int { return len(t.Flags) }

// Check holds the shape, so that the methods need not look again.
func (t *Table) Check() error {
	if len(t.Dicts) == 0 || len(t.Dicts) > MaxAttributes {
		return fmt.Errorf("the table has %d attributes: LGB takes 1 to %d", len(t.Dicts), MaxAttributes)
	}
	if len(t.Codes) != len(t.Dicts) {
		return fmt.Errorf("the table has %d dictionaries but %d columns: give one of each an attribute", len(t.Dicts), len(t.Codes))
	}
	for j, column := range t.Codes {
		if len(column) != len(t.Flags) {
			return fmt.Errorf("attribute %d has %d values but %d records have flags: give one flag word a record", j, len(column), len(t.Flags))
		}
	}
	return nil
}

// ValueOrder returns the rank of each code of a dictionary: numbers by value,
// others by code, which is the depth-first order of a hierarchy.
func ValueOrder(d *equivclass.Dictionary) []int32 {
	codes := make([]equivclass.Code, d.Len())
	for i := range codes {
		codes[i] = equivclass.Code(i)
	}
	if d.Kind() == equivclass.Number {
		slices.SortFunc(codes, func(a, b equivclass.Code) int { return cmp.Compare(d.Units(a), d.Units(b)) })
	}
	rank := make([]int32, len(codes))
	for i, c := range codes {
		rank[c] = int32(i)
	}
	return rank
}

// CanonicalOrder is ValueOrder, but with categories by their text, so that buckets
// do not depend on the order in which values came.
func CanonicalOrder(d *equivclass.Dictionary) []int32 {
	if d.Kind() != equivclass.Set {
		return ValueOrder(d)
	}
	codes := make([]equivclass.Code, d.Len())
	for i := range codes {
		codes[i] = equivclass.Code(i)
	}
	slices.SortFunc(codes, func(a, b equivclass.Code) int { return cmp.Compare(d.Text(a), d.Text(b)) })
	rank := make([]int32, len(codes))
	for i, c := range codes {
		rank[c] = int32(i)
	}
	return rank
}

// PoolOf returns the rows as a pool over some of the attributes, over the whole
// domain of each. The sensitive codes are those of the attribute sa (-1: all 0).
func (t *Table) PoolOf(space *equivclass.Space, rows []int32, attributes []int, sa int) *equivclass.Pool {
	p := &equivclass.Pool{Space: &equivclass.Space{Dims: make([]equivclass.Dim, len(attributes))},
		X: make([]float32, len(rows)*len(attributes)), SA: make([]equivclass.Code, len(rows))}
	for at, j := range attributes {
		p.Space.Dims[at] = space.Dims[j]
		for i, r := range rows {
			p.X[i*len(attributes)+at] = space.Coord(j, t.Dicts[j], t.Codes[j][r])
		}
	}
	if sa >= 0 {
		for i, r := range rows {
			p.SA[i] = t.Codes[sa][r]
		}
	}
	return p
}

// QuasiOf returns the attributes on which records of these flags have QI values.
func (t *Table) QuasiOf(flags uint64) []int {
	var out []int
	for j := range t.Dicts {
		if flags>>j&1 == 0 {
			out = append(out, j)
		}
	}
	return out
}
