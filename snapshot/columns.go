package snapshot

import (
	"slices"
	"strings"

	"anond/equivclass"
)

// NotPublished is what a table over parts of several eras has where a part does not have the column.
const NotPublished = "not published"

// Columns are those of a data file over all parts: of the newest era in their order, then what only earlier ones have; numbers of classes
// and buckets, and counts, stay where they are. Under a part they are those of its file.
func (m *Manifest) Columns(file string) (out []string) {
	switch {
	case !m.ByAttribute(file):
	case file == ValuesName:
		return m.BagColumns("bucket")
	case file == PoolsName:
		return m.BagColumns("pool")
	case file == BucketsName:
		return m.BucketsColumns()
	default:
		return strings.Fields("pool attribute value with with_value count")
	}
	for _, of := range slices.Backward(m.ByEra()) {
		for _, name := range of.cells(file) {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	switch {
	case m.Shared():
		return append(out, "class", "bucket")
	case file == "st.csv":
		return slices.Concat([]string{"group"}, out, []string{"count"})
	case file == "pst.csv":
		return slices.Concat([]string{"group"}, out)
	}
	return append(out, m.ClassColumn())
}

// cells are the columns of a file with a row a record that are attributes, in one era.
func (m *Manifest) cells(file string) (out []string) {
	values := valuesOf(m.Recoding)
	for _, role := range []equivclass.Role{equivclass.Quasi, equivclass.Sensitive} {
		for _, a := range m.Schema {
			shown := role == equivclass.Quasi
			switch {
			case m.Shared():
				shown = shown || m.Values == ValuesDrawn
			case values != "":
				shown = shown != (file == values)
			default:
				shown = true
			}
			if a.Role == role && shown {
				out = append(out, a.Name)
			}
		}
	}
	return out
}

// Lacking are the columns of a data file over all parts that the file of some part does not have. A history has no next record there, so
// such a column of values.csv and pools.csv is empty and counts as one that each part has.
func (m *Manifest) Lacking(file string) (out []int) {
	if file == ValuesName || file == PoolsName {
		return nil
	}
	for _, of := range m.ByEra() {
		if len(of.Parts) == 0 {
			continue
		}
		for i, at := range m.Places(&of.Parts[0], file) {
			if at < 0 && !slices.Contains(out, i) {
				out = append(out, i)
			}
		}
	}
	return out
}

// Places are where the columns of a data file over all parts are in the file of a part; -1: it does not have the column.
func (m *Manifest) Places(p *PartEntry, file string) []int {
	all, own := m.Columns(file), m.Under(p).Columns(file)
	n := m.numbering(file)
	behind := len(n.back)
	if slices.Contains(n.counts, -1) {
		behind = 1
	}
	out := make([]int, len(all))
	for i, name := range all[:len(all)-behind] {
		out[i] = slices.Index(own[:len(own)-behind], name)
	}
	for i := range behind {
		out[len(all)-1-i] = len(own) - 1 - i
	}
	return out
}

// placing puts the fields of rows into the places of a table's columns.
type placing struct {
	at     []int
	none   []byte // where the row has no field
	ends   []int  // of the fields of the row at hand
	placed []byte
}

// same reports that a row is in place as it is.
func (x *placing) same() bool {
	return !slices.ContainsFunc(x.at, func(at int) bool { return at < 0 }) && slices.IsSorted(x.at)
}

// row is a record with its fields in their places, valid until the next one.
func (x *placing) row(record []byte) []byte {
	x.ends, x.placed = x.ends[:0], x.placed[:0]
	quoted := false
	for i, b := range record {
		switch {
		case b == '"':
			quoted = !quoted
		case (b == ',' || i == len(record)-1) && !quoted:
			x.ends = append(x.ends, i)
		}
	}
	for _, at := range x.at {
		field := x.none
		if at >= 0 && at < len(x.ends) {
			from := 0
			if at > 0 {
				from = x.ends[at-1] + 1
			}
			field = record[from:x.ends[at]]
		}
		x.placed = append(append(x.placed, field...), ',')
	}
	x.placed[len(x.placed)-1] = '\n'
	return x.placed
}
