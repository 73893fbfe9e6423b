package format

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Schema binds a manifest's columns to dictionaries that live as long as the
// chain, so that cells, values and value sets of different releases compare as
// integers.
type Schema struct {
	Qi      []*Attribute
	Sa      *ValueDict   // the sensitive attribute, at level L2 the first of them
	Sas     []*ValueDict // all, in the order of the manifest
	Subject string       // name of the subject attribute, or ""
	Sets    *SetDict
	Loose   bool         // some attribute generalizes in a way this auditor does not know: cells may be wider than their members
	Bags    *SetDict     // level L2: contents of buckets
	Close   []*CloseTest // t-closeness of the sensitive attribute
	Strata  bool         // level L2: people are of strata
	Records int          // of a person, at most
}

// NewSchema builds dictionaries; hier maps column name to its hierarchy.
func NewSchema(m *Manifest, hier map[string]*LabelTree) *Schema {
	s := &Schema{Sets: NewSetDict(), Bags: NewSetDict(), Strata: m.Strata(), Records: m.MaxRecords()}
	for i := range m.Schema {
		c := &m.Schema[i]
		switch c.Role {
		case "subject":
			s.Subject = c.Name
		case "sensitive":
			s.Sas = append(s.Sas, &ValueDict{Name: c.Name, Ids: map[string]uint32{}, optional: c.mayLack()})
			if c.Values == exactValues {
				s.Sas[len(s.Sas)-1].exactNumbers(c)
			}
			if s.Records > 1 {
				s.Sas[len(s.Sas)-1].single = &ValueDict{Name: c.Name, Ids: map[string]uint32{}, optional: c.mayLack()}
			}
			if s.Sa = s.Sas[0]; len(s.Sas) == 1 {
				s.closeness(m, c, hier[c.Name])
			}
		case "quasi":
			typ := TypeNumber
			switch {
			case c.Type == "categorical" || hier[c.Name] != nil:
				typ = TypeCategory
			case c.Type == "date":
				typ = TypeDate
			}
			a := NewAttribute(c.Name, typ, hier[c.Name])
			a.Whole, a.Digits, a.optional = c.Type != "decimal", c.Digits, c.mayLack()
			if c.Hierarchy != nil && c.Hierarchy.File == "" {
				a.Steps, _ = a.Units(c.Hierarchy.Steps)
				s.Loose = s.Loose || len(a.Steps) == 0
			}
			s.Qi = append(s.Qi, a)
		}
	}
	return s
}

// closeness prepares the t-closeness tests of the sensitive attribute.
func (s *Schema) closeness(m *Manifest, c *Column, h *LabelTree) {
	known, _ := m.Policy.Principles()
	for _, p := range known {
		if p.Close != nil {
			s.Close = append(s.Close, NewCloseTest(p.Close, s.Sa, c, h))
			s.Close[len(s.Close)-1].Declared = p.Close.Declared || m.inherits(p.Close)
		}
	}
}

// ValueDict interns the values of the sensitive attribute.
type ValueDict struct {
	Name     string
	optional bool // values may be missing, as the manifest says
	Ids      map[string]uint32
	Text     []string
	numeric  bool      // values are ordered as numbers
	number   []float64 // numeric: by id
	// Of exact numbers, see exact.go: how they are written, the lower bounds of intervals, and by id the number.
	exact         *Attribute
	bounds, units []int64
	// Of histories: the values of their records, and by id these in order and the different ones, ascending.
	single      *ValueDict
	parts, ever [][]uint32
}

// then stands between the values of a history in its text. No value has it.
const then = "\x1f"

// ReadHistory is Read of a person's value from the columns that hold it: one, or of a history one for each record that there may be, empty
// behind the last. It says how many records there are.
func (d *ValueDict) ReadHistory(csv *CsvReader, fields [][]byte) (id uint32, records int, err error) {
	if d.single == nil {
		id, err = d.Read(csv, fields[0])
		return id, 1, err
	}
	for records < len(fields) && len(fields[records]) > 0 {
		records++
	}
	if records == 0 || slices.ContainsFunc(fields[records:], func(f []byte) bool { return len(f) > 0 }) {
		return 0, 0, csv.Fail("attribute %s: a history has no first value, or one behind its end", d.Name)
	}
	text := bytes.Join(fields[:records], []byte(then))
	if id, known := d.Ids[string(text)]; known && bytes.Count(text, []byte(then)) == records-1 {
		return id, records, nil
	}
	parts := make([]uint32, records)
	for i, f := range fields[:records] {
		if bytes.Contains(f, []byte(then)) {
			return 0, 0, csv.Fail("attribute %s: a value has a control character", d.Name)
		}
		if parts[i], err = d.single.Read(csv, f); err != nil {
			return 0, 0, err
		}
	}
	id = d.Intern(text)
	d.parts = append(d.parts, parts)
	d.ever = append(d.ever, slices.Compact(slices.Sorted(slices.Values(parts))))
	return id, records, nil
}

// Histories reports that the values are histories.
func (d *ValueDict) Histories() bool { return d.single != nil }

// Texts are the values of a history, or the value.
func (d *ValueDict) Texts(id uint32) []string { return strings.Split(d.Text[id], then) }

// Read is intern of a value of the sensitive attribute.
func (d *ValueDict) Read(csv *CsvReader, b []byte) (uint32, error) {
	if !d.optional && string(b) == missingValue {
		return 0, csv.Fail("attribute %s: %s", d.Name, neverMissing)
	}
	if d.exact != nil {
		return d.internExact(csv, b)
	}
	return d.Intern(b), nil
}

func (d *ValueDict) Intern(b []byte) uint32 {
	if id, ok := d.Ids[string(b)]; ok {
		return id
	}
	id := uint32(len(d.Text))
	d.Text = append(d.Text, string(b))
	d.Ids[d.Text[id]] = id
	if d.numeric {
		v, err := strconv.ParseFloat(d.Text[id], 64)
		if err != nil {
			v = math.Inf(1)
		}
		d.number = append(d.number, v)
	}
	return id
}

func (d *ValueDict) Compare(x, y uint32) int {
	if x == y {
		return 0
	}
	if d.exact != nil {
		return cmp.Compare(d.units[x], d.units[y])
	}
	if d.single != nil {
		return slices.CompareFunc(d.parts[x], d.parts[y], d.single.Compare)
	}
	if d.numeric {
		return cmp.Or(cmp.Compare(d.number[x], d.number[y]), strings.Compare(d.Text[x], d.Text[y]))
	}
	return compareTexts(d.Text[x], d.Text[y])
}

// SetDict interns sets of sensitive values (supports of bags, candidate sets).
type SetDict struct {
	ids   map[string]uint32
	Sets  [][]uint32 // ascending
	cross map[uint64]uint32
	key   []byte
}

func NewSetDict() *SetDict {
	return &SetDict{ids: map[string]uint32{}, cross: map[uint64]uint32{}}
}

// Intern takes an ascending set and copies it if it is new.
func (d *SetDict) Intern(set []uint32) uint32 {
	d.key = d.key[:0]
	for _, v := range set {
		d.key = binary.LittleEndian.AppendUint32(d.key, v)
	}
	if id, ok := d.ids[string(d.key)]; ok {
		return id
	}
	id := uint32(len(d.Sets))
	d.ids[string(d.key)] = id
	d.Sets = append(d.Sets, slices.Clone(set))
	return id
}

// Find gives the number of an ascending set that may not be there.
func (d *SetDict) Find(set []uint32) uint32 {
	d.key = d.key[:0]
	for _, v := range set {
		d.key = binary.LittleEndian.AppendUint32(d.key, v)
	}
	if id, ok := d.ids[string(d.key)]; ok {
		return id
	}
	return noSet
}

// noSet is the number of no set.
const noSet = math.MaxUint32

// Intersect is memoised: an attacker meets the same pair of sets many times.
func (d *SetDict) Intersect(x, y uint32) uint32 {
	if x == y {
		return x
	}
	key := uint64(min(x, y))<<32 | uint64(max(x, y))
	if id, ok := d.cross[key]; ok {
		return id
	}
	a, b := d.Sets[x], d.Sets[y]
	var both []uint32
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			both = append(both, a[i])
			i++
			j++
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	id := d.Intern(both)
	d.cross[key] = id
	return id
}

// CompareCells compares two rows of cells attribute by attribute.
func (s *Schema) CompareCells(x, y []uint32) int {
	for a, attr := range s.Qi {
		if o := attr.Compare(x[a], y[a]); o != 0 {
			return o
		}
	}
	return 0
}
