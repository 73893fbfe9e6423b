package filesrc

import (
	"anond/incremental/state"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"anond/ingest"
)

// file is one file of a source. A followed file stays open; the others are open
// only while they are read, so that a pattern may match thousands.
type file struct {
	path   string
	cfg    *Config
	digest func([]byte) state.Digest
	part   state.Partition
	head   head
	sight
	tried []state.Partition // that it was compared with
	known

	in     *opened // nil while closed
	reader *recordReader
	last   mark  // the last record read
	floor  int64 // state has applied what lies below
	next   int64 // handed out
	// stop bounds a visit: records that start at or above are for a later one.
	stop int64
	end  int64 // last known end, -1 if unknown
	left unread
	grew bool // a line that state has read goes on
	same int  // visits that found the same lines unread
	done bool
}

// known is how far it is known which file it is.
type known struct {
	// identified says that part and head are known, which needs a first record.
	identified bool
	trial      bool // it is only compared
	aside      bool // it was set aside
}

// mark remembers a record by its digest, to notice that the file was rewritten.
type mark struct {
	offset int64
	bytes  int // 0: no record yet
	digest state.Digest
}

// identify reads the head of the file, if the file is there.
func (f *file) identify(ctx context.Context) error {
	h, ok, err := readHead(ctx, f.path, f.cfg)
	if err != nil {
		return err
	}
	f.setLeft(h.unread)
	if f.head = h; !ok {
		return nil
	}
	f.sight, err = look(ctx, f.path, f.cfg)
	f.identified = err == nil
	return err
}

// changed makes the error for a file that does not hold what state has read.
func (f *file) changed(format string, args ...any) error {
	return fmt.Errorf("source file %s: %w: %s. Records may only be appended: put the file back as it was, or start again with an "+
		"empty state and an empty release directory",
		f.path, ingest.ErrReplaced, fmt.Sprintf(format, args...))
}

// cutError: the file is shorter than what was read of it.
type cutError struct{ error }

func (e *cutError) Unwrap() error { return e.error }

func (f *file) remember(r ingest.Record) {
	f.last = mark{offset: r.Offset, bytes: len(r.Value), digest: f.digest(r.Value)}
}

// visit begins a visit to a followed file. It goes as far as the file does now,
// so that one that grows all the time does not keep the others waiting.
func (f *file) visit() error {
	size, err := f.in.size()
	if err != nil {
		return err
	}
	if read := f.reader.off + int64(len(f.reader.buf)); size < read {
		return f.changed("it was cut to %d bytes while it was followed, and %d were read", size, read)
	}
	if size > f.end {
		if err := f.compareLast(); err != nil {
			return err
		}
	}
	f.stop, f.end = size, size
	return nil
}

// compareLast finds a file that was cut and has grown again since the last look.
func (f *file) compareLast() error {
	if f.last.bytes == 0 {
		return nil
	}
	text := make([]byte, f.last.bytes)
	if _, err := f.in.file.ReadAt(text, f.last.offset); err != nil && err != io.EOF {
		return err
	}
	if f.digest(text) != f.last.digest {
		return f.changed("the record at byte %d changed while it was followed", f.last.offset)
	}
	return nil
}

// rotated reports that the path now names another file. A path that names none
// may come back; until then the open file may still grow.
func (f *file) rotated() (bool, error) {
	now, err := os.Stat(f.path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	then, err := f.in.file.Stat()
	return err == nil && !os.SameFile(now, then), err
}

// chunk returns the next lines of the visit; io.EOF: none for now.
func (f *file) chunk(ctx context.Context) (*ingest.Chunk, error) {
	for {
		b, err := f.reader.next(ctx, f.stop, chunkRecords)
		if err == io.EOF {
			return nil, err
		}
		if err != nil {
			return nil, fmt.Errorf("source file %s: %w", f.path, err)
		}
		if b.records, err = f.fresh(b.records); err != nil {
			return nil, err
		}
		if b.next <= f.next {
			continue // blank lines that state knows of
		}
		c := &ingest.Chunk{Partition: f.part, From: f.next, Next: b.next, Records: b.records, Header: f.head.header}
		for _, r := range slices.Backward(b.records) {
			if r.Passed == "" {
				f.remember(r)
				break
			}
		}
		f.next = b.next
		return c, nil
	}
}

// fresh leaves out the lines that state knows of. None of them is a record: the
// last one that it has read was compared.
func (f *file) fresh(records []ingest.Record) ([]ingest.Record, error) {
	for len(records) > 0 && records[0].Offset < f.floor {
		if records[0].Passed == "" {
			return nil, f.changed("a record at byte %d stands where none was read", records[0].Offset)
		}
		records = records[1:]
	}
	return records, nil
}

// present returns the end of what can be read now.
func (f *file) present(ctx context.Context) (int64, error) {
	if f.cfg.packed(f.path) {
		if f.end >= 0 {
			return f.end, nil
		}
		size, err := f.cfg.unpackedSize(ctx, f.path, !f.cfg.Complete)
		if err == nil {
			f.end = size
		}
		return size, err
	}
	o, err := f.cfg.open(f.path)
	if err != nil {
		return 0, err
	}
	size, err := o.size()
	if err == nil && !f.cfg.Complete {
		size, err = o.wholeLines(size)
	}
	return size, errors.Join(err, o.close())
}

// release closes the file until it is read on.
func (f *file) release() error {
	if f.in == nil {
		return nil
	}
	err := f.in.close()
	f.in, f.reader = nil, nil
	return err
}

// noStop reads as far as the file goes.
const noStop = math.MaxInt64
