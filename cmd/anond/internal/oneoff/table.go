package oneoff

import (
	"anond/equivclass"
	"anond/ingest"
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

	subjects map[string]bool
}

// Refused is a line that is no record of the table.
type Refused struct {
	Line      int64             `json:"line"`
	Reason    equivclass.Reason `json:"reason"`
	Attribute string            `json:"attribute,omitempty"`
}

// newTable returns an empty table. Of a line with several faults the first value
// counts that is published, as the columns stand; then flags, and the subject.
func newTable(schema *equivclass.Schema) *Table {
	var order []int
	for i, a := range schema.Attributes() {
		if a.Role == equivclass.Quasi || a.Role == equivclass.Semi || a.Role == equivclass.Sensitive {
			order = append(order, i)
		}
	}
	order = append(order, schema.Flags()...)
	return &Table{Table: *equivclass.NewTable(schema.Attributes(), schema.Missing(), order...), Schema: schema, subjects: map[string]bool{}}
}

// add takes a decoded row in, or says why not. Of a subject the first record
// counts; the others are held, as the daemon does with subject.repeat first.
func (t *Table) add(row equivclass.Row) (equivclass.Reason, string) {
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

// pass counts a line that holds no record.
func (t *Table) pass(line ingest.Record) {
	t.Last = line.Line + int64(line.More)
	if line.Passed == ingest.ReasonBlank {
		t.Blank++
	}
}

// sa is the column of the sensitive attribute.
func (t *Table) sa() []equivclass.Code { return t.Codes[t.Schema.SensitiveIndex()] }

// qi are the columns of the quasi-identifiers.
func (t *Table) qi() [][]equivclass.Code { return t.Columns(t.Schema.Quasi()...).Codes }

// points returns the records as points, over the domain that the table itself has.
func (t *Table) points() *equivclass.Pool { return t.Pool(t.Schema.Quasi(), t.Schema.SensitiveIndex()) }

// published is the table of what is published: quasi-identifiers and
// semi-sensitive attributes in order of the schema, then the sensitive one.
func (t *Table) published() *equivclass.Table {
	return t.Columns(append(t.Schema.Columns(), t.Schema.SensitiveIndex())...)
}

// flagged is published with the flags of each record, by its columns. Every
// sensitive value is sensitive to its person.
func (t *Table) flagged() *equivclass.FlaggedTable {
	f := &equivclass.FlaggedTable{Table: t.published(), Flags: make([]uint64, t.Len())}
	semi := 0
	for at, d := range f.Dicts {
		switch d.Attribute().Role {
		case equivclass.Sensitive:
			for row := range f.Flags {
				f.Flags[row] |= 1 << at
			}
		case equivclass.Semi:
			for row := range f.Flags {
				f.Flags[row] |= (t.Private[row] >> semi & 1) << at
			}
			semi++
		}
	}
	return f
}
