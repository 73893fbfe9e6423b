package filesrc

import (
	"context"
	"errors"
	"fmt"
	"io"

	"anond/ingest"
	"anond/ingest/decode"
)

// head is what a file begins with, and is known by.
type head struct {
	line   []byte   // the header as it stands; nil without one
	header []string // the columns
	at     place    // of the header
	first  []byte   // the first record
	fault  error    // what is wrong with the header
	before int      // lines before the first record
	unread unread   // where the file ends before its first record is whole
}

// readHead reads header and first record. ok is false while they are not both
// there.
func readHead(ctx context.Context, path string, cfg *Config) (h head, ok bool, err error) {
	o, err := open(path)
	if err != nil {
		return h, false, err
	}
	r := newReader(o, cfg)
	r.block = headBytes
	r.header = h.take(cfg, path)
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
		h.header, err = decode.ParseHeader(line)
		if err == nil && cfg.CheckHeader != nil {
			err = cfg.CheckHeader(h.header)
		}
		if err != nil {
			h.fault = fmt.Errorf("%s:%d: %w", name, at.line, err)
		}
		return len(h.header), h.fault
	}
}

// newReader returns a reader of a stream at its start.
func newReader(in input, cfg *Config) *recordReader {
	return &recordReader{in: in, split: cfg.splitter(), final: cfg.Complete, block: blockBytes, place: place{line: 1}}
}
