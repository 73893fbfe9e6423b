package oneoff

import (
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

	subjects map[string]bool
	semi     map[int]Semi   // by attribute: the semi-sensitive ones
	flags    map[string]int // attributes that are flags, by name; they are not published
}

// Refused is a line that is no record of the table.
type Refused struct {
	Line      int64             `json:"line"`
	Reason    equivclass.Reason `json:"reason"`
	Attribute string            `json:"attribute,omitempty"`
}

// newTable returns an empty table. Of a line with several faults the first value
// counts that is published, as the columns stand; then flags, and the subject.
func newTable(schema *equivclass.Schema, semi map[string]Semi) *Table {
	t := &Table{Schema: schema, subjects: map[string]bool{}, semi: map[int]Semi{}, flags: map[string]int{}}
	for _, p := range semi {
		if p.Flag != "" {
			t.flags[p.Flag] = -1
		}
	}
	var order, flags []int
	for i, a := range schema.Attributes() {
		if _, flag := t.flags[a.Name]; flag {
			t.flags[a.Name], flags = i, append(flags, i)
		} else if a.Role == equivclass.Quasi || a.Role == equivclass.Sensitive {
			order = append(order, i)
		}
		if p, ok := semi[a.Name]; ok {
			t.semi[i] = p
		}
	}
	t.Table = *equivclass.NewTable(schema.Attributes(), append(order, flags...)...)
	return t
}

// add takes a decoded row in, or says why not. Of a subject the first record
// counts; the others are held, as the daemon does with subject.repeat first.
func (t *Table) add(row equivclass.Row) (equivclass.Reason, string) {
	if why, attribute := t.checkFlags(row); why != equivclass.Accepted {
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

// checkFlags refuses a row whose published values are good and that has a flag which
// cannot be read.
func (t *Table) checkFlags(row equivclass.Row) (equivclass.Reason, string) {
	if len(t.flags) == 0 {
		return equivclass.Accepted, ""
	}
	why, attribute := t.Check(row)
	if _, flag := t.flags[attribute]; why != equivclass.Accepted && !flag && attribute != t.subject() {
		return why, attribute
	}
	for i, a := range t.Schema.Attributes() {
		if at, flag := t.flags[a.Name]; flag && at == i {
			if _, ok := parseFlag(string(row[i])); !ok {
				return ReasonFlag, a.Name
			}
		}
	}
	return equivclass.Accepted, ""
}

// subject is the name of the attribute of role subject, or empty.
func (t *Table) subject() string {
	if i := t.Schema.SubjectIndex(); i >= 0 {
		return t.Schema.Attributes()[i].Name
	}
	return ""
}

// pass counts a line that holds no record.
func (t *Table) pass(line ingest.Record) {
	t.Last = line.Line + int64(line.More)
	if line.Passed == decode.ReasonBlank {
		t.Blank++
	}
}

// sa is the column of the sensitive attribute.
func (t *Table) sa() []equivclass.Code { return t.Codes[t.Schema.SensitiveIndex()] }

// qi are the columns of the quasi-identifiers.
func (t *Table) qi() [][]equivclass.Code { return t.Columns(t.Schema.Quasi()...).Codes }

// points returns the records as points, over the domain that the table itself has.
func (t *Table) points() *equivclass.Pool { return t.Pool(t.Schema.Quasi(), t.Schema.SensitiveIndex()) }

// shown are the attributes that are published: quasi-identifiers, semi-sensitive ones
// among them, in order of the schema, then the sensitive one.
func (t *Table) shown() []int {
	quasi := slices.DeleteFunc(slices.Clone(t.Schema.Quasi()), func(i int) bool {
		_, flag := t.flags[t.Schema.Attributes()[i].Name]
		return flag
	})
	return append(quasi, t.Schema.SensitiveIndex())
}

// published is the table of what is published.
func (t *Table) published() *equivclass.Table { return t.Columns(t.shown()...) }

// flagged is published with the flags of each record, by its columns. Every
// sensitive value is sensitive to its person.
func (t *Table) flagged() *equivclass.FlaggedTable {
	f := &equivclass.FlaggedTable{Table: t.published(), Flags: make([]uint64, t.Len())}
	for at, i := range t.shown() {
		p, semi := t.semi[i]
		if !semi && i != t.Schema.SensitiveIndex() {
			continue
		}
		flag, flagged := t.flags[p.Flag]
		for row := range f.Flags {
			sensitive := true
			if flagged {
				sensitive, _ = parseFlag(t.Dicts[flag].Text(t.Codes[flag][row]))
			}
			if sensitive {
				f.Flags[row] |= 1 << at
			}
		}
	}
	return f
}
