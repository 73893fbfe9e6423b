package parquetfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"

	"anond/internal/fault"
	"anond/lake/internal/source"
	"anond/snapshot"
)

// ErrLost: a file is not what was written of the releases.
var ErrLost = fault.Errorf(fault.Failed, "write the releases to another place, and read them from there",
	"it does not hold what was written of the releases")

// Compare demands that a file has the columns of a table and the living rows of a part, in order. It holds the file in
// memory. No error has a cell.
func Compare(files snapshot.FS, path string, t *source.Table, p *source.Part) error {
	data, err := files.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrLost, err)
	}
	lost := func(what string, args ...any) error {
		return fmt.Errorf("%s: %w: %s", path, ErrLost, fmt.Sprintf(what, args...))
	}
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return lost("it is no Parquet file")
	}
	for _, c := range f.Schema().Columns() {
		if !slices.ContainsFunc(t.Columns, func(of source.Column) bool { return of.Name == c[0] }) {
			return lost("it has a column %q, which the releases do not have", c[0])
		}
	}
	if n := len(f.Schema().Columns()); n != len(t.Columns) {
		return lost("it has %d of %d columns", n, len(t.Columns))
	}
	r, batch := parquet.NewReader(f), make([]parquet.Row, batchRows)
	defer func() { _ = r.Close() }() // nothing was written
	var left []parquet.Row
	n, err := t.Rows(p, func(values []source.Value) error {
		if len(left) == 0 {
			got, err := r.ReadRows(batch)
			if got == 0 || err != nil && !errors.Is(err, io.EOF) {
				return lost("rows are missing, or cannot be read")
			}
			left = batch[:got]
		}
		for i, v := range values {
			if !parquet.Equal(left[0][i], cell(t.Columns[i], v, i)) {
				return lost("a row is another one")
			}
		}
		left = left[1:]
		return nil
	})
	if err == nil && f.NumRows() != n {
		err = lost("it has %d rows, the release %d", f.NumRows(), n)
	}
	return err
}

// Sized demands that a file has the size that was noted of it.
func Sized(files snapshot.FS, path string, size int64) error {
	info, err := files.Stat(path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrLost, err)
	}
	if info.Size() != size {
		return fmt.Errorf("%s: %w: it has %d of %d bytes", path, ErrLost, info.Size(), size)
	}
	return nil
}
