package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"anond/equivclass"
	"anond/internal/cli"
	"anond/snapshot"
)

// longTable is a release of level L2 with a row for each person and each value, or history, that the person may have, with a weight: its
// share in the bucket. It shows nothing that data.csv and values.csv do not, so no rule of publication speaks of it.
//
// Guarantee: the weights of a person sum to 1 for each attribute, and those of a value in a bucket to its count, but for the rounding of
// numbers of 64 bits. Cost: rows are people times values of their bucket; values of all buckets are in memory.
type longTable struct {
	manifest *snapshot.Manifest
	stream   func(file string, to io.Writer) error
	bags     map[[2]string][]longValue // by part and bucket
	people   map[[2]string]float64
	cells    []string               // quasi-identifiers: their columns
	numeric  []snapshot.SchemaEntry // of these with numbers or dates, in every era that has them
}

// longValue is a value of an attribute with how many people of a bucket have it.
type longValue struct {
	attribute string
	values    []string // one a record of the longest history
	count     float64
}

// lacking are the cells that some part does not have.
func (l *longTable) lacking() (out []int) {
	for _, at := range l.manifest.Lacking(snapshot.DataName) {
		if i := slices.Index(l.cells, l.manifest.Columns(snapshot.DataName)[at]); i >= 0 {
			out = append(out, 4+i)
		}
	}
	return out
}

// numbers are the columns of the table that JSON has as numbers.
func (l *longTable) numbers() (out []int) {
	out = []int{1, 2, 3, -1} // class, bucket, person and weight
	for i, e := range l.numeric {
		for k := range 3 {
			if e.Type != equivclass.Date {
				out = append(out, 4+len(l.cells)+3*i+k)
			}
		}
	}
	return out
}

func newLongTable(m *snapshot.Manifest, stream func(string, io.Writer) error) (*longTable, error) {
	if !slices.Contains(m.Names(), snapshot.ValuesName) {
		return nil, cli.Usage("leave out --long", "release %d is of level L1: it has no buckets, and --long is about them", m.Release)
	}
	l := &longTable{manifest: m, stream: stream, bags: map[[2]string][]longValue{}, people: map[[2]string]float64{}}
	for _, of := range slices.Backward(m.ByEra()) {
		for _, e := range of.Schema {
			if e.Role != equivclass.Quasi || slices.Contains(l.cells, e.Name) {
				continue
			}
			if l.cells = append(l.cells, e.Name); e.Type.Numeric() && (e.Hierarchy == nil || len(e.Hierarchy.Buckets) == 0) {
				l.numeric = append(l.numeric, e)
			}
		}
	}
	err := l.read(snapshot.BucketsName, func(row []string, at map[string]int) error {
		n, err := strconv.ParseFloat(row[at["people"]], 64)
		l.people[[2]string{row[0], row[at["bucket"]]}] = n
		return err
	})
	if err != nil {
		return nil, err
	}
	return l, l.read(snapshot.ValuesName, func(row []string, at map[string]int) error {
		n, err := strconv.ParseFloat(row[at["count"]], 64)
		key := [2]string{row[0], row[at["bucket"]]}
		l.bags[key] = append(l.bags[key], longValue{row[at["attribute"]], slices.Clone(row[at["value"]:at["count"]]), n})
		return err
	})
}

// read visits the rows of a file over all parts.
func (l *longTable) read(file string, row func(row []string, at map[string]int) error) error {
	in, out := io.Pipe()
	go func() { out.CloseWithError(l.stream(file, out)) }()
	defer in.Close()
	r, at := csv.NewReader(in), map[string]int{}
	header, err := r.Read()
	for i, name := range header {
		if _, there := at[name]; !there {
			at[name] = i
		}
	}
	for err == nil {
		var fields []string
		if fields, err = r.Read(); err == nil {
			err = row(fields, at)
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// write writes the table as CSV.
func (l *longTable) write(to io.Writer) error {
	header := append([]string{"part", "class", "bucket", "person"}, l.cells...)
	for _, e := range l.numeric {
		header = append(header, e.Name+"_lo", e.Name+"_hi", e.Name+"_mid")
	}
	w := csv.NewWriter(to)
	values := l.manifest.BagColumns("bucket")[1:]
	if err := w.Write(slices.Concat(header, values[:len(values)-1], []string{"weight"})); err != nil {
		return err
	}
	person := 0
	err := l.read(snapshot.DataName, func(row []string, at map[string]int) error {
		person++
		out := []string{row[0], row[at["class"]], row[at["bucket"]], strconv.Itoa(person)}
		for _, name := range l.cells {
			out = append(out, row[at[name]])
		}
		for _, e := range l.numeric {
			lo, hi, mid := ends(row[at[e.Name]], e.Type == equivclass.Date)
			out = append(out, lo, hi, mid)
		}
		key := [2]string{row[0], row[at["bucket"]]}
		if len(l.bags[key]) == 0 || l.people[key] == 0 {
			return fmt.Errorf("%w: a row is in a bucket without values", snapshot.ErrDamaged)
		}
		for _, v := range l.bags[key] {
			weight := strconv.FormatFloat(v.count/l.people[key], 'g', -1, 64)
			if err := w.Write(slices.Concat(out, []string{v.attribute}, v.values, []string{weight})); err != nil {
				return err
			}
		}
		return nil
	})
	w.Flush()
	return errors.Join(err, w.Error())
}

// ends are the lower and the upper end of a cell and the middle; empty where there is no number.
func ends(cell string, dates bool) (lo, hi, mid string) {
	cell, _ = strings.CutSuffix(cell, "|"+equivclass.MissingText)
	if cell == equivclass.MissingText || cell == snapshot.NotPublished || cell == "" {
		return "", "", ""
	}
	lo, hi = cell, cell
	if from, to, ranged := strings.Cut(strings.Trim(cell, "[]"), ","); ranged {
		lo, hi = from, to
	}
	if dates {
		from, err := time.Parse(time.DateOnly, lo)
		to, err2 := time.Parse(time.DateOnly, hi)
		if err != nil || err2 != nil {
			return lo, hi, ""
		}
		return lo, hi, from.AddDate(0, 0, int(to.Sub(from).Hours()/48)).Format(time.DateOnly)
	}
	from, _ := strconv.ParseFloat(lo, 64)
	to, _ := strconv.ParseFloat(hi, 64)
	return lo, hi, strconv.FormatFloat(from+(to-from)/2, 'f', -1, 64)
}

// writeLong writes a release as a long table.
func writeLong(to io.Writer, m *snapshot.Manifest, stream func(string, io.Writer) error, lines bool) error {
	l, err := newLongTable(m, stream)
	if err != nil {
		return err
	}
	if lines {
		to = &jsonLines{to: to, numbers: l.numbers(), lacking: l.lacking()}
	}
	return l.write(to)
}
