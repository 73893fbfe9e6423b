package dialect

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"anond/internal/csvfields"
)

// delimiters are those that are looked for. Of two that fit alike the first is taken.
var delimiters = []byte{',', ';', '\t', '|'}

// InWords is a delimiter as YAML and sentences have it.
func InWords(delimiter byte) string {
	if delimiter == '\t' {
		return "tab"
	}
	return `"` + string(rune(delimiter)) + `"`
}

// cut is a text cut into records by a delimiter.
type cut struct {
	records   [][]string
	alike     int // records with as many fields as the first
	multiline int
}

// csv says what CSV the text is.
func (d *Found) csv() {
	best, said := cut{}, d.Delimiter
	for _, delimiter := range delimiters {
		if said != 0 && delimiter != said {
			continue
		}
		c := cutBy(d.Text, delimiter)
		if d.Delimiter == 0 || len(best.records) == 0 || c.alike*len(best.records) > best.alike*len(c.records) {
			d.Delimiter, best = delimiter, c
		}
	}
	if len(best.records) == 0 { // a delimiter that is none of these, or nothing but broken lines
		d.Delimiter = 0
		return
	}
	d.Format, d.Columns = CSV, best.records[0]
	d.note(Finding{Of: "format", Why: "is CSV", Key: "source.format", Value: string(CSV)})
	if d.Delimiter != ',' {
		why := fmt.Sprintf("has %s between its fields (%d of the first %d records have %d)", InWords(d.Delimiter), best.alike, len(best.records),
			len(d.Columns))
		if said != 0 {
			why = "says that " + InWords(said) + " stands between its fields"
		}
		d.note(Finding{Of: "delimiter", Why: why, Key: "source.csv.delimiter", Value: InWords(d.Delimiter)})
	}
	if d.Multiline = best.multiline > 0; d.Multiline {
		d.note(Finding{Of: "multiline", Why: fmt.Sprintf("has line breaks in quoted fields (%d records)", best.multiline),
			Key: "source.csv.multiline", Value: "true"})
	}
	d.decimal(best.records)
	d.header(best.records)
}

// longest bounds a record of several lines that is looked for: a quote that nobody closes costs no more than that.
const longest = 16 << 10

// cutBy cuts a text into records. One with a single field counts as like the first only if no delimiter gives more.
func cutBy(text []byte, delimiter byte) (c cut) {
	s := csvfields.Splitter{Delimiter: delimiter, Multiline: true}
	fields := 0
	for tried := 0; len(text) > 0 && tried < MostRecords; tried++ {
		window := text[:min(len(text), longest)]
		end, n, what := s.Record(window, len(window) == len(text))
		line := bytes.IndexByte(text, '\n')
		if line < 0 {
			line = len(text)
		}
		if what != csvfields.Whole || end > line && fields > 0 && n != fields {
			end = line
		}
		record := text[:end]
		text = text[min(len(text), end+1):]
		if len(record) == 0 {
			continue
		}
		got, fault := s.Fields(record)
		if fault != csvfields.None {
			if fields > 0 {
				c.records = append(c.records, nil)
			}
			continue
		}
		row := make([]string, len(got))
		for i, f := range got {
			row[i] = string(f)
		}
		if fields == 0 {
			fields = len(row)
		}
		if c.records = append(c.records, row); len(row) == fields && fields > 1 {
			c.alike++
			if end > line {
				c.multiline++
			}
		}
	}
	return c
}

// decimal finds the sign before fractions.
func (d *Found) decimal(records [][]string) {
	commas, points := 0, 0
	for _, row := range records[1:] {
		for _, field := range row {
			switch sign := fraction(field); sign {
			case ',':
				commas++
			case '.':
				points++
			}
		}
	}
	switch {
	case commas > points:
		d.Decimal = ','
		d.note(Finding{Of: "decimal", Why: fmt.Sprintf("has a comma in %d numbers, and a point in %d", commas, points), Key: "source.csv.decimal",
			Value: `","`})
	case points > 0:
		d.Decimal = '.'
	}
}

// fraction is the sign before the fraction of a number; 0: the text is none, or has no fraction. A comma before three digits
// may part thousands, and says nothing.
func fraction(text string) byte {
	text = strings.TrimLeft(text, "+-")
	at := strings.IndexAny(text, ",.")
	if at < 1 || at == len(text)-1 || len(text) > 20 || !digits(text[:at]) || !digits(text[at+1:]) || text[at] == ',' && len(text)-at == 4 {
		return 0
	}
	return text[at]
}

func digits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// header says whether the first record names the columns.
func (d *Found) header(records [][]string) {
	first, against := records[0], ""
	for i, name := range first {
		switch {
		case strings.TrimSpace(name) == "" && i > 0: // R writes no name above its row numbers
			against = "has an empty field"
		case value(name):
			against = "has a number or date"
		case slices.Contains(first[:i], name):
			against = "has a field twice"
		}
	}
	if d.Header = against == ""; !d.Header {
		d.note(Finding{Of: "header", Why: "begins with a line that " + against + ", and so is no header",
			Do:    "put a line with the names of the columns first",
			Fatal: true})
	}
}

// value reports whether a text is a number or looks like a date.
func value(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && strings.ContainsAny(text, "0123456789") && strings.Trim(text, "0123456789.,-+/: ") == ""
}
