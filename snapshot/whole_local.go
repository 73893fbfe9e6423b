package snapshot

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
)

// localWhole is a release of lgb on its way from its files to one table. Records
// are numbered as they stand in the parts.
type localWhole struct {
	*WholeTable
	table  *table
	of     [][]int32  // by bucketed attribute, then record: its bucket over all parts
	bags   [][][]held // by bucketed attribute, then bucket
	place  map[string]int
	column []int // by column, the sensitive one last: its place among the bucketed attributes, or -1
}

// held is a value in a bucket as it is written, with its count.
type held struct {
	value  shown
	quoted []byte
	count  int
}

// writeLocal writes the tables of lgb: which numbers classes and buckets have
// follows from all of them together (colouring).
func (w *WholeTable) writeLocal(outs []*wholeFile) ([]FileEntry, error) {
	l := &localWhole{WholeTable: w, place: map[string]int{}}
	l.bind()
	for i := range w.manifest.Parts {
		if err := l.part(i); err != nil {
			return nil, err
		}
	}
	if n := len(l.table.classes); n != w.manifest.Classes {
		return nil, fmt.Errorf("%w: the parts of release %d have %d classes, its manifest says %d", ErrDamaged, w.manifest.Release, n,
			w.manifest.Classes)
	}
	if err := l.settle(); err != nil {
		return nil, err
	}
	return l.table.writeAll(outs)
}

// writeAll writes a table that was read from parts.
func (t *table) writeAll(outs []*wholeFile) ([]FileEntry, error) {
	entries := make([]FileEntry, len(outs))
	for i, layout := range t.recoding.layouts(t) {
		var err error
		if entries[i], err = t.write(layout, outs[i].buf); err != nil {
			return nil, err
		}
		if err := outs[i].buf.Flush(); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// bind makes a source whose columns are those of the files.
func (l *localWhole) bind() {
	s := &source{recoding: &lgb{keep: true}, workers: runtime.GOMAXPROCS(0), sa: l.sa().column}
	for j := range l.cols {
		s.cols = append(s.cols, l.cols[j].column)
	}
	l.table = &table{source: s}
	for j := range l.all {
		l.column = append(l.column, -1)
		if a := l.all[j].dict.Attribute(); j < len(l.cols) && a.Promise == nil {
			continue
		}
		col := &s.sa
		if j < len(l.cols) {
			col = &s.cols[j]
		}
		b := &localBuckets{col: col}
		if j < len(l.cols) {
			col.local = b
		}
		l.column[j] = len(s.buckets)
		l.place[l.all[j].name] = len(s.buckets)
		s.buckets = append(s.buckets, b)
	}
	l.of, l.bags = make([][]int32, len(s.buckets)), make([][][]held, len(s.buckets))
}

// part reads a part: what is in its buckets, then its rows.
func (l *localWhole) part(at int) error {
	p, err := l.WholeTable.part(at)
	defer func() { _ = p.close() }()
	if err != nil {
		return err
	}
	if len(p.files) != 2 || len(p.entry.Dead) > 0 {
		return fmt.Errorf("%w: %s has dead classes or other files than its recoding", ErrDamaged, p.entry.Dir())
	}
	before := make([]int, len(l.bags))
	for i := range before {
		before[i] = len(l.bags[i])
	}
	if err := l.buckets(p, before); err != nil {
		return fmt.Errorf("%w: %s", err, partPath(p.entry, p.entry.Files[1]))
	}
	if err := l.rows(p, before); err != nil {
		return fmt.Errorf("%w: %s", err, partPath(p.entry, p.entry.Files[0]))
	}
	return nil
}

var errLocal = fmt.Errorf("%w: a row does not fit the local buckets", ErrDamaged)

func (l *localWhole) buckets(p *wholePart, before []int) error {
	from := bufio.NewReaderSize(p.section(1), 1<<16)
	var record []byte
	var fields [][]byte
	for {
		var err error
		if record, err = recordOf(from, record[:0]); errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if fields = splitRecord(fields, record); len(fields) != 4 {
			return errLocal
		}
		a, ok := l.place[string(unquoted(fields[0]))]
		if !ok {
			return errLocal
		}
		number, err := strconv.Atoi(string(fields[1]))
		count, err2 := strconv.Atoi(string(fields[3]))
		column := slices.Index(l.column, a)
		v, err3 := l.all[column].shown(fields[2])
		known := len(l.bags[a]) - before[a]
		if err != nil || err2 != nil || err3 != nil || number < 1 || number > known+1 || count < 1 || count > l.manifest.Records {
			return errLocal
		}
		if number > known {
			l.bags[a] = append(l.bags[a], nil)
		}
		number += before[a] - 1
		l.bags[a][number] = append(l.bags[a][number], held{v, bytes.Clone(fields[2]), count})
	}
}

// section is the rows of a file.
func (p *wholePart) section(file int) io.Reader {
	from := int64(len(p.header[file]))
	return io.NewSectionReader(p.files[file], from, p.entry.Files[file].Bytes-from)
}

func (l *localWhole) rows(p *wholePart, before []int) error {
	r := newRunReader(p, p.runs[0], 1<<16)
	r.files = r.files[:1]
	var fields [][]byte
	for {
		more, err := r.next()
		if err != nil || !more {
			return err
		}
		f := r.files[0]
		c := &class{}
		from := 0
		for i, end := range f.ends {
			if fields = splitRecord(fields, f.rows[from:end]); len(fields) != len(l.all)+1 {
				return errLocal
			}
			from = end
			if err := l.row(c, fields, before, i == 0); err != nil {
				return err
			}
		}
		l.table.classes = append(l.table.classes, c)
	}
}

// row takes in a record; the first of a class with its cells.
func (l *localWhole) row(c *class, fields [][]byte, before []int, first bool) error {
	c.members = append(c.members, Record(l.table.records))
	l.table.records++
	for j := range l.all {
		a := l.column[j]
		bucketed := a >= 0 && len(fields[j]) > 1 && fields[j][0] == '*'
		if !bucketed && j == len(l.cols) || !first && j < len(l.cols) && bucketed != c.cells[j].bucketed {
			return errLocal
		}
		if first && j < len(l.cols) {
			x := cell{bucketed: true}
			if !bucketed {
				var err error
				if x, err = l.all[j].shownCell(fields[j]); err != nil {
					return errLocal
				}
			}
			c.cells = append(c.cells, x)
		}
		if a < 0 {
			continue
		}
		n := int32(-1)
		if bucketed {
			number, err := strconv.Atoi(string(fields[j][1:]))
			if err != nil || number < 1 || number > len(l.bags[a])-before[a] {
				return errLocal
			}
			n = int32(before[a] + number - 1)
		}
		l.of[a] = append(l.of[a], n)
	}
	return nil
}

// settle puts classes and buckets in canonical order.
func (l *localWhole) settle() error {
	t := l.table
	for a, b := range t.buckets {
		b.of = l.of[a]
		members := make([][]Record, len(l.bags[a]))
		for r, n := range b.of {
			if n >= 0 {
				members[n] = append(members[n], Record(r))
			}
		}
		rank := rankShown(b.col, l.bags[a])
		local := &bucketing{localBuckets: b}
		for n, values := range l.bags[a] {
			x := &bucket{members: members[n]}
			for _, v := range values {
				x.bag = append(x.bag, slices.Repeat([]uint32{rank[v.value]}, v.count)...)
			}
			if len(x.bag) != len(x.members) {
				return fmt.Errorf("%w: the files disagree on the size of a local bucket", ErrDamaged)
			}
			slices.Sort(x.bag)
			local.buckets = append(local.buckets, x)
		}
		t.local = append(t.local, local)
	}
	if t.wholeClasses = t.bucketsAreClasses(); t.wholeClasses {
		sa := t.local[len(t.local)-1]
		for _, c := range t.classes {
			c.bag = sa.buckets[sa.of[c.members[0]]].bag
		}
	}
	t.recoding.order(t)
	return nil
}

// rankShown puts the values of a column in canonical order.
func rankShown(c *column, bags [][]held) map[shown]uint32 {
	rank, quoted := map[shown]uint32{}, map[shown][]byte{}
	var values []shown
	for _, bag := range bags {
		for _, v := range bag {
			if _, seen := quoted[v.value]; !seen {
				quoted[v.value] = v.quoted
				values = append(values, v.value)
			}
		}
	}
	slices.SortFunc(values, compareShown)
	for i, v := range values {
		rank[v] = uint32(i)
		c.quoted = append(c.quoted, quoted[v])
	}
	return rank
}
