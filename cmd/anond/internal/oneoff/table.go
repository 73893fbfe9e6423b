package oneoff

import (
	"anond/equivclass"
	"anond/ingest"
)

// Table is a table in memory, encoded by its schema.
type Table struct {
	Schema *equivclass.Schema
	// Dicts by attribute of the schema; nil where nothing is published.
	Dicts []*equivclass.Dictionary
	QI    [][]equivclass.Code // by quasi-identifier, then record
	SA    []equivclass.Code   // by record
	Semi  [][]equivclass.Code // by semi-sensitive attribute, then record
	// Private says, by semi-sensitive attribute, then record, whether the value is
	// sensitive.
	Private [][]bool

	Read    int   // records, good or bad
	Blank   int   // lines that hold none
	Last    int64 // number of the last line read
	Unread  ingest.Unread
	Refused []Refused // in order of the file
	Repeats int       // further records of a subject: held, rule S

	subjects map[string]bool
}

// Refused is a line that is no record of the table.
type Refused struct {
	Line      int64             `json:"line"`
	Reason    equivclass.Reason `json:"reason"`
	Attribute string            `json:"attribute,omitempty"`
}

// NewTable returns an empty table.
func NewTable(schema *equivclass.Schema) *Table {
	t := &Table{Schema: schema, QI: make([][]equivclass.Code, schema.D()), Semi: make([][]equivclass.Code, len(schema.Semi())),
		Private: make([][]bool, len(schema.Semi())), subjects: map[string]bool{}}
	for _, a := range schema.Attributes() {
		var d *equivclass.Dictionary
		if a.Role == equivclass.Quasi || a.Role == equivclass.Semi || a.Role == equivclass.Sensitive {
			d = equivclass.NewDictionary(a)
		}
		t.Dicts = append(t.Dicts, d)
	}
	return t
}

// Len returns the number of records that may be published.
func (t *Table) Len() int { return len(t.SA) }

// add takes a decoded row in, or says why not. Of a subject the first record
// counts; the others are held, as the daemon does with subject.repeat first.
func (t *Table) add(row equivclass.Row) (equivclass.Reason, string) {
	if why, attribute := t.check(row); why != equivclass.Accepted {
		return why, attribute
	}
	if i := t.Schema.SubjectIndex(); i >= 0 {
		if t.subjects[string(row[i])] {
			t.Repeats++
			return equivclass.Accepted, ""
		}
		t.subjects[string(row[i])] = true
	}
	for j, i := range t.Schema.Quasi() {
		t.QI[j] = append(t.QI[j], codeOf(t.Dicts[i], row[i]))
	}
	for j, i := range t.Schema.Semi() {
		t.Semi[j] = append(t.Semi[j], codeOf(t.Dicts[i], row[i]))
		private := true
		if f := t.Schema.FlagIndex(i); f >= 0 {
			private, _ = equivclass.ParseFlag(row[f])
		}
		t.Private[j] = append(t.Private[j], private)
	}
	i := t.Schema.SensitiveIndex()
	t.SA = append(t.SA, codeOf(t.Dicts[i], row[i]))
	return equivclass.Accepted, ""
}

// check reports whether every value that is published, and the subject, is there
// and admissible.
func (t *Table) check(row equivclass.Row) (equivclass.Reason, string) {
	for i, d := range t.Dicts {
		if d == nil {
			continue
		}
		if row[i] == nil && (t.Schema.Missing() == equivclass.RefuseMissing || d.Attribute().Type.Numeric()) {
			return equivclass.ReasonMissing, d.Attribute().Name
		}
		if _, _, why := d.Find(row[i]); why != equivclass.Accepted {
			return why, d.Attribute().Name
		}
	}
	for i, a := range t.Schema.Attributes() {
		if a.Role != equivclass.Flag {
			continue
		}
		if _, ok := equivclass.ParseFlag(row[i]); !ok {
			return equivclass.ReasonFlag, a.Name
		}
	}
	if i := t.Schema.SubjectIndex(); i >= 0 && len(row[i]) == 0 {
		return equivclass.ReasonMissing, t.Schema.Attributes()[i].Name
	}
	return equivclass.Accepted, ""
}

// pass counts a line that holds no record.
func (t *Table) pass(line ingest.Record) {
	t.Last = line.Line + int64(line.More)
	if line.Passed == ingest.ReasonBlank {
		t.Blank++
	}
}

func codeOf(d *equivclass.Dictionary, raw []byte) equivclass.Code {
	c, found, _ := d.Find(raw)
	if !found {
		c = d.Add(raw)
	}
	return c
}

// Pool returns the records as points, over the domain that the table itself has.
func (t *Table) Pool() *equivclass.Pool {
	quasi := make([]*equivclass.Dictionary, t.Schema.D())
	for j, i := range t.Schema.Quasi() {
		quasi[j] = t.Dicts[i]
	}
	p := &equivclass.Pool{Space: equivclass.NewSpace(quasi), SA: t.SA, X: make([]float32, 0, t.Len()*len(quasi))}
	for r := range t.Len() {
		for j, d := range quasi {
			p.X = append(p.X, p.Space.Coord(j, d, t.QI[j][r]))
		}
	}
	return p
}

// columns returns dictionaries and codes of what is published: quasi-identifiers
// and semi-sensitive attributes in order of the schema, then the sensitive one.
func (t *Table) columns() (dicts []*equivclass.Dictionary, codes [][]equivclass.Code) {
	quasi, semi := t.QI, t.Semi
	for _, i := range t.Schema.Columns() {
		dicts = append(dicts, t.Dicts[i])
		if t.Schema.Attributes()[i].Role == equivclass.Quasi {
			codes, quasi = append(codes, quasi[0]), quasi[1:]
		} else {
			codes, semi = append(codes, semi[0]), semi[1:]
		}
	}
	return append(dicts, t.Dicts[t.Schema.SensitiveIndex()]), append(codes, t.SA)
}
