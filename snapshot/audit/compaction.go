package audit

import (
	"bytes"
	"path/filepath"
	"slices"
	"strconv"
)

// compaction compares the files of a compacted part with those of the parts that
// it replaces, row by row: one after another, headers once, numbers of classes
// and buckets shifted by what stands before, everything else the same.
//
// Cost: one pass over both, no tables.
type compaction struct {
	man     *Manifest
	s       *schema
	part    *Part
	classes []uint32 // by replaced part: classes before it
	buckets []uint32 // by replaced part: buckets before it
	rows    map[string]int
	f       *faults
}

// checkCompaction takes the files of the compacted part and, by replaced part,
// those of the release before. It gives the number of rows of each file.
func checkCompaction(man *Manifest, s *schema, p *Part, now [][]byte, before [][][]byte, paths []string,
	f *faults) (map[string]int, error) {
	c := &compaction{man: man, s: s, part: p, rows: map[string]int{}, f: f}
	for _, r := range p.Replaces {
		c.classes = append(c.classes, uint32(r.FirstClass)-1)
		c.buckets = append(c.buckets, 0)
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
	return c.rows, nil
}

// compare walks over one file and the files that it joins.
func (c *compaction) compare(path string, now []byte, before [][]byte) error {
	name := filepath.Base(path)
	rows, header, err := newCSV(path, now)
	if err != nil {
		return err
	}
	defer func() {
		c.f.addN("order", kindNotCanonical, c.man.Release, 0, name, "a field is quoted without need", rows.spare)
	}()
	if len(header) < 2 {
		return unreadable(path, 1, "header lacks an attribute of the schema")
	}
	next := uint32(0) // buckets so far
	for j, data := range before {
		old, was, err := newCSV(path, data)
		if err != nil {
			return err
		}
		same := slices.Equal(header, was)
		if name == c.counted() {
			c.buckets[j] = next
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
	more, err := rows.next()
	if more {
		c.differs(len(before) - 1)
	} else if name == c.counted() && c.man.atL2() {
		c.checkBuckets(next)
	}
	return err
}

// follows reports that the rows at hand are those of old, moved.
func (c *compaction) follows(old, rows *csvReader, name string, columns []uint32, next *uint32) (bool, error) {
	for {
		more, err := old.next()
		if err != nil || !more {
			return true, err
		}
		if more, err = rows.next(); err != nil {
			return false, err
		}
		if !more || !sameMoved(old.fields, rows.fields, columns) {
			return false, nil
		}
		c.rows[name]++
		if name == c.counted() {
			*next = max(*next, c.bucketOf(rows.fields))
		}
	}
}

// differs tells in which of the replaced parts the compaction departs from it.
func (c *compaction) differs(j int) {
	c.f.add("A", kindCompaction, c.man.Release, c.part.Replaces[j].FirstClass, "",
		"a compaction does not hold the classes and buckets of the parts it replaces, as they were")
}

// columns gives, for each column of a file, by how much its numbers move for replaced
// part j; 0: what stands there is the same.
func (c *compaction) columns(name string, j int, header []string) []uint32 {
	out := make([]uint32, len(header))
	last := len(out) - 1
	switch form := c.man.form(); {
	case name == "buckets.csv":
		out[0] = c.buckets[j]
	case form == formDrawn:
		out[last] = c.buckets[j]
	case c.man.atL2():
		out[last-1], out[last] = c.classes[j], c.buckets[j]
	case name == "st.csv" || name == "pst.csv":
		out[0] = c.classes[j]
	default:
		out[last] = c.classes[j]
	}
	return out
}

// sameMoved compares two rows but for the numbers that move.
func sameMoved(old, now [][]byte, columns []uint32) bool {
	var text [16]byte
	for i, cell := range old {
		want := cell
		if columns[i] > 0 {
			if n, ok := parseCount(cell); ok {
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
func (c *compaction) counted() string {
	if c.man.form() == formDrawn {
		return "data.csv"
	}
	return "buckets.csv"
}

// bucketOf is the number of the bucket in a row of the counted file, level L2.
func (c *compaction) bucketOf(fields [][]byte) uint32 {
	at := 0
	if c.man.form() == formDrawn {
		at = len(fields) - 1
	}
	n, _ := parseCount(fields[at])
	return n
}

// checkBuckets tests that the replaced parts have the buckets that they say; last is
// how many all of them have.
func (c *compaction) checkBuckets(last uint32) {
	wrong := 0
	for j, r := range c.part.Replaces {
		first, end := c.buckets[j], last
		if j+1 < len(c.buckets) {
			end = c.buckets[j+1]
		}
		if r.FirstBucket != int(first)+1 || r.Buckets != int(end-first) {
			wrong++
		}
	}
	c.f.addN("chain", kindFirstBucket, c.man.Release, 0, "first_bucket", "a replaced part had other buckets than the compaction says", wrong)
}
