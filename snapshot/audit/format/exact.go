package format

import (
	"math"
	"slices"
)

// Exact numbers (values: exact) are published as they are. What is promised of them, and what pair tables show, are the
// intervals that the schema declares: value n is in the last interval whose lower bound is not above n.

// exactNumbers makes a dictionary one of exact numbers.
func (d *ValueDict) exactNumbers(c *Column) {
	typ := TypeNumber
	if c.Type == "date" {
		typ = TypeDate
	}
	d.exact = NewAttribute(c.Name, typ, nil)
	d.exact.Digits = c.Digits
	d.bounds, _ = d.exact.Units(c.Hierarchy.Buckets)
}

// internExact is Intern of an exact number.
func (d *ValueDict) internExact(csv *CsvReader, b []byte) (uint32, error) {
	if id, ok := d.Ids[string(b)]; ok {
		return id, nil
	}
	v := int64(math.MaxInt64) // there is none
	if string(b) != missingValue {
		var reason string
		if v, reason = d.exact.parseScalar(string(b)); reason != "" || v < d.bounds[0] {
			return 0, csv.Fail("attribute %s: not a number as the attribute has them", d.Name)
		}
	}
	d.units = append(d.units, v)
	return d.Intern(b), nil
}

// Label is what is promised of a value: its interval, or the value itself.
func (d *ValueDict) Label(id uint32) uint32 {
	switch {
	case d.exact == nil:
		return id
	case d.units[id] == math.MaxInt64:
		return uint32(len(d.bounds))
	}
	i, found := slices.BinarySearch(d.bounds, d.units[id])
	if !found {
		i--
	}
	return uint32(i)
}

// Labels are all that is promised of a value: of a history each value that occurs in it. They are appended to a list.
func (d *ValueDict) Labels(id uint32, to []uint32) []uint32 {
	if d.single != nil {
		return append(to, d.ever[id]...)
	}
	return append(to, d.Label(id))
}

// Plain reports that what is promised of a value is promised of that value.
func (d *ValueDict) Plain() bool { return d.exact == nil && d.single == nil }

// LabelText is the text of a label.
func (d *ValueDict) LabelText(label uint32) string {
	switch i := int(label); {
	case d.single != nil:
		return d.single.Text[label]
	case d.exact == nil:
		return d.Text[label]
	case i == len(d.bounds):
		return missingValue
	case i+1 == len(d.bounds):
		return d.exact.printScalar(d.bounds[i]) + "+"
	default:
		return d.exact.printScalar(d.bounds[i]) + ".." + d.exact.printScalar(d.bounds[i+1])
	}
}

// ReadLabel reads a label.
func (d *ValueDict) ReadLabel(csv *CsvReader, b []byte) (uint32, error) {
	if d.exact == nil {
		return d.Read(csv, b)
	}
	for i := range d.bounds {
		if d.LabelText(uint32(i)) == string(b) {
			return uint32(i), nil
		}
	}
	if d.optional && string(b) == missingValue {
		return uint32(len(d.bounds)), nil
	}
	return 0, csv.Fail("attribute %s: not an interval of its numbers", d.Name)
}

// CompareLabels is their order.
func (d *ValueDict) CompareLabels(x, y uint32) int {
	if d.exact == nil {
		return d.Compare(x, y)
	}
	return int(x) - int(y)
}
