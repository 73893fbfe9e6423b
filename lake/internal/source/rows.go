package source

import (
	"bufio"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"anond/snapshot"
)

// Rows yields the living rows of a part, in the order of its file, and returns their
// number. The values are those of the columns and are valid until yield returns.
//
// Only if the error is nil has the file the bytes that the manifest describes: what was
// made of the rows is to be thrown away otherwise. An error never quotes a cell.
func (t *Table) Rows(p *Part, yield func([]Value) error) (rows int64, err error) {
	f, err := t.release.files.Open(p.path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	hash := sha256.New()
	bytes := &counter{}
	r := csv.NewReader(bufio.NewReaderSize(io.TeeReader(f, io.MultiWriter(hash, bytes)), 1<<16))
	r.ReuseRecord = true
	r.FieldsPerRecord = len(p.header)
	header, err := r.Read()
	if err != nil || !slices.Equal(header, p.header) {
		return 0, fmt.Errorf("%w: %s has other columns than the release", snapshot.ErrDamaged, p.path)
	}
	living, all, err := t.read(p, r, yield)
	if err != nil {
		return 0, err
	}
	if hex.EncodeToString(hash.Sum(nil)) != p.File.SHA256 || bytes.n != p.File.Bytes || all != int64(p.File.Rows) {
		return 0, fmt.Errorf("%w: %s is not the file that the manifest describes", snapshot.ErrDamaged, p.path)
	}
	return living, nil
}

func (t *Table) read(p *Part, r *csv.Reader, yield func([]Value) error) (living, all int64, err error) {
	values := make([]Value, len(t.Columns))
	placed := make([]string, len(t.header))
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return living, all, nil
		}
		all++
		if err != nil {
			return 0, 0, fmt.Errorf("%w: %s: row %d is no CSV record of the table", snapshot.ErrDamaged, p.path, all)
		}
		dead, ok := p.dead(row, t.class(p))
		if !ok {
			return 0, 0, fmt.Errorf("%w: %s: row %d names no class", snapshot.ErrDamaged, p.path, all)
		}
		if dead {
			continue
		}
		for i, at := range p.places {
			if placed[i] = ""; at >= 0 {
				placed[i] = row[at]
			}
		}
		for i := range t.Columns {
			if values[i] = (Value{Null: true}); !t.Columns[i].in(p) {
				continue
			}
			if values[i], ok = t.Columns[i].read.value(p.Label, placed); !ok {
				return 0, 0, fmt.Errorf("%w: %s: row %d has no cell of %q", snapshot.ErrDamaged, p.path, all, t.Columns[i].Name)
			}
		}
		if err := yield(values); err != nil {
			return 0, 0, err
		}
		living++
	}
}

// in reports that a part has the column. A history has no next record where an era has none.
func (c *Column) in(p *Part) bool {
	return c.read.field < 0 || p.places[c.read.field] >= 0 || !c.Optional
}

// class is the field that names the class of a row, where classes may die (level L1).
func (t *Table) class(p *Part) int {
	if t.Name == "st" || t.Name == "pst" {
		return 0
	}
	return len(p.header) - 1
}

// dead reports a row of a class that was regrouped since: its records are in a later part.
func (p *Part) dead(row []string, class int) (dead, ok bool) {
	if len(p.Dead) == 0 {
		return false, true
	}
	n, err := strconv.ParseUint(row[class], 10, 32)
	_, dead = slices.BinarySearch(p.Dead, uint32(n))
	return dead, err == nil
}

type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) { c.n += int64(len(p)); return len(p), nil }
