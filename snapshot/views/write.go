package views

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"path"
	"strconv"

	"anond/equivclass"
	"anond/snapshot"
)

// sheet is a file of a part as it is written.
type sheet struct {
	to    *bufio.Writer
	bytes int64
	rows  int
}

// row appends a row.
func (s *sheet) row(fields ...string) {
	s.put(snapshot.AppendRow(nil, fields))
	s.rows++
}

func (s *sheet) put(line []byte) {
	_, _ = s.to.Write(line) // Flush has the first error
	s.bytes += int64(len(line))
}

// written is a part of a view whose segments are in order.
type written struct {
	*content
	segments []segment
	parts    []ordered
}

// write makes the files of a part of the view, which a release of it writes first, out of one of the release, entry. Segments keep as
// many classes, buckets and pools as they had when they were born, those that have left behind the others.
func (x *content) write(entry snapshot.PartEntry, release uint32, create func(name string) (io.WriteCloser, error)) (
	snapshot.PartEntry, error) {
	w := &written{content: x, segments: segments(&entry)}
	out := snapshot.PartEntry{Part: entry.Part, Release: release, Classes: entry.Classes, Buckets: entry.Buckets, Pools: entry.Pools,
		Mode: snapshot.PartMode, Replaces: entry.Replaces}
	for _, s := range w.segments {
		o := x.order(s)
		w.parts = append(w.parts, o)
		for n := s.buckets[0] + len(o.buckets) + 1; n <= s.buckets[1]; n++ {
			out.Withdrawn = append(out.Withdrawn, uint32(n))
		}
		for _, c := range o.classes {
			out.Rows += c.people
		}
	}
	for _, f := range []struct {
		name   string
		header []string
		rows   func(*sheet)
	}{{snapshot.DataName, append(names(x.columns.quasi), "class", "bucket"), w.data},
		{snapshot.ValuesName, x.columns.of.BagColumns("bucket"), w.values},
		{snapshot.PoolsName, x.columns.of.BagColumns("pool"), w.poolTables},
		{snapshot.BucketsName, x.columns.of.BucketsColumns(), w.bucketList},
		{snapshot.TablesName, []string{"pool", "attribute", "value", "with", "with_value", "count"}, w.pairTables}} {
		if f.name == snapshot.TablesName && len(x.pairs) == 0 {
			continue
		}
		file, err := writeFile(path.Join(entry.Part, f.name), f.header, f.rows, create)
		if err != nil {
			return out, err
		}
		out.Files = append(out.Files, file)
	}
	return out, nil
}

func writeFile(name string, header []string, rows func(*sheet), create func(name string) (io.WriteCloser, error)) (
	entry snapshot.FileEntry, err error) {
	f, err := create(name)
	if err != nil {
		return entry, err
	}
	sum := sha256.New()
	s := &sheet{to: bufio.NewWriterSize(io.MultiWriter(f, sum), 1<<16)}
	s.put(snapshot.AppendRow(nil, header))
	rows(s)
	err = errors.Join(s.to.Flush(), f.Close())
	return snapshot.FileEntry{Name: path.Base(name), SHA256: hex.EncodeToString(sum.Sum(nil)), Bytes: s.bytes, Rows: s.rows}, err
}

func names(of []column) (out []string) {
	for i := range of {
		out = append(out, of[i].Name)
	}
	return out
}

func (w *written) data(s *sheet) {
	for i, o := range w.parts {
		at := w.segments[i]
		for n, c := range o.classes {
			var row []string
			for _, k := range c.cells {
				row = append(row, k.text)
			}
			row = append(row, strconv.Itoa(at.classes[0]+n+1), strconv.Itoa(at.buckets[0]+w.buckets[c.bucket].given))
			for range c.people {
				s.row(row...)
			}
		}
	}
}

func (w *written) values(s *sheet) {
	for i, o := range w.parts {
		for _, b := range o.buckets {
			w.bagRows(s, w.segments[i].buckets[0]+b.given, b.bags)
		}
	}
}

func (w *written) poolTables(s *sheet) {
	for i, o := range w.parts {
		for _, p := range o.pools {
			w.bagRows(s, w.segments[i].pools[0]+p.given, p.bags)
		}
	}
}

func (w *written) bagRows(s *sheet, number int, bags []map[string]int) {
	for a := range w.columns.sensitive {
		c := &w.columns.sensitive[a]
		for _, v := range c.sorted(bags[a]) {
			row := append([]string{strconv.Itoa(number), c.Name}, equivclass.Parts(v.value)...)
			for len(row) <= w.columns.of.Privacy.MaxRecords+1 {
				row = append(row, "")
			}
			s.row(append(row, strconv.Itoa(v.n))...)
		}
	}
}

func (w *written) bucketList(s *sheet) {
	for i, o := range w.parts {
		for _, b := range o.buckets {
			s.row(append([]string{strconv.Itoa(w.segments[i].buckets[0] + b.given), strconv.Itoa(w.segments[i].pools[0] + w.pools[b.pool].given),
				strconv.Itoa(b.people)}, b.behind...)...)
		}
	}
}

func (w *written) pairTables(s *sheet) {
	for i, o := range w.parts {
		for _, p := range o.pools {
			for j, pair := range w.pairs {
				for _, v := range w.pairsOf(p, j) {
					s.row(strconv.Itoa(w.segments[i].pools[0]+p.given), pair[0], v.values[0], pair[1], v.values[1], strconv.Itoa(v.n))
				}
			}
		}
	}
}
