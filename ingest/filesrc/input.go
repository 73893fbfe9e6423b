package filesrc

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// opened is an open file as a stream of (unpacked) bytes.
type opened struct {
	path string
	file *os.File
	from io.Reader // the file, or what is made of it
	made bool      // it is not the file itself
}

// open opens a regular file at its start.
func (c *Config) open(path string) (*opened, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("source file: %w", err)
	}
	var from io.Reader = f
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("source file %s is no regular file: pipe it to standard input instead", path)
	}
	if err == nil && isGzip(path) {
		if from, err = gzip.NewReader(f); err != nil {
			err = fmt.Errorf("source file %s: %w", path, err)
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &opened{path: path, file: f, from: c.Form.Encoding.Reader(from), made: c.packed(path)}, nil
}

func (o *opened) read(ctx context.Context, p []byte) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if !o.made {
		return o.file.Read(p)
	}
	n := 0
	for n < len(p) { // gzip hands out small pieces
		m, err := o.from.Read(p[n:])
		if n += m; err != nil {
			return n, err
		}
	}
	return n, nil
}

func (o *opened) close() error { return o.file.Close() }

// size is the present length of a file that is not packed.
func (o *opened) size() (int64, error) {
	info, err := o.file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// countedPrefix bounds the bytes that a restart reads only to number lines.
const countedPrefix = 1 << 30

// seek goes to a byte offset and returns the number of the line there, 0 if it
// lies so far on that counting is not worth its time, or nobody asks.
func (o *opened) seek(ctx context.Context, offset int64, count bool) (line int64, err error) {
	if !o.made && (offset > countedPrefix || !count) {
		_, err := o.file.Seek(offset, io.SeekStart)
		return 0, err
	}
	line = 1
	block := make([]byte, min(offset, blockBytes))
	for offset > 0 {
		n, err := o.read(ctx, block[:min(offset, int64(len(block)))])
		if err != nil && n == 0 {
			return 0, err
		}
		line += int64(bytes.Count(block[:n], []byte{'\n'}))
		offset -= int64(n)
	}
	return line, nil
}

// unpackedSize reads a packed file to its end. wholeLines: it returns the offset
// after the last line break, as opened.wholeLines does.
func (c *Config) unpackedSize(ctx context.Context, path string, wholeLines bool) (int64, error) {
	o, err := c.open(path)
	if err != nil {
		return 0, err
	}
	block := make([]byte, blockBytes)
	var read, size int64
	for err == nil {
		var n int
		n, err = o.read(ctx, block)
		if !wholeLines {
			size = read + int64(n)
		} else if i := bytes.LastIndexByte(block[:n], '\n'); i >= 0 {
			size = read + int64(i) + 1
		}
		read += int64(n)
	}
	if err == io.EOF {
		err = nil
	}
	return size, errors.Join(err, o.close())
}

// wholeLines returns the offset after the last line break below size: what a
// file that may grow can hand out at present. Of a CSV record that is just
// being written, the lines up to its last line break in quotes count.
func (o *opened) wholeLines(size int64) (int64, error) {
	block := make([]byte, 64<<10)
	for size > 0 {
		from := max(0, size-int64(len(block)))
		n, err := o.file.ReadAt(block[:size-from], from)
		if err != nil && err != io.EOF {
			return 0, err
		}
		if i := bytes.LastIndexByte(block[:n], '\n'); i >= 0 {
			return from + int64(i) + 1, nil
		}
		size = from
	}
	return 0, nil
}
