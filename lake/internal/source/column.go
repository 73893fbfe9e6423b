package source

import (
	"fmt"
	"slices"
	"strings"

	"anond/equivclass"
	"anond/snapshot"
)

// Kind is the type of a column.
type Kind int

// The kinds. Long is a signed number of 64 bits, Date a number of days since 1970-01-01.
const (
	Text Kind = iota
	Long
	Double
	Date
)

// Column is a column of a table. Its place and type follow from the schema of the dataset
// and the recoding, which never change, and never from the values.
type Column struct {
	Name     string
	Kind     Kind
	Optional bool // there may be no value
	read     reader
}

// Value is a cell of a column: of its fields the one that its kind says.
type Value struct {
	Null  bool
	Text  string
	Int   int64 // Long, Date
	Float float64
}

// partColumn comes first: numbers of classes and buckets count within a part.
const partColumn = "part"

// columnsOf makes the columns of a data file: the part; each column of the file, cells as
// text and numbers of classes, buckets and counts as numbers; behind a quasi-identifier of
// numbers or dates the bounds of its cells.
func columnsOf(m *snapshot.Manifest, file string, header []string) ([]Column, error) {
	names := nameSet{}
	out := []Column{{Name: names.free(partColumn), Kind: Text, read: reader{field: -1}}}
	numbers, lacking := m.NumberColumns(file), m.Lacking(file)
	for i, name := range header {
		if slices.Contains(numbers, i) || slices.Contains(numbers, i-len(header)) {
			out = append(out, Column{Name: names.free(name), Kind: Long, Optional: slices.Contains(lacking, i), read: reader{field: i, as: count}})
			continue
		}
		out = append(out, Column{Name: names.free(name), Kind: Text, Optional: true, read: reader{field: i}})
		if m.ByAttribute(file) {
			continue
		}
		typ, found := typeOf(m, name)
		if !found {
			return nil, fmt.Errorf("%w: release %d: %s has a column that is no attribute of the schema", snapshot.ErrDamaged,
				m.Release, file)
		}
		if kind, ok := bounded[typ]; ok {
			for _, side := range []side{lower, upper} {
				out = append(out, Column{Name: names.free(name + side.suffix()), Kind: kind, Optional: true,
					read: reader{field: i, as: side, typ: typ}})
			}
		}
	}
	return out, nil
}

// bounded are the types whose cells have bounds.
var bounded = map[equivclass.Type]Kind{equivclass.Integer: Long, equivclass.Decimal: Double, equivclass.Date: Date}

// typeOf is the type of an attribute whose cells may be ranges, or none. Values of the
// sensitive attribute are categories, or the names of declared buckets.
func typeOf(m *snapshot.Manifest, name string) (typ equivclass.Type, found bool) {
	for _, of := range slices.Backward(m.ByEra()) {
		for _, a := range of.Schema {
			if a.Name != name {
				continue
			}
			switch a.Role {
			case equivclass.Quasi:
				return a.Type, true
			case equivclass.Sensitive:
				return "", true
			}
		}
	}
	return "", false
}

// nameSet keeps names of columns apart, also for engines that do not look at case.
type nameSet map[string]bool

func (s nameSet) free(name string) string {
	for s[strings.ToLower(name)] {
		name += "_"
	}
	s[strings.ToLower(name)] = true
	return name
}
