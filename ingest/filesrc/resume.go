package filesrc

import (
	"anond/incremental/state"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"anond/ingest"
)

// begin opens the file where state stands. It first reads the last record that
// state has applied again, and compares its keyed digest.
func (f *file) begin(ctx context.Context, pos state.Position) error {
	f.floor, f.next, f.left = pos.Next, pos.Next, unread{}
	if !f.cfg.packed(f.path) {
		info, err := os.Stat(f.path)
		if err != nil {
			return fmt.Errorf("source file: %w", err)
		}
		if info.Size() < pos.Next {
			return &cutError{f.changed("it has %d bytes, and %d were read", info.Size(), pos.Next)}
		}
	}
	if pos.Next == 0 || pos.Last < 0 { // no record yet
		return f.openAt(ctx, pos, pos.Next, f.cfg.Multiline)
	}
	return f.resume(ctx, pos)
}

// continues reports, by ErrReplaced, that a file does not hold what was read at a place.
func (f *file) continues(ctx context.Context, pos state.Position) error {
	f.trial = true
	defer func() { f.trial = false }()
	return errors.Join(f.begin(ctx, pos), f.release())
}

// openAt opens the file, anew if it is open, at a byte offset.
func (f *file) openAt(ctx context.Context, pos state.Position, at int64, multiline bool) error {
	if err := f.release(); err != nil {
		return err
	}
	in, err := f.cfg.open(f.path)
	if err != nil {
		return err
	}
	line, err := in.seek(ctx, at, !f.trial)
	if err != nil {
		if in.close(); err == io.EOF {
			err = f.changed("it ends before byte %d, and %d were read", at, pos.Next)
		}
		return err
	}
	f.in, f.reader = in, newReader(in, f.cfg)
	f.reader.place, f.reader.split.columns = place{at, line}, len(f.head.header)
	f.reader.split.multiline, f.reader.split.header = multiline, f.head.line
	if f.cfg.Layout == CSV && at <= f.head.at.off {
		f.reader.header = func([]byte, place) (int, error) { return len(f.head.header), nil }
	}
	return nil
}

// resume goes on after the last record that state has applied, once it is found
// where it was. It is looked for as a record of this configuration and of the
// other setting of multi-line fields, since that may be changed.
func (f *file) resume(ctx context.Context, pos state.Position) error {
	for _, multiline := range []bool{f.cfg.Multiline, f.cfg.Layout == CSV && !f.cfg.Multiline} {
		last, err := f.reread(ctx, pos, multiline)
		if err != nil {
			return err
		}
		if f.isLast(last, last.Value, pos) {
			f.remember(last)
			f.reader.split.multiline = f.cfg.Multiline
			return nil
		}
		if n := pos.Next - pos.Last; last.Passed == "" && n < int64(len(last.Value)) && f.isLast(last, last.Value[:n], pos) {
			last.Value = last.Value[:n]
			f.remember(last)
			return f.resumeInLine(ctx, pos, last.Line)
		}
	}
	return f.changed("the record at byte %d is another one than was read there", pos.Last)
}

// reread reads the last record that state has applied again. It may be a last
// line without line break, taken in where the file was declared complete.
func (f *file) reread(ctx context.Context, pos state.Position, multiline bool) (ingest.Record, error) {
	if err := f.openAt(ctx, pos, pos.Last, multiline); err != nil {
		return ingest.Record{}, err
	}
	f.reader.final = true
	b, err := f.reader.next(ctx, pos.Last+1, 1)
	f.reader.final = f.cfg.Complete
	if err != nil && err != io.EOF || len(b.records) != 1 {
		return ingest.Record{Offset: -1}, ignoreEOF(err)
	}
	return b.records[0], nil
}

func ignoreEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

func (f *file) isLast(r ingest.Record, value []byte, pos state.Position) bool {
	return r.Passed == "" && r.Offset == pos.Last && f.digest(value) == pos.Digest
}

// resumeInLine goes on within a line that was taken in before it was whole.
// What was read of it stays as it was read, for the effect of a record cannot
// be taken back (rule N: nothing is removed); the rest is refused as
// ReasonGrown, so that the dataset goes on and every loss is counted.
func (f *file) resumeInLine(ctx context.Context, pos state.Position, line int64) error {
	if err := f.openAt(ctx, pos, pos.Next, f.cfg.Multiline); err != nil {
		return err
	}
	f.reader.rest = ofLine
	if f.grew || f.trial {
		return nil // the log was told
	}
	f.grew = true
	f.cfg.Log.Warn("a line was read before it was whole: what was read of it stays, the rest is refused", "event", "line_grew",
		"file", f.path, "line", line, "offset", pos.Next)
	return nil
}
