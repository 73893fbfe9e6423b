package table

import (
	"bytes"
	"path/filepath"
	"slices"

	"anond/snapshot/audit/format"
)

// TableReader reads the data files of one release into a table and notes every
// departure from the canonical form.
type TableReader struct {
	S       *format.Schema
	Release int
	F       *format.Faults
	Rows    map[string]int // rows read per file
	Joined  []Joint        // a compaction: where canonical order begins anew
	// Left are the buckets that have left, ascending, and Pools how many the part had: numbers have gaps there.
	Left   []int
	Pools  int
	form   string      // of the files, see Manifest.form
	Pairs  [][2]string // of attributes, of which there are pair tables
	opened []*format.CsvReader
}

// Read reads the files and tests that nothing in them is quoted without need. data holds the files' bytes, paths their names for
// errors.
func (r *TableReader) Read(form string, paths []string, data [][]byte) (*Table, error) {
	t, err := r.parse(form, paths, data)
	for _, csv := range r.opened {
		r.F.AddN("order", format.KindNotCanonical, r.Release, 0, filepath.Base(csv.File), "a field is quoted without need", csv.Spare)
	}
	return t, err
}

// csv opens one of the files.
func (r *TableReader) csv(file string, data []byte) (*format.CsvReader, []string, error) {
	csv, header, err := format.NewCSV(file, data)
	if err == nil {
		r.opened = append(r.opened, csv)
	}
	return csv, header, err
}

// parse dispatches on the form.
func (r *TableReader) parse(form string, paths []string, data [][]byte) (*Table, error) {
	switch r.form = form; form {
	case format.FormBuckets, format.FormExact, format.FormDrawn:
		return r.bucketed(paths, data)
	}
	key := "class"
	if form != format.RecodingGeneralization {
		key = "group"
	}
	shown := 0
	if len(paths) == 1 {
		shown = 1
	}
	raw, err := r.readRows(paths[0], data[0], shown, key)
	if err != nil {
		return nil, err
	}
	r.Rows[format.DataFiles(form)[0]] = len(raw.cls)
	if form == format.RecodingGeneralization {
		return r.generalized(raw), nil
	}
	pairs, err := r.readPairs(paths[1], data[1], form == format.RecodingAnatomy)
	if err != nil {
		return nil, err
	}
	r.Rows[format.DataFiles(form)[1]] = pairs.lines
	t, err := r.bucketized(paths[1], raw, pairs)
	if err == nil {
		t.Permuted = form == format.RecodingPermutation
	}
	return t, err
}

// columns maps the expected header onto the one found. Extra columns are a
// violation (an id that persists would be one) but do not stop the audit.
func (r *TableReader) columns(file string, header, want []string) ([]int, error) {
	if slices.Equal(header, want) {
		return Ascending(len(want)), nil
	}
	at := make([]int, 0, len(want))
	for i, name := range header {
		if len(at) < len(want) && name == want[len(at)] {
			at = append(at, i)
		}
	}
	if len(at) < len(want) {
		return nil, format.Unreadable(file, 1, "header lacks an attribute of the schema or is not in schema order")
	}
	r.F.AddN("F", format.KindExtraColumn, r.Release, 0, "",
		"the table has columns the format does not know; an id that persists links records",
		len(header)-len(want))
	return at, nil
}

func Ascending(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// readRows reads a table of rows: cells in schema order, the values of the first sensitive
// attributes, so many, and numbers: of the class or group, and where keys has two of the bucket.
func (r *TableReader) readRows(file string, data []byte, shown int, keys ...string) (*rawTable, error) {
	csv, header, err := r.csv(file, data)
	if err != nil {
		return nil, err
	}
	d := len(r.S.Qi)
	want := make([]string, 0, d+3)
	for _, a := range r.S.Qi {
		want = append(want, a.Name)
	}
	for _, a := range r.S.Sas[:shown] {
		want = append(want, a.Name)
	}
	at, err := r.columns(file, header, append(want, keys...))
	if err != nil {
		return nil, err
	}
	n := csv.CountRows()
	raw := &rawTable{d: d, cls: make([]uint32, 0, n), qi: make([]uint32, 0, n*d)}
	if shown > 0 {
		raw.sa = make([]uint32, 0, n*shown)
	}
	if len(keys) > 1 {
		raw.bucket = make([]uint32, 0, n)
	}
	row := &rowReader{s: r.S, csv: csv, keys: keys, ids: make([]uint32, len(at))}
	cells, read := newChangedCells(csv, at), row.cell
	if slices.Equal(at, Ascending(len(at))) {
		csv.Alike, csv.Repeats = d, shown == 0
	}
	for {
		ok, err := cells.next(len(raw.cls) == 0, read)
		if err != nil || !ok {
			return raw, err
		}
		raw.qi = append(raw.qi, row.ids[:d]...)
		raw.cls = append(raw.cls, row.ids[len(at)-len(keys)])
		if len(keys) > 1 {
			raw.bucket = append(raw.bucket, row.ids[len(at)-1])
		}
		raw.sa = append(raw.sa, row.ids[d:d+shown]...)
	}
}

// changedCells reads row by row. Neighbouring rows mostly repeat their cells, so
// each is compared with the one above before a dictionary is asked.
type changedCells struct {
	csv   *format.CsvReader
	at    []int    // columns of the file
	above [][]byte // cells of the row above
}

func newChangedCells(csv *format.CsvReader, at []int) *changedCells {
	return &changedCells{csv: csv, at: at, above: make([][]byte, len(at))}
}

// next reads a row and hands out its cells that differ from those above; of the
// first row, all.
func (c *changedCells) next(first bool, read func(j int, text []byte) error) (bool, error) {
	ok, err := c.csv.Next()
	if err != nil || !ok {
		return ok, err
	}
	for j := c.csv.Kept; j < len(c.at); j++ {
		text := c.csv.Fields[c.at[j]]
		if !first && bytes.Equal(text, c.above[j]) {
			continue
		}
		c.above[j] = text
		if err := read(j, text); err != nil {
			return false, err
		}
	}
	return true, nil
}

// rowReader turns the cells of a row into ids.
type rowReader struct {
	s    *format.Schema
	csv  *format.CsvReader
	keys []string
	ids  []uint32
}

func (r *rowReader) cell(j int, text []byte) (err error) {
	r.ids[j], err = r.id(j, text)
	return err
}

func (r *rowReader) id(j int, text []byte) (uint32, error) {
	switch {
	case j < len(r.s.Qi):
		id, reason := r.s.Qi[j].Intern(text)
		if reason != "" {
			return 0, r.csv.Fail("attribute %s: %s", r.s.Qi[j].Name, reason)
		}
		return id, nil
	case j < len(r.ids)-len(r.keys):
		return r.s.Sas[j-len(r.s.Qi)].Read(r.csv, text)
	}
	number, ok := format.ParseCount(text)
	if !ok || number == 0 {
		return 0, r.csv.Fail("%s is not a positive number", r.keys[j-(len(r.ids)-len(r.keys))])
	}
	return number, nil
}

// generalized groups the rows of data.csv.
func (r *TableReader) generalized(raw *rawTable) *Table {
	order, start, number, sorted, dense := raw.group()
	t := &Table{D: raw.d, Start: start, Sa: make([]uint32, len(order))}
	t.Box = make([]uint32, 0, len(number)*raw.d)
	differ, disorder := 0, 0
	firstDiffer, firstDisorder := 0, 0
	for c := range number {
		box := raw.qi[int(order[start[c]])*raw.d:][:raw.d]
		t.Box = append(t.Box, box...)
		for i := start[c]; i < start[c+1]; i++ {
			row := order[i]
			t.Sa[i] = raw.sa[row]
			if !slices.Equal(raw.qi[int(row)*raw.d:][:raw.d], box) {
				differ, firstDiffer = differ+1, c+1
			}
			if i > start[c] && r.S.Sa.Compare(t.Sa[i-1], t.Sa[i]) > 0 {
				disorder, firstDisorder = disorder+1, c+1
			}
		}
	}
	r.F.AddN("order", format.KindMixedCells, r.Release, firstDiffer, "", "rows of one class carry different cells", differ)
	r.F.AddN("order", format.KindRowOrder, r.Release, firstDisorder, "",
		"rows of a class are not sorted; their order may follow insertion", disorder)
	r.finish(t, number, sorted, dense)
	return t
}

// finish derives the columns and checks the order of classes.
func (r *TableReader) finish(t *Table, number []uint32, sorted, dense bool) {
	if !sorted {
		r.F.Add("order", format.KindRowOrder, r.Release, 0, "", "rows are not sorted by class; their order may follow insertion")
	}
	if !dense && len(r.Left) > 0 {
		t.Number = number
	} else if !dense {
		t.Number = number
		r.F.Add("order", format.KindClassNumbers, r.Release, 0, "",

			"classes are not numbered 1..m; a number that persists links classes across releases")
	}
	compare := newClassOrder(r.S, t).compare
	if t.Shared != nil {
		compare = func(p, c int) int { return compareBucketed(r.S, t, p, c) }
	}
	for c := 1; c+1 < len(t.Start); c++ {
		if compare(c-1, c) > 0 && !r.mayRestart(t.At(c-1), t.At(c)) {
			r.F.Add("order", format.KindClassOrder, r.Release, c+1, "", "classes are not in canonical order")
		}
	}
	if t.Shared != nil { // classes have no bags of their own
		t.Shared.supports(t, r.S.Sets)
		return
	}
	t.Summarize(r.S.Sets)
}

// Joint is where the classes of a replaced part are in a compaction, from 0. If it
// was a compaction itself, order may begin anew anywhere in it.
type Joint struct {
	First, End             int
	FirstBucket, EndBucket int // level L2: where its buckets are
	Compacted              bool
}

// mayRestart reports that class c need not follow class p, which is the one before it, both numbered from 0. It was
// tested when its part was written, and a compaction is compared with that.
func (r *TableReader) mayRestart(p, c int) bool {
	return slices.ContainsFunc(r.Joined, func(j Joint) bool {
		return p < j.First && j.First <= c || j.Compacted && j.First < c && c < j.End
	})
}
