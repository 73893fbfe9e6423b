package profile

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"anond/ingest/dialect"
	"anond/internal/csvfields"
	"anond/internal/fault"
)

// What is looked at of an input at most, whatever it holds.
const (
	SampleBytes   = 32 << 20
	sampleRecords = 200_000
	sampleColumns = 500
	sampleDepth   = 8 // of nested objects
	sampleItems   = 3 // of an array
)

// Sample is the beginning of an input, as it is written.
type Sample struct {
	Text  []byte
	Whole bool // there is no more
}

// ReadSample reads the beginning of a file, most bytes of it, through gzip if its name ends in .gz, or of standard input ("-").
func ReadSample(name string, stdin io.Reader, most int) (*Sample, error) {
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		stdin = f
	}
	if strings.HasSuffix(strings.ToLower(name), ".gz") {
		unpacked, err := gzip.NewReader(stdin)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		stdin = unpacked
	}
	text, err := io.ReadAll(io.LimitReader(stdin, int64(most)+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s := &Sample{Text: text[:min(len(text), most)], Whole: len(text) <= most}
	if end := bytes.LastIndexByte(s.Text, '\n'); !s.Whole && end >= 0 && !bytes.Contains(s.Text[:2], []byte{0}) {
		s.Text = s.Text[:end+1]
	}
	return s, nil
}

// Add takes a message of a topic in, in a line of its own; false: the sample is full.
func (s *Sample) Add(message []byte) bool {
	one := jsontext.Value(bytes.Clone(message))
	if one.Compact() != nil { // no JSON
		one = message
	}
	s.Text = append(append(s.Text, one...), '\n')
	return len(s.Text) < SampleBytes
}

// Sketch is what a sample tells about its columns, before anything is declared of them.
type Sketch struct {
	Found     *dialect.Found
	Records   int
	Whole     bool // there are no more
	Multiline bool // fields of CSV have line breaks
	Columns   []*facts
	Total     int // line of the last row of CSV, if that looks like one of totals, and changes no guess; 0: it does not

	named map[string]*facts // by path, of JSON
	cells []cell            // of a record of JSON
	op    string            // of a change event
}

// cell is a value of a record of JSON, and where it lies.
type cell struct{ path, text string }

// Look makes a sketch of a sample, or says why no configuration reads it, as a predicate of the input.
func Look(s *Sample) (*Sketch, error) {
	head := s.Text[:min(len(s.Text), dialect.MostBytes)]
	k := &Sketch{Found: dialect.Look(head, s.Whole && len(head) == len(s.Text)), Whole: s.Whole, named: map[string]*facts{}}
	for _, f := range k.Found.Findings {
		if f.Fatal {
			return nil, fault.Errorf(fault.Failed, f.Do, "%s", f.Why)
		}
	}
	text, ok := k.Found.Encoding.Convert(s.Text)
	if !ok && k.Found.Encoding == dialect.UTF8 {
		k.Found.Encoding = dialect.Windows1252 // the first bytes alone are in UTF-8
		text, ok = k.Found.Encoding.Convert(s.Text)
	}
	if !ok {
		return nil, fault.Errorf(fault.Failed, "convert it to UTF-8", "is not in one encoding throughout")
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	var err error
	switch k.Found.Format {
	case dialect.CSV:
		err = k.rows(text)
	case dialect.JSON, dialect.Debezium, dialect.DebeziumFlat, dialect.FHIR:
		for line := range bytes.Lines(text) {
			if k.Records == sampleRecords {
				k.Whole = false
				break
			}
			k.object(line)
		}
	default:
		err = fault.Errorf(fault.Failed, "give CSV with a header, or one JSON object a line", "is neither CSV nor lines of JSON")
	}
	if err == nil && k.Records == 0 {
		err = fault.Errorf(fault.Failed, "give some records", "has no record that could be read")
	}
	forms := dateForms()
	for _, c := range k.Columns {
		c.settle(k.Found.Format, forms)
	}
	return k, err
}

// rows reads CSV. A row that has not as many fields as the header is passed over.
func (k *Sketch) rows(text []byte) error {
	all := text
	for range k.Found.Preamble {
		_, text, _ = bytes.Cut(text, []byte{'\n'})
	}
	split := csvfields.Splitter{Delimiter: k.Found.Delimiter, Multiline: true}
	for len(text) > 0 {
		at := len(all) - len(text)
		fields, bad, rest, several := split.Next(text, len(k.Columns))
		text = rest
		switch {
		case bad != csvfields.None, !slices.ContainsFunc(fields, func(f []byte) bool { return len(f) > 0 }),
			len(fields) > 1 && slices.EqualFunc(fields, k.Columns, func(f []byte, c *facts) bool { return string(f) == c.Name }):
			// A run passes over rows without a value, and over the header where it is repeated.
		case k.Records == sampleRecords:
			k.Whole = false
			return nil
		case k.Columns == nil && len(fields) > sampleColumns:
			return fault.Errorf(fault.Failed, "leave some out", "has more than %d columns", sampleColumns)
		case k.Columns == nil:
			for _, f := range fields {
				k.Columns = append(k.Columns, newColumn(string(f), ""))
			}
		case totals(fields) && len(bytes.Trim(rest, "\r\n\""+string(k.Found.Delimiter))) == 0:
			k.Total = 1 + bytes.Count(all[:at], []byte{'\n'})
		case len(fields) == len(k.Columns):
			k.Multiline = k.Multiline || several
			k.Records++
			for i, f := range fields {
				k.Columns[i].take(f)
			}
		}
	}
	return nil
}

var totalWords = words(strings.Fields("sum total totals subtotal summe gesamt gesamtsumme gesamtergebnis insgesamt"))

// totals reports whether a row begins as spreadsheets begin one of totals, and lacks a value.
func totals(fields [][]byte) bool {
	first := slices.IndexFunc(fields, func(f []byte) bool { return len(f) > 0 })
	if first < 0 || !slices.ContainsFunc(fields[first:], func(f []byte) bool { return len(f) == 0 }) {
		return false
	}
	word, _, _ := strings.Cut(strings.ToLower(string(fields[first])), ":")
	return slices.Contains(totalWords, strings.TrimSpace(word))
}

// object reads a record of JSON, whose columns are the places that hold a text, number or flag. Of change events those of inserts count.
func (k *Sketch) object(line []byte) {
	k.cells, k.op = k.cells[:0], ""
	d := jsontext.NewDecoder(bytes.NewBuffer(line))
	if d.PeekKind() != '{' {
		return
	}
	for more := true; more; more = d.StackDepth() > 0 {
		token, err := d.ReadToken()
		if err != nil {
			return
		}
		if isCell(d, token.Kind()) {
			k.note(string(d.StackPointer()), token.String())
		}
	}
	change := k.Found.Format == dialect.Debezium || k.Found.Format == dialect.DebeziumFlat
	if change && k.op != "c" && k.op != "r" {
		return
	}
	k.Records++
	for _, c := range k.cells {
		if column := k.place(c.path); column != nil {
			column.take([]byte(c.text))
		}
	}
}

// isCell reports whether the token that was read last is a text, number or flag where a column may lie.
func isCell(d *jsontext.Decoder, kind jsontext.Kind) bool {
	depth := d.StackDepth()
	for i := 1; i <= depth; i++ {
		in, n := d.StackIndex(i)
		if in == '[' && n > sampleItems || in == '{' && i == depth && n%2 == 1 { // the name of a member
			return false
		}
	}
	return depth <= sampleDepth && !strings.ContainsRune("{}[]n", rune(kind))
}

// note keeps a value of a record, with the path that an attribute has: that of Debezium begins in the row.
func (k *Sketch) note(path, text string) {
	flat, inside := k.Found.Format == dialect.DebeziumFlat, true
	if k.Found.Format == dialect.Debezium {
		path = strings.TrimPrefix(path, "/payload")
	}
	if path == "/op" || flat && path == "/__op" {
		k.op = text
	}
	switch {
	case flat:
		inside = path != "/op" && !strings.HasPrefix(path, "/__")
	case k.Found.Format == dialect.Debezium:
		inside = strings.HasPrefix(path, "/after/")
		path = strings.TrimPrefix(path, "/after")
	}
	if inside {
		k.cells = append(k.cells, cell{path, text})
	}
}

// place is the column of a path; nil: there are too many.
func (k *Sketch) place(path string) *facts {
	c := k.named[path]
	if c != nil || len(k.Columns) >= sampleColumns {
		return c
	}
	steps := strings.Split(strings.NewReplacer("~1", "/", "~0", "~").Replace(path[1:]), "/")
	name, pointer := steps[len(steps)-1], ""
	if strings.Count(path, "/") > 1 {
		steps = slices.DeleteFunc(steps, func(s string) bool { return s == "" || s[0] >= '0' && s[0] <= '9' })
		name, pointer = strings.Join(steps[max(0, len(steps)-2):], "_"), path
	}
	if reserved[name] || name == "" {
		name, pointer = name+"_value", path
	}
	for plain, i := name, 2; k.column(name) != nil; i++ {
		name, pointer = fmt.Sprintf("%s_%d", plain, i), path
	}
	c = newColumn(name, pointer)
	k.named[path] = c
	k.Columns = append(k.Columns, c)
	return c
}
