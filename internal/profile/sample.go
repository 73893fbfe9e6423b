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
	Columns   []*Facts

	named map[string]*Facts // by path, of JSON
	cells []cell            // of a record of JSON
	op    string            // of a change event
}

// cell is a value of a record of JSON, and where it lies.
type cell struct{ path, text string }

// Look makes a sketch of a sample, or says why no configuration reads it, as a predicate of the input.
func Look(s *Sample) (*Sketch, error) {
	head := s.Text[:min(len(s.Text), dialect.MostBytes)]
	k := &Sketch{Found: dialect.Look(head, s.Whole && len(head) == len(s.Text)), Whole: s.Whole, named: map[string]*Facts{}}
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
			if k.object(bytes.TrimSpace(line)); k.Records >= sampleRecords {
				k.Whole = false
				break
			}
		}
	default:
		err = fault.Errorf(fault.Failed, "give CSV with a header, or one JSON object a line", "is neither CSV nor lines of JSON")
	}
	if err == nil && k.Records == 0 {
		err = fault.Errorf(fault.Failed, "give some records", "has no record that could be read")
	}
	return k, err
}

// rows reads CSV. A row that has not as many fields as the header is passed over.
func (k *Sketch) rows(text []byte) error {
	for range k.Found.Preamble {
		_, text, _ = bytes.Cut(text, []byte{'\n'})
	}
	split := csvfields.Splitter{Delimiter: k.Found.Delimiter, Multiline: true}
	var header []byte
	for len(text) > 0 && k.Records < sampleRecords {
		fields, bad, rest, several := split.Next(text, len(k.Columns))
		row := text[:len(text)-len(rest)] // with its line break
		text = rest
		switch {
		case bad != csvfields.None:
		case len(fields) > 1 && bytes.Equal(row, header), !slices.ContainsFunc(fields, func(f []byte) bool { return len(f) > 0 }):
			// A run passes over both.
		case k.Columns == nil:
			if len(fields) > sampleColumns {
				return fault.Errorf(fault.Failed, "leave some out", "has more than %d columns", sampleColumns)
			}
			header = row
			for _, f := range fields {
				k.Columns = append(k.Columns, newColumn(string(f), ""))
			}
		case len(fields) == len(k.Columns):
			k.Multiline = k.Multiline || several
			k.Records++
			for i, f := range fields {
				k.Columns[i].take(f)
			}
		}
	}
	k.Whole = k.Whole && len(text) == 0
	return nil
}

// object reads a record of JSON, whose columns are the places that hold a text, number or flag. Of change events those of inserts count.
func (k *Sketch) object(line []byte) {
	if len(line) == 0 {
		return
	}
	k.cells, k.op = k.cells[:0], ""
	d := jsontext.NewDecoder(bytes.NewBuffer(line))
	if d.PeekKind() != '{' || k.value(d, "", 0) != nil {
		return
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

// value reads what lies at a path.
func (k *Sketch) value(d *jsontext.Decoder, path string, depth int) error {
	kind := d.PeekKind()
	if kind == '[' || kind == '{' {
		if depth == sampleDepth {
			return d.SkipValue()
		}
		if _, err := d.ReadToken(); err != nil {
			return err
		}
		for i := 0; d.PeekKind() != ']' && d.PeekKind() != '}'; i++ {
			step := fmt.Sprint(i)
			if kind == '{' {
				name, err := d.ReadToken()
				if err != nil {
					return err
				}
				step = strings.NewReplacer("~", "~0", "/", "~1").Replace(name.String())
			}
			err := error(nil)
			if kind == '[' && i >= sampleItems {
				err = d.SkipValue()
			} else {
				err = k.value(d, path+"/"+step, depth+1)
			}
			if err != nil {
				return err
			}
		}
		_, err := d.ReadToken()
		return err
	}
	token, err := d.ReadToken()
	if err == nil && kind != 'n' {
		k.note(path, token.String())
	}
	return err
}

// note keeps a value of a record, with the path that an attribute has: that of Debezium begins in the row.
func (k *Sketch) note(path, text string) {
	switch k.Found.Format {
	case dialect.Debezium:
		path = strings.TrimPrefix(path, "/payload")
		if path == "/op" {
			k.op = text
		}
		inside := strings.HasPrefix(path, "/after/")
		if path = strings.TrimPrefix(path, "/after"); !inside {
			return
		}
	case dialect.DebeziumFlat:
		if path == "/__op" || path == "/op" {
			k.op = text
		}
		if path == "/op" || strings.HasPrefix(path, "/__") {
			return
		}
	}
	k.cells = append(k.cells, cell{path, text})
}

// place is the column of a path; nil: there are too many.
func (k *Sketch) place(path string) *Facts {
	c := k.named[path]
	if c != nil || len(k.Columns) >= sampleColumns {
		return c
	}
	steps := strings.Split(strings.NewReplacer("~1", "/", "~0", "~").Replace(path[1:]), "/")
	name, pointer := steps[len(steps)-1], ""
	if strings.Count(path, "/") > 1 {
		pointer = path
		var words []string
		for _, s := range steps {
			if s != "" && (s[0] < '0' || s[0] > '9') {
				words = append(words, s)
			}
		}
		name = strings.Join(words[max(0, len(words)-2):], "_")
	}
	taken := func() bool {
		for _, other := range k.Columns {
			if other.Name == name {
				return true
			}
		}
		return false
	}
	if reserved[name] || name == "" {
		name, pointer = name+"_value", path
	}
	for plain, i := name, 2; taken(); i++ {
		name, pointer = fmt.Sprintf("%s_%d", plain, i), path
	}
	c = newColumn(name, pointer)
	k.named[path] = c
	k.Columns = append(k.Columns, c)
	return c
}
