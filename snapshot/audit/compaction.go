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
	classes []uint32   // by replaced part: classes before it
	buckets [][]uint32 // by replaced part and bucketed attribute: buckets before it
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
		c.buckets = append(c.buckets, make([]uint32, len(s.local)))
	}
	for i := len(paths) - 1; i >= 0; i-- { // the buckets first: the rows of lgb.csv name them
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
	next := make([]uint32, len(c.s.local)) // buckets so far
	for j, data := range before {
		old, was, err := newCSV(path, data)
		if err != nil {
			return err
		}
		same := slices.Equal(header, was)
		if name == c.counted() {
			copy(c.buckets[j], next)
		}
		if same {
			same, err = c.follows(old, rows, name, c.columns(name, j, header), next)
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
		c.checkBuckets(next[0])
	}
	return err
}

// follows reports that the rows at hand are those of old, moved.
func (c *compaction) follows(old, rows *csvReader, name string, columns []moved, next []uint32) (bool, error) {
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
			c.count(next, rows.fields)
		}
	}
}

// differs tells in which of the replaced parts the compaction departs from it.
func (c *compaction) differs(j int) {
	c.f.add("A", kindCompaction, c.man.Release, c.part.Replaces[j].FirstClass, "",
		"a compaction does not hold the classes and buckets of the parts it replaces, as they were")
}

// attribute is the place of a bucketed attribute; -1: it is none.
func (c *compaction) attribute(name string) int {
	return slices.IndexFunc(c.s.local, func(l *localAttr) bool { return l.name == name })
}

// count notes the buckets of each attribute that the rows so far have shown.
func (c *compaction) count(next []uint32, fields [][]byte) {
	if c.man.atL2() {
		next[0] = max(next[0], c.bucketOf(fields))
		return
	}
	if a := c.attribute(string(fields[0])); a >= 0 {
		n, _ := parseCount(fields[1])
		next[a] = max(next[a], n)
	}
}

// moved is how the number in a column moves.
type moved struct {
	star bool // the number is *n; a cell without star stays
	by   func(fields [][]byte) uint32
}

// columns gives the columns of a file whose numbers move, for replaced part j.
func (c *compaction) columns(name string, j int, header []string) []moved {
	if c.man.atL2() {
		return c.columnsL2(name, j, header)
	}
	out := make([]moved, len(header))
	class := moved{by: func([][]byte) uint32 { return c.classes[j] }}
	bucket := func(a int) uint32 {
		if a < 0 {
			return 0
		}
		return c.buckets[j][a]
	}
	switch name {
	case "st.csv", "pst.csv":
		out[0] = class
	case "buckets.csv":
		out[1].by = func(fields [][]byte) uint32 { return bucket(c.attribute(string(fields[0]))) }
	case "lgb.csv":
		for i, column := range header {
			if a := c.attribute(column); a >= 0 {
				out[i] = moved{true, func([][]byte) uint32 { return bucket(a) }}
			}
		}
		out[len(header)-1] = class
	default:
		out[len(header)-1] = class
	}
	return out
}

// sameMoved compares two rows but for the numbers that move.
func sameMoved(old, now [][]byte, columns []moved) bool {
	var text [16]byte
	for i, cell := range old {
		want := cell
		if columns[i].by != nil {
			digits, read := text[:0], parseCount
			if columns[i].star {
				digits, read = append(digits, '*'), bucketNumber
			}
			if n, ok := read(cell); ok {
				want = strconv.AppendUint(digits, uint64(n)+uint64(columns[i].by(old)), 10)
			}
		}
		if !bytes.Equal(want, now[i]) {
			return false
		}
	}
	return true
}
