package filesrc

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"anond/ingest"
	"anond/ingest/decode"
	"anond/ingest/dialect"
	"anond/internal/fault"
)

// Sizes of reading: a block holds some 2,000 records of a usual size, and a head
// is usually one record.
const (
	blockBytes   = 256 << 10
	headBytes    = 8 << 10
	chunkRecords = 4096
)

// input is a stream of bytes. io.EOF says that there is no more for now.
type input interface {
	read(ctx context.Context, p []byte) (int, error)
}

// batch is a contiguous run of records. It covers [from, next).
type batch struct {
	from, next int64
	records    []ingest.Record
}

var byteOrderMark = []byte("\ufeff")

// recordReader turns a stream into batches of records. A record's bytes are
// never written again once they are handed out: the buffer only grows behind
// them, and is replaced, not reused, when it is full.
type recordReader struct {
	in    input
	split splitter
	// final: what is there when the stream ends for now is all of it, and a last
	// line without line break is a record.
	final bool
	block int // bytes read at a time
	// header takes the first line that is not blank, if set, and counts its columns.
	header func(line []byte, at place) (columns int, err error)
	// look is shown the beginning of the stream, and says why none of it can be read; nil: nobody asks.
	look func(beginning []byte, whole bool) error
	code dialect.Encoding // of its lines
	// doubted is behind the last piece read that as a whole is not in the encoding: in front of it a line may be in another one.
	doubted int64

	buf []byte // read and not taken yet; buf[0] is the byte at off
	place
	skip *ingest.Record // a record that is too long, whose end is not found yet
	rest restOf         // what the text at off is the rest of
}

// place is a place in a file.
type place struct {
	off  int64
	line int64 // number of the line at off, from 1; 0: unknown
}

// restOf says that the text at a reader's place is not the start of a line, but
// what came after a last line without line break had been taken in (final).
type restOf int

const (
	ofNothing restOf = iota
	ofLine           // it is refused, since half a line must not be taken for a record
	ofLong           // of a line that is refused as too long: passed with it
)

// position is where a reader that starts again has to start.
func (r *recordReader) position() int64 {
	if r.skip != nil {
		return r.skip.Offset
	}
	return r.off
}

// next returns the records that start below stop, up to max of them, as soon as
// there is one. io.EOF: the stream has nothing whole for now.
func (r *recordReader) next(ctx context.Context, stop int64, max int) (batch, error) {
	b := batch{from: r.position()}
	err := r.gather(ctx, &b, stop, max)
	if b.next = r.position(); err == nil && b.next == b.from {
		err = io.EOF
	}
	return b, err
}

func (r *recordReader) gather(ctx context.Context, b *batch, stop int64, max int) error {
	for r.position() < stop {
		if err := r.take(b, stop, max, false); err != nil || len(b.records) > 0 {
			return err
		}
		switch err := r.fill(ctx); {
		case err == io.EOF && r.final:
			return r.take(b, stop, max, true)
		case err == io.EOF:
			return r.judge(true)
		case err != nil:
			return err
		}
	}
	return nil
}

// shrink gives memory back while nothing comes.
func (r *recordReader) shrink() { r.buf = bytes.Clone(r.buf) }

// fill reads once.
func (r *recordReader) fill(ctx context.Context) error {
	if cap(r.buf)-len(r.buf) < r.block/8 {
		grown := make([]byte, len(r.buf), max(r.block, 2*len(r.buf)))
		copy(grown, r.buf)
		r.buf = grown
	}
	n, err := r.in.read(ctx, r.buf[len(r.buf):cap(r.buf)])
	if !r.code.Has(r.buf[len(r.buf) : len(r.buf)+n]) {
		r.doubted = r.off + int64(len(r.buf)+n)
	}
	r.buf = r.buf[:len(r.buf)+n]
	if n > 0 && err == io.EOF {
		return nil // it will come again
	}
	return err
}

// take moves whole records from the buffer to the batch.
func (r *recordReader) take(b *batch, stop int64, max int, final bool) error {
	if err := r.judge(final); err != nil {
		return err
	}
	if r.off == 0 && !r.dropMark(final) {
		return nil
	}
	if r.skip != nil {
		if done, err := r.passLong(b, final); err != nil || !done {
			return err
		}
	}
	for len(b.records) < max && r.off < stop && len(r.buf) > 0 {
		end, next, what := r.scan(final)
		switch what {
		case incomplete:
			return nil
		case tooLong:
			r.startLong()
			if done, err := r.passLong(b, final); err != nil || !done {
				return err
			}
		case complete:
			if err := r.takeLine(b, r.buf[:end:end], next); err != nil {
				return err
			}
		}
	}
	return nil
}

// telling is how many bytes of a beginning without line break tell what it is.
const telling = 512

// judge shows the beginning of the stream around, once that tells something, or where the stream ends for now.
func (r *recordReader) judge(ends bool) error {
	if r.look == nil || r.off > 0 || len(r.buf) == 0 || !ends && len(r.buf) < telling && bytes.IndexByte(r.buf, '\n') < 0 {
		return nil
	}
	err := r.look(r.buf, ends && r.final)
	if !ends {
		r.look = nil
	}
	return err
}

// scan finds the line or record at off. The rest of a line ends where it does.
func (r *recordReader) scan(final bool) (end, next int, what found) {
	split := r.split
	split.multiline = split.multiline && r.rest == ofNothing
	return split.scan(r.buf, final)
}

// takeLine judges the line that starts at off, and passes it.
func (r *recordReader) takeLine(b *batch, line []byte, next int) error {
	record := ingest.Record{Offset: r.off, Line: r.line, Value: line}
	rest := r.rest
	switch {
	case rest == ofLine:
		record.Refused = decode.ReasonGrown
	case rest == ofLong:
	case r.off < r.doubted && !r.code.Has(line):
		return r.notInCode(line)
	case r.split.blank(line):
		record.Passed = decode.ReasonBlank
	case r.header != nil && r.split.delimiter == dialect.SeparatorLine(line):
		record.Passed = decode.ReasonHeaderLine
	case r.header != nil:
		columns, err := r.header(line, r.place)
		if err != nil {
			return err
		}
		r.header, r.split.columns, r.split.header = nil, columns, line
		record.Passed = decode.ReasonHeaderLine
	case r.split.again(line):
		record.Passed = decode.ReasonHeaderLine
	}
	if r.split.multiline {
		record.More = bytes.Count(line, []byte{'\n'})
	}
	if r.buf[next-1] == '\n' {
		r.rest = ofNothing
	} else if rest == ofNothing {
		r.rest = ofLine
	}
	if b.records == nil {
		b.records = make([]ingest.Record, 0, min(chunkRecords, 1+len(r.buf)/(len(line)+1)))
	}
	r.pass(next)
	if record.Passed != "" {
		record.Value, record.End = nil, r.off
	}
	if rest == ofNothing || rest == ofLine && len(line) > 0 { // else the end of a line that is counted
		b.records = append(b.records, record)
	}
	return nil
}

// notInCode says that the line at off is not in the encoding. If it were refused alone, exactly those would be left out whose
// values have a character that is not ASCII.
func (r *recordReader) notInCode(line []byte) error {
	at := fmt.Sprintf("line %d", r.line)
	if r.line == 0 {
		at = fmt.Sprintf("the line at byte %d", r.off)
	}
	hint := "set source.csv.encoding to what the file is in, or convert it"
	if found, ok := dialect.Look(line, true).Of("encoding"); !r.split.csv {
		hint = "convert the file to UTF-8, with iconv for instance"
	} else if ok && cmp.Or(r.code, dialect.UTF8) == dialect.UTF8 {
		hint = found.Do + ", or, where the state has records, convert the file"
	}
	return fault.Errorf(fault.Config, hint, "%s is not %s", at, strings.ToUpper(string(cmp.Or(r.code, dialect.UTF8))))
}

// pass goes on by n bytes.
func (r *recordReader) pass(n int) {
	if r.line > 0 {
		r.line += int64(bytes.Count(r.buf[:n], []byte{'\n'}))
	}
	r.buf = r.buf[n:]
	r.off += int64(n)
}

// dropMark passes a byte order mark. false: more bytes are needed to tell.
func (r *recordReader) dropMark(final bool) bool {
	switch {
	case bytes.HasPrefix(r.buf, byteOrderMark):
		r.pass(len(byteOrderMark))
	case !final && bytes.HasPrefix(byteOrderMark, r.buf):
		return false
	}
	return true
}
