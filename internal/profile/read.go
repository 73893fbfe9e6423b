package profile

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"anond/config"
	"anond/equivclass"
	"anond/incremental/state"
	"anond/ingest"
	"anond/ingest/decode"
	"anond/ingest/dialect"
	"anond/ingest/filesrc"
	"anond/internal/fault"
)

// Input says where a table is. Name "-" is Stdin.
type Input struct {
	Name   string
	Stdin  io.Reader
	Format decode.Format // empty: by the name, CSV unless it ends in .ndjson, .jsonl or .json
	Lines  decode.Format // what files of such a name hold; empty: JSON
	// Multiline takes line breaks in quoted fields of CSV; Complete takes a last
	// line without line break for whole (standard input's always is).
	Multiline, Complete bool
	Paths               map[string]string // where attributes lie in JSON
	Form                dialect.Form      // how CSV is written
	Dates               map[string]dialect.DateForm
	DropOthers          bool // columns that are no attribute are passed over
	// Extend gives the schema with columns that are read along and not published; nil: there are none.
	Extend func(*equivclass.Schema) (*equivclass.Schema, []Column, error)
}

// Register gives a command the flags that say how the file is to be read.
func (in *Input) Register(flags *pflag.FlagSet) {
	flags.Func("format", "`format`: csv or json; default: by the name of the file", func(text string) error {
		if in.Format = decode.Format(text); in.Format != decode.CSV && in.Format != decode.JSON {
			return fmt.Errorf("format %q is not known", text)
		}
		return nil
	})
	flags.BoolVar(&in.Multiline, "multiline", false, "quoted CSV fields may contain line breaks; otherwise a record is one line")
	flags.BoolVar(&in.Complete, "complete", false, "read a last line without line break as complete; otherwise it is left unread")
}

func (in *Input) format() decode.Format {
	if in.Format != "" {
		return in.Format
	}
	name := strings.TrimSuffix(strings.ToLower(in.Name), ".gz")
	for _, end := range []string{".ndjson", ".jsonl", ".json"} {
		if strings.HasSuffix(name, end) {
			return cmp.Or(in.Lines, decode.JSON)
		}
	}
	return decode.CSV
}

// ReadFor is Read of data as a run of a configuration would read them.
func ReadFor(ctx context.Context, c *config.Config, in Input) (*Table, error) {
	in.Paths, in.Form, in.Dates, in.DropOthers = c.Paths(), c.Source.CSV.Form, c.Dates(), c.Others == config.DropOthers
	in.Multiline = in.Multiline || c.Source.CSV.Multiline
	if c.Source.Format != config.CSV {
		in.Lines = decode.Format(c.Source.Format)
	}
	return Read(ctx, in, c.Schema())
}

// Read reads a whole table. Lines that are no record are listed in the table;
// an error means that the file as a whole cannot be read.
func Read(ctx context.Context, in Input, schema *equivclass.Schema) (t *Table, err error) {
	var further []Column
	if in.Extend != nil {
		if schema, further, err = in.Extend(schema); err != nil {
			return nil, err
		}
	}
	t = newTable(schema, further)
	decoder, err := decode.New(in.format(), schema, decode.Options{Multiline: in.Multiline, Form: in.Form, DropOthers: in.DropOthers,
		Dates: in.Dates, Paths: in.Paths})
	if err != nil {
		return nil, err
	}
	source, err := open(ctx, in, func(header []string) error {
		if err := decode.CheckHeader(schema, header, in.DropOthers); err != nil {
			return &HeaderFault{error: err, Write: lacking(schema, header)}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	row := make(equivclass.Row, len(schema.Attributes()))
	for err == nil {
		var chunk *ingest.Chunk
		if chunk, err = source.Next(ctx); err == nil {
			for i := range chunk.Records {
				t.take(&chunk.Records[i], chunk.Header, decoder, row)
			}
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	t.Unread = source.Status().Unread
	return t, errors.Join(err, source.Close())
}

// HeaderFault says that a run would refuse the columns of a file.
type HeaderFault struct {
	error
	Write []string // elements of schema.attributes that name the columns that it lacks, as YAML
}

func (e *HeaderFault) Unwrap() error { return e.error }

// Fault implements fault.Fault.
func (e *HeaderFault) Fault() (fault.Kind, string) {
	hint := "schema.attributes and the columns must fit"
	if len(e.Write) > 0 {
		hint += ": add " + strings.Join(e.Write, " and ")
	}
	return fault.Config, hint
}

// lacking writes the elements that a schema lacks, if most of what it has is among the columns. Else the line may hold a person's values
// (rule V, values).
func lacking(schema *equivclass.Schema, header []string) (out []string) {
	known := 0
	for _, name := range header {
		if slices.ContainsFunc(schema.Attributes(), func(a equivclass.Attribute) bool { return a.Name == name }) {
			known++
		} else {
			out = append(out, fmt.Sprintf("- {name: %s, role: drop}", yamlText(name)))
		}
	}
	if 2*known < len(schema.Attributes()) {
		return nil
	}
	return out
}

func open(ctx context.Context, in Input, checkHeader func([]string) error) (ingest.Source, error) {
	cfg := filesrc.Config{Layout: filesrc.NDJSON, Complete: in.Complete, Apart: true}
	if in.format() == decode.CSV {
		cfg.Layout, cfg.Form, cfg.CheckHeader, cfg.Multiline = filesrc.CSV, in.Form, checkHeader, in.Multiline
	}
	if in.Name == "-" {
		cfg.Stdin = in.Stdin
	} else {
		cfg.Paths = []string{literalPath(in.Name)}
	}
	return filesrc.Open(ctx, cfg, ingest.Resume{Once: true, Digest: digest})
}

// digest identifies the file within this run; nothing of it is kept.
func digest(b []byte) state.Digest {
	sum := sha256.Sum256(b)
	return state.Digest(sum[:16])
}

// literalPath quotes what filepath.Match would take for a pattern.
func literalPath(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
