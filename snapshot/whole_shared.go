package snapshot

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
)

// sharedWhole is a release of level L2 on its way from its files to one table: the
// numbers of classes and buckets follow from all of them together (table.numberShared).
type sharedWhole struct {
	*WholeTable
	table   *table
	cells   bool   // quasi-identifiers are generalized
	rows    bool   // values stand in rows (DrawnValues)
	qi      []read // by column, where these are exact
	sa      read
	members []Record
	// of the parts before the one at hand
	classes, buckets int
	fields           [][]byte
	shown            []byte // the cells of the newest class, where values stand in rows
}

// writeShared writes the tables of level L2.
func (w *WholeTable) writeShared(outs []*wholeFile) ([]FileEntry, error) {
	l := &sharedWhole{WholeTable: w, rows: w.manifest.Values == valuesDrawn}
	l.cells = l.rows || w.manifest.Recoding == NameBuckets
	l.bind()
	for i := range w.manifest.Parts {
		if err := l.part(i); err != nil {
			return nil, err
		}
	}
	if err := l.settle(); err != nil {
		return nil, err
	}
	return l.table.writeAll(outs)
}

// bind makes a source whose columns are those of the files.
func (l *sharedWhole) bind() {
	s := &source{recoding: &buckets{cells: l.cells}, workers: runtime.GOMAXPROCS(0)}
	l.members = make([]Record, max(0, l.manifest.Policy.K)) // every class has k, whose numbers nobody knows
	if l.rows {
		s.recoding = &drawn{buckets: buckets{cells: true}}
	}
	for j := range l.cols {
		s.cols = append(s.cols, l.cols[j].column)
		l.qi = append(l.qi, read{col: &l.cols[j], number: map[shown]uint32{}})
	}
	s.sa = l.WholeTable.sa().column
	l.sa = read{col: l.WholeTable.sa(), number: map[shown]uint32{}}
	l.table = &table{source: s}
}

var errShared = fmt.Errorf("%w: a row does not fit the classes and buckets", ErrDamaged)

// part reads a part: what is in its buckets, then its rows.
func (l *sharedWhole) part(at int) error {
	p, err := l.WholeTable.part(at)
	defer func() { _ = p.close() }()
	if err != nil {
		return err
	}
	if len(p.entry.Dead) > 0 || len(p.files) == 1 != l.rows {
		return fmt.Errorf("%w: %s has dead classes or other files than its recoding", ErrDamaged, p.entry.Dir())
	}
	l.classes, l.buckets = len(l.table.classes), len(l.table.shared)
	for file := len(p.files) - 1; file >= 0; file-- {
		take := l.class
		switch {
		case file == 1:
			take = l.bucket
		case l.rows:
			take = l.drawn
		}
		if err := l.records(p.section(file), take); err != nil {
			return fmt.Errorf("%w: %s", err, partPath(p.entry, p.entry.Files[file]))
		}
	}
	if len(l.table.classes)-l.classes != p.entry.Classes {
		return fmt.Errorf("%w: %s has other classes than its manifest says", ErrDamaged, p.entry.Dir())
	}
	return nil
}

// records takes in a file, record by record.
func (l *sharedWhole) records(file io.Reader, take func(record, last []byte) error) error {
	from := bufio.NewReaderSize(file, 1<<16)
	var record, last []byte
	for {
		var err error
		if record, err = recordOf(from, record[:0]); errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = take(record, last)
		}
		if err != nil {
			return err
		}
		record, last = last, record
	}
}

// settle puts classes and buckets in canonical order.
func (l *sharedWhole) settle() error {
	t, m := l.table, l.manifest
	sa := l.sa.ranks(&t.sa)
	for _, b := range t.shared {
		if len(b.bag) != len(b.classes)*m.Policy.K {
			return fmt.Errorf("%w: the files disagree on the size of a bucket", ErrDamaged)
		}
		rankAll(b.bag, sa)
		slices.Sort(b.bag)
	}
	for j := range l.qi {
		qi := l.qi[j].ranks(&t.cols[j])
		for _, c := range t.classes {
			for i := j; i < len(c.rows); i += len(l.cols) {
				c.rows[i] = qi[c.rows[i]]
			}
		}
	}
	for i, c := range t.classes {
		c.drawn = uint64(i) + 1 // of what looks alike, the older first
		rankAll(c.values, sa)
	}
	if len(t.classes) != m.Classes || len(t.shared) != m.Buckets {
		return fmt.Errorf("%w: the parts of release %d have %d classes and %d buckets, its manifest says %d and %d", ErrDamaged, m.Release,
			len(t.classes), len(t.shared), m.Classes, m.Buckets)
	}
	t.recoding.order(t)
	return nil
}

func rankAll(values, rank []uint32) {
	for i, v := range values {
		values[i] = rank[v]
	}
}
