package filesrc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"anond/ingest"
	"anond/ingest/decode"
	"anond/ingest/dialect"
	"anond/internal/fault"
)

// head is what a file begins with, and is known by.
type head struct {
	line   []byte   // the header as it stands; nil without one
	header []string // the columns
	at     place    // of the header
	first  []byte   // the first record
	fault  error    // what is wrong with the header
	before int      // lines before the first record
	begins []byte   // what was looked at, until the header is judged
	unread unread   // where the file ends before its first record is whole
}

// readHead reads header and first record. ok is false while they are not both
// there.
func readHead(ctx context.Context, path string, cfg *Config) (h head, ok bool, err error) {
	o, err := cfg.open(path)
	if err != nil {
		return h, false, err
	}
	r := newReader(o, cfg)
	r.block = headBytes
	r.header, r.look = h.take(cfg, path), h.look(cfg, path)
	for err == nil && h.first == nil {
		var b batch
		b, err = r.next(ctx, noStop, 1)
		h.note(b.records)
	}
	end := r.unread()
	err = errors.Join(err, o.close())
	switch {
	case h.fault != nil:
		return h, false, h.fault
	case errors.Is(err, io.EOF):
		h.unread = end
		return h, false, nil
	case err != nil:
		return h, false, fmt.Errorf("source file %s: %w", path, err)
	}
	return h, true, nil
}

// note takes what a read brought: lines without record, or the first record.
func (h *head) note(records []ingest.Record) {
	for _, r := range records {
		if r.Passed == "" {
			h.first = r.Value
			return
		}
		h.before += 1 + r.More
	}
}

// take returns what makes a recordReader put the header of a CSV file into h and
// judge it. The fault names the place: file and line.
func (h *head) take(cfg *Config, name string) func([]byte, place) (int, error) {
	if cfg.Layout != CSV {
		return nil
	}
	return func(line []byte, at place) (columns int, err error) {
		h.line, h.at = line, at
		h.header, err = decode.ParseHeader(line, cfg.Form)
		if err == nil && cfg.CheckHeader != nil {
			err = cfg.CheckHeader(h.header)
		}
		if err != nil {
			h.fault = fault.With(fault.Config, h.appears(cfg), fmt.Errorf("%s:%d: %w", name, at.line, err))
		}
		h.begins = nil
		return len(h.header), h.fault
	}
}

// look returns what makes a recordReader refuse what no setting can read, or another one.
func (h *head) look(cfg *Config, name string) func([]byte, bool) error {
	return func(beginning []byte, whole bool) error {
		if cfg.Layout == CSV {
			h.begins = beginning
		}
		if dialect.Plain(beginning, whole) {
			return nil
		}
		for _, f := range dialect.Look(beginning, whole).Findings {
			if f.Of == "container" || f.Of == "line ends" || f.Of == "encoding" && cmp.Or(cfg.Form.Encoding, dialect.UTF8) == dialect.UTF8 {
				h.fault = fault.Errorf(fault.Config, f.Do, "%s %s", name, f.Why)
				return h.fault
			}
		}
		return nil
	}
}

// appears says what a header that does not fit looks like.
func (h *head) appears(cfg *Config) string {
	seen, delimiter := dialect.Look(h.begins, false), cmp.Or(cfg.Form.Delimiter, ',')
	if seen.Delimiter == ',' && delimiter != ',' && len(seen.Columns) > 1 {
		return `the file has "," between its fields: remove source.csv.delimiter`
	}
	of := "header"
	if seen.Delimiter != delimiter {
		of = "delimiter"
	}
	if f, ok := seen.Of(of); ok {
		return "the file " + f.String()
	}
	return ""
}

// newReader returns a reader of a stream at its start.
func newReader(in input, cfg *Config) *recordReader {
	return &recordReader{in: in, split: cfg.splitter(), final: cfg.Complete, block: blockBytes, code: cfg.Form.Encoding,
		place: place{line: 1}}
}
