package decode

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"anond/equivclass"
	"anond/ingest/dialect"
	"anond/internal/csvfields"
)

// HeaderError lists everything in which the columns of a CSV file differ from
// the schema.
type HeaderError struct{ Faults []string }

func (e *HeaderError) Error() string { return strings.Join(e.Faults, "; ") }

// ErrHeaderSyntax says that a header is no CSV record.
var ErrHeaderSyntax = errors.New("the header is no RFC 4180 record: " + string(csvfields.Malformed))

// ParseHeader splits the header of a CSV file into column names.
func ParseHeader(line []byte, form dialect.Form) ([]string, error) {
	s := csvfields.Splitter{Delimiter: form.Delimiter, Multiline: true} // where the line ends is the source's to say
	if form.Encoding.OneByte() {
		line, _ = form.Encoding.Convert(line)
	}
	fields, fault := s.Fields(line)
	if fault != csvfields.None {
		return nil, ErrHeaderSyntax
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = string(f)
	}
	return names, nil
}

// CheckHeader reports how the columns of a CSV file differ from the schema, all
// faults at once (*HeaderError), each with what would correct it. Every column
// must be an attribute, so that a misspelt one cannot pass as missing; every
// attribute but identifiers and dropped ones must be a column.
//
// Column names are quoted only if most attributes are among them. Else the line
// is likely a record in a file without header, and its texts are a person's
// values (rule V: no value is shown).
//
// others: columns that are no attribute are passed over.
func CheckHeader(schema *equivclass.Schema, header []string, others bool) error {
	missing := missingColumns(schema, header)
	want := 0
	for _, a := range schema.Attributes() {
		if needed(a.Role) {
			want++
		}
	}
	if 2*len(missing) > want {
		return &HeaderError{Faults: []string{fmt.Sprintf(
			"%d of the %d attributes that the schema needs are no column: is this line the header? It must name %s", len(missing), want,
			strings.Join(missing, ", "))}}
	}
	faults := columnFaults(schema, header, others)
	for _, name := range missing {
		faults = append(faults, fmt.Sprintf("column %s is missing: add it to the file, or take attribute %s out of schema.attributes",
			name, name))
	}
	if len(faults) > 0 {
		return &HeaderError{Faults: faults}
	}
	return nil
}

// missingColumns returns the needed attributes that are no column, quoted.
func missingColumns(schema *equivclass.Schema, header []string) []string {
	var names []string
	for _, a := range schema.Attributes() {
		if needed(a.Role) && !slices.Contains(header, a.Name) {
			names = append(names, fmt.Sprintf("%q", a.Name))
		}
	}
	return names
}

func columnFaults(schema *equivclass.Schema, header []string, others bool) []string {
	var faults []string
	for i, name := range header {
		switch known := hasAttribute(schema, name); {
		case !known && others:
		case slices.Contains(header[:i], name):
			faults = append(faults, fmt.Sprintf("column %d repeats the name %q: rename one of the two", i+1, name))
		case !known:
			faults = append(faults, unknownColumn(schema, i, name))
		}
	}
	return faults
}

func hasAttribute(schema *equivclass.Schema, name string) bool {
	return slices.ContainsFunc(schema.Attributes(), func(a equivclass.Attribute) bool { return a.Name == name })
}

func unknownColumn(schema *equivclass.Schema, i int, name string) string {
	for _, a := range schema.Attributes() {
		if foldName(a.Name) == foldName(name) {
			return fmt.Sprintf("column %d is %q, the schema has %q: write both alike", i+1, name, a.Name)
		}
	}
	return fmt.Sprintf("column %d, %q, is not in the schema: declare it under schema.attributes with role drop (or identifier, if it "+
		"names a person), or set schema.others: drop", i+1, name)
}

// foldName makes names equal that differ only in case and separators.
func foldName(name string) string {
	return strings.NewReplacer(" ", "", "_", "", "-", "", ".", "").Replace(strings.ToLower(name))
}
