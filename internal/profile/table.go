package profile

import (
	"maps"
	"slices"

	"anond/equivclass"
	"anond/ingest"
	"anond/ingest/decode"
)

// Table is a table in memory, encoded by its schema, and what became of the lines
// of its file.
type Table struct {
	equivclass.Table
	Schema *equivclass.Schema

	Read    int   // records, good or bad
	Blank   int   // lines that hold none
	Last    int64 // number of the last line read
	Unread  ingest.Unread
	Refused []Refused // in order of the file
	Repeats int       // further records of a subject: held, rule S (subjects)
	Lines   []int64   // of each record of the table

	subjects map[string]bool
	further  map[int]Column // columns that are not published, by attribute
}

// Refused is a line that is no record of the table.
type Refused struct {
	Line      int64             `json:"line"`
	Reason    equivclass.Reason `json:"reason"`
	Attribute string            `json:"attribute,omitempty"`
}

// Column is a column that is read with those of the schema and not published: what its texts
// have to be, and the reason why a record is refused otherwise.
type Column struct {
	Name   string
	Good   func(text string) bool
	Reason equivclass.Reason
}

// newTable returns an empty table. Of a line with several faults the first value
// counts that is published, as the columns stand; then further columns, and the subject.
func newTable(schema *equivclass.Schema, further []Column) *Table {
	t := &Table{Schema: schema, subjects: map[string]bool{}, further: map[int]Column{}}
	var order, last []int
	for i, a := range schema.Attributes() {
		if at := slices.IndexFunc(further, func(c Column) bool { return c.Name == a.Name }); at >= 0 {
			t.further[i], last = further[at], append(last, i)
		} else if a.Role == equivclass.Quasi || a.Role == equivclass.Sensitive {
			order = append(order, i)
		}
	}
	t.Table = *equivclass.NewTable(schema.Attributes(), append(order, last...)...)
	return t
}

// add takes a decoded row in, or says why not. Of a subject the first record
// counts; the others are held, as the daemon does with subject.repeat first.
func (t *Table) add(row equivclass.Row) (equivclass.Reason, string) {
	if why, attribute := t.checkFurther(row); why != equivclass.Accepted {
		return why, attribute
	}
	i := t.Schema.SubjectIndex()
	if i < 0 {
		return t.Append(row)
	}
	take, repeat := t.Append, t.subjects[string(row[i])]
	if repeat {
		take = t.Check
	}
	why, attribute := take(row)
	if why != equivclass.Accepted {
		return why, attribute
	}
	if repeat {
		t.Repeats++
	}
	t.subjects[string(row[i])] = true
	return why, ""
}

// checkFurther refuses a row whose published values are good, and a further one is not.
func (t *Table) checkFurther(row equivclass.Row) (equivclass.Reason, string) {
	if len(t.further) == 0 {
		return equivclass.Accepted, ""
	}
	why, attribute := t.Check(row)
	later := slices.ContainsFunc(slices.Collect(maps.Values(t.further)), func(c Column) bool { return c.Name == attribute })
	if i := t.Schema.SubjectIndex(); why != equivclass.Accepted && !later && (i < 0 || t.Schema.Attributes()[i].Name != attribute) {
		return why, attribute
	}
	for _, i := range slices.Sorted(maps.Keys(t.further)) {
		if c := t.further[i]; !c.Good(string(row[i])) {
			return c.Reason, c.Name
		}
	}
	return equivclass.Accepted, ""
}

// pass counts a line that holds no record.
func (t *Table) pass(line ingest.Record) {
	t.Last = line.Line + int64(line.More)
	if line.Passed == decode.ReasonBlank {
		t.Blank++
	}
}

// SA is the column of the sensitive attribute.
func (t *Table) SA() []equivclass.Code { return t.Codes[t.Schema.SensitiveIndex()] }

// Points returns the records as points, over the domain that the table itself has.
func (t *Table) Points() *equivclass.Pool { return t.Pool(t.Schema.Quasi(), t.Schema.SensitiveIndex()) }
