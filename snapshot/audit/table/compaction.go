package table

import (
	"bytes"
	"path/filepath"
	"slices"
	"strconv"

	"anond/snapshot/audit/format"
)

// compaction compares the files of a compacted part with those of the parts that
// it replaces, row by row: one after another, headers once, numbers of classes
// and buckets shifted by what stands before, everything else the same.
//
// Cost: one pass over both, no tables.
type compaction struct {
	Man    *format.Manifest
	S      *format.Schema
	part   *format.Part
	before []moved // by replaced part
	Rows   map[string]int
	F      *format.Faults
}

// CheckCompaction takes the files of the compacted part and, by replaced part,
// those of the release before. It gives the number of rows of each file.
func CheckCompaction(man *format.Manifest, s *format.Schema, p *format.Part, now [][]byte, before [][][]byte, paths []string,
	f *format.Faults) (map[string]int, error) {
	c := NewCompaction(man, s, p, f)
	for i := range paths {
		old := make([][]byte, len(before))
		for j := range before {
			old[j] = before[j][i]
		}
		if err := c.compare(paths[i], now[i], old); err != nil {
			return nil, err
		}
	}
	return c.Rows, nil
}

// WithoutBuckets is a file of a part without the lines of buckets.
func WithoutBuckets(path string, data []byte, gone []int) ([]byte, error) {
	last := false
	switch filepath.Base(path) {
	case "data.csv":
		last = true
	case "values.csv", "buckets.csv":
	default:
		return data, nil
	}
	rows, _, err := format.NewCSV(path, data)
	if err != nil {
		return nil, err
	}
	out := bytes.Clone(data[:rows.Pos])
	for {
		from := rows.Pos
		more, err := rows.Next()
		if err != nil || !more {
			return out, err
		}
		cell := rows.Fields[0]
		if last {
			cell = rows.Fields[len(rows.Fields)-1]
		}
		n, _ := format.ParseCount(cell)
		if _, leaves := slices.BinarySearch(gone, int(n)); !leaves {
			out = append(out, data[from:rows.Pos]...)
		}
	}
}

// moved is by how much the numbers of a replaced part are greater now.
type moved struct{ class, bucket, pool uint32 }

// NewCompaction binds the compaction of a part.
func NewCompaction(man *format.Manifest, s *format.Schema, p *format.Part, f *format.Faults) *compaction {
	c := &compaction{Man: man, S: s, part: p, Rows: map[string]int{}, F: f}
	for _, r := range p.Replaces {
		c.before = append(c.before, moved{uint32(max(r.FirstClass, 1) - 1), uint32(max(r.FirstBucket, 1) - 1), uint32(max(r.FirstPool, 1) - 1)})
	}
	return c
}

// compare walks over one file and the files that it joins.
func (c *compaction) compare(path string, now []byte, before [][]byte) error {
	name := filepath.Base(path)
	rows, header, err := format.NewCSV(path, now)
	if err != nil {
		return err
	}
	defer func() {
		c.F.AddN("order", format.KindNotCanonical, c.Man.Release, 0, name, "a field is quoted without need", rows.Spare)
	}()
	if len(header) < 2 {
		return format.Unreadable(path, 1, "header lacks an attribute of the schema")
	}
	for j, data := range before {
		old, was, err := format.NewCSV(path, data)
		if err != nil {
			return err
		}
		same := slices.Equal(header, was)
		if same {
			same, err = c.follows(old, rows, name, c.columns(name, j, header))
		}
		if err != nil {
			return err
		}
		if !same {
			c.differs(j)
			return nil
		}
	}
	more, err := rows.Next()
	if more {
		c.differs(len(before) - 1)
	}
	return err
}

// follows reports that the rows at hand are those of old, moved.
func (c *compaction) follows(old, rows *format.CsvReader, name string, columns []uint32) (bool, error) {
	for {
		more, err := old.Next()
		if err != nil || !more {
			return true, err
		}
		if more, err = rows.Next(); err != nil {
			return false, err
		}
		if !more || !sameMoved(old.Fields, rows.Fields, columns) {
			return false, nil
		}
		c.Rows[name]++
	}
}

// differs tells in which of the replaced parts the compaction departs from it.
func (c *compaction) differs(j int) {
	c.F.Add("A", format.KindCompaction, c.Man.Release, c.part.Replaces[j].FirstClass, "",
		"a compaction does not hold the classes and buckets of the parts it replaces, as they were")
}

// columns gives, for each column of a file, by how much its numbers move for replaced
// part j; 0: what stands there is the same.
func (c *compaction) columns(name string, j int, header []string) []uint32 {
	out := make([]uint32, len(header))
	last, by := len(out)-1, &c.before[j]
	switch {
	case !c.Man.AtL2() && (name == "st.csv" || name == "pst.csv"):
		out[0] = by.class
	case !c.Man.AtL2():
		out[last] = by.class
	case name == "data.csv":
		out[last-1], out[last] = by.class, by.bucket
	case name == "values.csv":
		out[0] = by.bucket
	case name == "buckets.csv":
		out[0], out[1] = by.bucket, by.pool
	default:
		out[0] = by.pool
	}
	return out
}

// sameMoved compares two rows but for the numbers that move.
func sameMoved(old, now [][]byte, columns []uint32) bool {
	var text [16]byte
	for i, cell := range old {
		want := cell
		if columns[i] > 0 {
			if n, ok := format.ParseCount(cell); ok {
				want = strconv.AppendUint(text[:0], uint64(n)+uint64(columns[i]), 10)
			}
		}
		if !bytes.Equal(want, now[i]) {
			return false
		}
	}
	return true
}
