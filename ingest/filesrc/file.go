package filesrc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"anond/incremental"
	"anond/ingest"
)

// file is one file of a source. A followed file stays open; the others are open
// only while they are read, so that a pattern may match thousands.
type file struct {
	path   string
	cfg    *Config
	digest func([]byte) incremental.Digest
	part   incremental.Partition
	header []string
	// identified says that part and header are known, which needs a first record.
	identified bool

	in     *opened // nil while closed
	reader *recordReader
	last   mark  // the last record read
	floor  int64 // state has applied what lies below
	next   int64 // handed out
	// stop bounds a visit: records that start at or above are for a later one.
	stop int64
	end  int64 // last known end, -1 if unknown
	done bool
}

// mark remembers a record by its digest, to notice that the file was rewritten.
type mark struct {
	offset int64
	bytes  int // 0: no record yet
	digest incremental.Digest
}

// identify reads the head of the file, if it is there by now.
func (f *file) identify(ctx context.Context) error {
	h, ok, err := readHead(ctx, f.path, f.cfg)
	if err != nil || !ok {
		return err
	}
	f.header, f.part, f.identified = h.header, h.partition(f.digest), true
	return nil
}

// changed makes the error for a file that does not hold what state has read.
func (f *file) changed(format string, args ...any) error {
	return fmt.Errorf("source file %s: %w: %s. Records may only be appended: put the file back as it was, or begin anew with an empty state and release directory",
		f.path, ingest.ErrReplaced, fmt.Sprintf(format, args...))
}

// begin opens the file where state stands. It first reads the last record that
// state has applied again, and compares its keyed digest.
func (f *file) begin(ctx context.Context, pos incremental.Position) error {
	in, err := open(f.path)
	if err != nil {
		return err
	}
	f.in = in
	f.reader = newReader(in, f.cfg)
	if pos.Next == 0 {
		if f.cfg.Layout == CSV {
			f.reader.header = func([]byte, int64) error { return nil }
		}
		return nil
	}
	f.floor, f.next = pos.Next, pos.Next
	if in.zip == nil {
		size, err := in.size()
		if err != nil {
			return err
		}
		if size < pos.Next {
			return f.changed("it has %d bytes, and %d were read", size, pos.Next)
		}
	}
	return f.resume(ctx, pos)
}

func (f *file) resume(ctx context.Context, pos incremental.Position) error {
	start := pos.Next
	if pos.Last >= 0 {
		start = pos.Last
	}
	line, err := f.in.seek(ctx, start)
	if err == io.EOF {
		return f.changed("it ends before byte %d, and %d were read", start, pos.Next)
	}
	if err != nil {
		return err
	}
	f.reader.off, f.reader.line = start, line
	if pos.Last < 0 {
		return nil
	}
	b, err := f.reader.next(ctx, start+1, 1)
	if err != nil && err != io.EOF {
		return err
	}
	if len(b.records) == 1 {
		f.remember(b.records[0])
	}
	if f.last.bytes == 0 || f.last.offset != pos.Last || f.last.digest != pos.Digest {
		return f.changed("the record at byte %d is another one than was read there", pos.Last)
	}
	return nil
}

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

// rotated reports that the path leads to another file by now. One that is gone
// may come back; until then the open one may still grow.
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

// chunk returns the next records of the visit; io.EOF: none for now.
func (f *file) chunk(ctx context.Context) (*ingest.Chunk, error) {
	for {
		b, err := f.reader.next(ctx, f.stop, chunkRecords)
		if err == io.EOF {
			return nil, err
		}
		if err != nil {
			return nil, fmt.Errorf("source file %s: %w", f.path, err)
		}
		if len(b.records) > 0 && b.records[0].Offset < f.floor {
			return nil, f.changed("a record at byte %d stands where none was read", b.records[0].Offset)
		}
		if b.next <= f.next {
			continue // blank lines that state knows of
		}
		c := &ingest.Chunk{Partition: f.part, From: f.next, Next: b.next, Records: b.records, Header: f.header}
		if n := len(b.records); n > 0 {
			f.remember(b.records[n-1])
		}
		f.next = b.next
		return c, nil
	}
}

// present returns the end of what can be read now.
func (f *file) present(ctx context.Context) (int64, error) {
	if packed(f.path) {
		if f.end >= 0 {
			return f.end, nil
		}
		size, err := unpackedSize(ctx, f.path)
		if err == nil {
			f.end = size
		}
		return size, err
	}
	o, err := open(f.path)
	if err != nil {
		return 0, err
	}
	size, err := o.size()
	if err == nil && f.cfg.Follow {
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
