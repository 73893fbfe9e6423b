package topic

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"slices"

	"anond/snapshot"
)

// fileOf writes rows as the data file that they came from.
type fileOf struct {
	to      *bufio.Writer
	sum     hash.Hash
	columns []string
	line    []byte
	count   int
	bytes   int64
}

func newFileOf(w io.Writer) *fileOf {
	f := &fileOf{sum: sha256.New()}
	f.to = bufio.NewWriterSize(io.MultiWriter(w, f.sum), 1<<16)
	return f
}

func (f *fileOf) rows(r *rowsMessage) error {
	if f.columns == nil {
		f.columns = r.Columns
		if err := f.put(r.Columns); err != nil {
			return err
		}
	}
	if !slices.Equal(f.columns, r.Columns) {
		return fmt.Errorf("%w: the columns of messages differ", errMessage)
	}
	for _, cells := range r.Rows {
		if err := f.put(cells); err != nil {
			return err
		}
	}
	f.count += len(r.Rows)
	return nil
}

func (f *fileOf) put(cells []string) error {
	f.line = snapshot.AppendRow(f.line[:0], cells)
	f.bytes += int64(len(f.line))
	_, err := f.to.Write(f.line)
	return err
}

func (f *fileOf) flush() error { return f.to.Flush() }

func (f *fileOf) entry(name string) snapshot.FileEntry {
	return snapshot.FileEntry{Name: name, SHA256: hex.EncodeToString(f.sum.Sum(nil)), Bytes: f.bytes, Rows: f.count}
}
