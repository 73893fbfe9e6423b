package audit

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
)

// schema binds a manifest's columns to dictionaries that live as long as the
// chain, so that cells, values and value sets of different releases compare as
// integers.
type schema struct {
	qi      []*attribute
	sa      *valueDict
	subject string // name of the subject attribute, or ""
	sets    *setDict
	loose   bool         // some attribute generalizes in a way this auditor does not know: cells may be wider than their members
	bags    *setDict     // level L2: contents of buckets
	close   []*closeTest // t-closeness of the sensitive attribute
}

// newSchema builds dictionaries; hier maps column name to its hierarchy.
func newSchema(m *Manifest, hier map[string]*hierarchy) *schema {
	s := &schema{sets: newSetDict(), bags: newSetDict()}
	for i := range m.Schema {
		c := &m.Schema[i]
		switch c.Role {
		case "subject":
			s.subject = c.Name
		case "sensitive":
			s.sa = &valueDict{name: c.Name, ids: map[string]uint32{}, optional: c.mayLack()}
			s.closeness(m, c, hier[c.Name])
		case "quasi":
			typ := typeNumber
			switch {
			case c.Type == "categorical" || hier[c.Name] != nil:
				typ = typeCategory
			case c.Type == "date":
				typ = typeDate
			}
			a := newAttribute(c.Name, typ, hier[c.Name])
			a.whole, a.digits, a.optional = c.Type != "decimal", c.Digits, c.mayLack()
			if c.Hierarchy != nil && c.Hierarchy.File == "" {
				a.steps, _ = a.units(c.Hierarchy.Steps)
				s.loose = s.loose || len(a.steps) == 0
			}
			s.qi = append(s.qi, a)
		}
	}
	return s
}

// closeness prepares the t-closeness tests of the sensitive attribute.
func (s *schema) closeness(m *Manifest, c *Column, h *hierarchy) {
	known, _ := m.Policy.principles()
	for _, p := range known {
		if p.Close != nil {
			s.close = append(s.close, newCloseTest(p.Close, s.sa, c, h))
		}
	}
}

// valueDict interns the values of the sensitive attribute.
type valueDict struct {
	name     string
	optional bool // values may be missing, as the manifest says
	ids      map[string]uint32
	text     []string
	numeric  bool      // values are ordered as numbers
	number   []float64 // numeric: by id
}

// read is intern of a value of the sensitive attribute.
func (d *valueDict) read(csv *csvReader, b []byte) (uint32, error) {
	if !d.optional && string(b) == missingValue {
		return 0, csv.fail("attribute %s: %s", d.name, neverMissing)
	}
	return d.intern(b), nil
}

func (d *valueDict) intern(b []byte) uint32 {
	if id, ok := d.ids[string(b)]; ok {
		return id
	}
	id := uint32(len(d.text))
	d.text = append(d.text, string(b))
	d.ids[d.text[id]] = id
	if d.numeric {
		v, err := strconv.ParseFloat(d.text[id], 64)
		if err != nil {
			v = math.Inf(1)
		}
		d.number = append(d.number, v)
	}
	return id
}

func (d *valueDict) compare(x, y uint32) int {
	if x == y {
		return 0
	}
	if d.numeric {
		return cmp.Or(cmp.Compare(d.number[x], d.number[y]), strings.Compare(d.text[x], d.text[y]))
	}
	return compareTexts(d.text[x], d.text[y])
}

// setDict interns sets of sensitive values (supports of bags, candidate sets).
type setDict struct {
	ids   map[string]uint32
	sets  [][]uint32 // ascending
	cross map[uint64]uint32
	key   []byte
}

func newSetDict() *setDict {
	return &setDict{ids: map[string]uint32{}, cross: map[uint64]uint32{}}
}

// intern takes an ascending set and copies it if it is new.
func (d *setDict) intern(set []uint32) uint32 {
	d.key = d.key[:0]
	for _, v := range set {
		d.key = binary.LittleEndian.AppendUint32(d.key, v)
	}
	if id, ok := d.ids[string(d.key)]; ok {
		return id
	}
	id := uint32(len(d.sets))
	d.ids[string(d.key)] = id
	d.sets = append(d.sets, slices.Clone(set))
	return id
}

// find gives the number of an ascending set that may not be there.
func (d *setDict) find(set []uint32) uint32 {
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

// intersect is memoised: an attacker meets the same pair of sets many times.
func (d *setDict) intersect(x, y uint32) uint32 {
	if x == y {
		return x
	}
	key := uint64(min(x, y))<<32 | uint64(max(x, y))
	if id, ok := d.cross[key]; ok {
		return id
	}
	a, b := d.sets[x], d.sets[y]
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
	id := d.intern(both)
	d.cross[key] = id
	return id
}

// compareCells compares two rows of cells attribute by attribute.
func (s *schema) compareCells(x, y []uint32) int {
	for a, attr := range s.qi {
		if o := attr.compare(x[a], y[a]); o != 0 {
			return o
		}
	}
	return 0
}
