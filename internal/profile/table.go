// Package profile says what a table of records tells before they are published: which lines are
// refused and why, how large pools have to be, what a column costs, what is seldom meant as written.
//
// Guarantee: reports name attributes, lines, counts and shares, never a value (rule V, values).
// Settings that are chosen by what it says of people may tell these people's values (Channel), so
// it is for records of others.
//
// Cost: time and memory linear in the table; TradeOffs partitions at most 10,000 records.
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

	subjects map[string]int // their numbers
	visits   *visits        // of subjects
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
	t := &Table{Schema: schema, subjects: map[string]int{}, visits: newVisits(schema), further: map[int]Column{}}
	var order, last []int
	for i, a := range schema.Attributes() {
		if at := slices.IndexFunc(further, func(c Column) bool { return c.Name == a.Name }); at >= 0 {
			t.further[i], last = further[at], append(last, i)
		} else if a.Role.Blind() || a.Role == equivclass.Sensitive {
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
	take := t.Append
	person, repeat := t.subjects[string(row[i])]
	if repeat {
		take = t.Check
	}
	why, attribute := take(row)
	if why != equivclass.Accepted {
		return why, attribute
	}
	if repeat {
		t.Repeats++
	} else {
		person = len(t.subjects)
		t.subjects[string(row[i])] = person
	}
	t.visits.add(person, t.Read, row)
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

// take reads a record with the row as memory, or counts a line that holds none.
func (t *Table) take(record *ingest.Record, header []string, decoder decode.Decoder, row equivclass.Row) {
	t.Last = record.Line + int64(record.More)
	if record.Passed != "" {
		if record.Passed == decode.ReasonBlank {
			t.Blank++
		}
		return
	}
	t.Read++
	out := decoder.Decode(record.Value, header, row)
	why, attribute := out.Reason, out.Attribute
	if out.Accepted() {
		why, attribute = t.add(row)
	}
	if t.Len() > len(t.Lines) {
		t.Lines = append(t.Lines, record.Line)
	}
	if why != equivclass.Accepted {
		t.Refused = append(t.Refused, Refused{Line: record.Line, Reason: why, Attribute: attribute})
	}
}

// SA is the column of the sensitive attribute.
func (t *Table) SA() []equivclass.Code { return t.Codes[t.Schema.SensitiveIndex()] }

// Points returns the records as points, over the domain that the table itself has.
func (t *Table) Points() *equivclass.Pool { return t.Pool(t.Schema.Quasi(), t.Schema.SensitiveIndex()) }
