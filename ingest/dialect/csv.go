package dialect

import (
	"fmt"
	"slices"
	"strings"

	"anond/internal/csvfields"
)

// delimiters are those that are looked for. Of two that fit alike the first is taken.
const delimiters = ",;\t|"

// InWords is a delimiter as YAML and sentences have it.
func InWords(delimiter byte) string {
	if delimiter == '\t' {
		return "tab"
	}
	return `"` + string(rune(delimiter)) + `"`
}

// cut is a text cut into records by a delimiter.
type cut struct {
	delimiter byte
	first     []string
	records   int
	alike     int // with as many fields as the first, and more than one
	empty     int // fields at the end that all of these have empty, as of columns behind the last one
}

// csv says what CSV the text is.
func (d *Found) csv() {
	best, said := cut{}, d.Delimiter
	for _, delimiter := range []byte(delimiters) {
		if said == 0 || delimiter == said {
			if c := cutBy(d.Text, delimiter); best.records == 0 || c.alike*best.records > best.alike*c.records {
				best = c
			}
		}
	}
	if d.Delimiter = 0; best.records == 0 { // a delimiter that is none of these, or nothing but broken lines
		return
	}
	d.Format, d.Delimiter, d.Columns = CSV, best.delimiter, best.first
	if d.Delimiter != ',' {
		why := fmt.Sprintf("has %s between its fields (%d of the first %d records have %d)", InWords(d.Delimiter), best.alike, best.records,
			len(d.Columns))
		if said != 0 {
			why = "says that " + InWords(said) + " stands between its fields"
		}
		d.note(Finding{Of: "delimiter", Why: why, Do: "set source.csv.delimiter: " + InWords(d.Delimiter)})
	}
	d.header(d.Columns[:len(d.Columns)-best.empty])
}

// cutBy cuts a text into records.
func cutBy(text []byte, delimiter byte) cut {
	c, s := cut{delimiter: delimiter}, csvfields.Splitter{Delimiter: delimiter, Multiline: true}
	for tried := 0; len(text) > 0 && tried < mostRecords; tried++ {
		blank := text[0] == '\n'
		fields, fault, rest, _ := s.Next(text, len(c.first))
		if text = rest; blank || fault != csvfields.None && c.first == nil {
			continue
		}
		if c.records++; c.first == nil {
			for _, f := range fields {
				c.first = append(c.first, string(f))
			}
		}
		if fault == csvfields.None && len(fields) == len(c.first) && len(fields) > 1 {
			c.alike++
			if n := emptyEnd(fields); c.alike == 1 || n < c.empty {
				c.empty = n
			}
		}
	}
	return c
}

// emptyEnd counts the empty fields at the end.
func emptyEnd(fields [][]byte) (n int) {
	for n < len(fields) && len(fields[len(fields)-1-n]) == 0 {
		n++
	}
	return n
}

// header says that the first record does not name the columns, but for those that hold nothing.
func (d *Found) header(names []string) {
	against, do := "", "put a line with the names of the columns first, and nothing above it"
	for i, name := range names {
		switch name = strings.TrimSpace(name); {
		case name == "" && i > 0: // R writes no name above its row numbers
			against = "has an empty field"
		case strings.ContainsAny(name, "0123456789") && strings.Trim(name, "0123456789.,-+/: ") == "":
			against = "has a number or date"
		case slices.Contains(names[:i], names[i]):
			against, do = "has a field twice", "give each column a name of its own"
		}
	}
	if against != "" {
		d.note(Finding{Of: "header", Why: "begins with a line that " + against + ", and so is no header",
			Do: do, Fatal: true})
	}
}
