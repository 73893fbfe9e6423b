package table

import (
	"bytes"
	"path/filepath"
	"slices"
	"strconv"

	"anond/snapshot/audit/format"
)

// Compaction compares the files of a compacted part with those of the parts that
// it replaces, row by row: one after another, headers once, numbers of classes
// and buckets shifted by what stands before, everything else the same.
//
// Cost: one pass over both, no tables.
type Compaction struct {
	Man     *format.Manifest
	S       *format.Schema
	part    *format.Part
	Classes []uint32 // by replaced part: classes before it
	Buckets []uint32 // by replaced part: buckets before it
	Rows    map[string]int
	F       *format.Faults
}

// CheckCompaction takes the files of the compacted part and, by replaced part,
// those of the release before. It gives the number of rows of each file.
func CheckCompaction(man *format.Manifest, s *format.Schema, p *format.Part, now [][]byte, before [][][]byte, paths []string,
	f *format.Faults) (map[string]int, error) {
	c := &Compaction{Man: man, S: s, part: p, Rows: map[string]int{}, F: f}
	for _, r := range p.Replaces {
		c.Classes = append(c.Classes, uint32(r.FirstClass)-1)
		c.Buckets = append(c.Buckets, 0)
	}
	for i := len(paths) - 1; i >= 0; i-- { // the buckets first: rows name them
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

// compare walks over one file and the files that it joins.
func (c *Compaction) compare(path string, now []byte, before [][]byte) error {
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
	next := uint32(0) // buckets so far
	for j, data := range before {
		old, was, err := format.NewCSV(path, data)
		if err != nil {
			return err
		}
		same := slices.Equal(header, was)
		if name == c.counted() {
			c.Buckets[j] = next
		}
		if same {
			same, err = c.follows(old, rows, name, c.columns(name, j, header), &next)
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
	} else if name == c.counted() && c.Man.AtL2() {
		c.checkBuckets(next)
	}
	return err
}

// follows reports that the rows at hand are those of old, moved.
func (c *Compaction) follows(old, rows *format.CsvReader, name string, columns []uint32, next *uint32) (bool, error) {
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
		if name == c.counted() {
			*next = max(*next, c.bucketOf(rows.Fields))
		}
	}
}

// differs tells in which of the replaced parts the compaction departs from it.
func (c *Compaction) differs(j int) {
	c.F.Add("A", format.KindCompaction, c.Man.Release, c.part.Replaces[j].FirstClass, "",
		"a compaction does not hold the classes and buckets of the parts it replaces, as they were")
}

// columns gives, for each column of a file, by how much its numbers move for replaced
// part j; 0: what stands there is the same.
func (c *Compaction) columns(name string, j int, header []string) []uint32 {
	out := make([]uint32, len(header))
	last := len(out) - 1
	switch form := c.Man.Form(); {
	case name == "buckets.csv":
		out[0] = c.Buckets[j]
	case form == format.FormDrawn:
		out[last] = c.Buckets[j]
	case c.Man.AtL2():
		out[last-1], out[last] = c.Classes[j], c.Buckets[j]
	case name == "st.csv" || name == "pst.csv":
		out[0] = c.Classes[j]
	default:
		out[last] = c.Classes[j]
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

// counted is the file that shows how many buckets there are.
func (c *Compaction) counted() string {
	if c.Man.Form() == format.FormDrawn {
		return "data.csv"
	}
	return "buckets.csv"
}

// bucketOf is the number of the bucket in a row of the counted file, level L2.
func (c *Compaction) bucketOf(fields [][]byte) uint32 {
	at := 0
	if c.Man.Form() == format.FormDrawn {
		at = len(fields) - 1
	}
	n, _ := format.ParseCount(fields[at])
	return n
}

// checkBuckets tests that the replaced parts have the buckets that they say; last is
// how many all of them have.
func (c *Compaction) checkBuckets(last uint32) {
	wrong := 0
	for j, r := range c.part.Replaces {
		first, end := c.Buckets[j], last
		if j+1 < len(c.Buckets) {
			end = c.Buckets[j+1]
		}
		if r.FirstBucket != int(first)+1 || r.Buckets != int(end-first) {
			wrong++
		}
	}
	c.F.AddN("chain", format.KindFirstBucket, c.Man.Release, 0, "first_bucket",
		"a replaced part had other buckets than the compaction says", wrong)
}
