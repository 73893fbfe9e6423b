package audit

import (
	"bytes"
	"path/filepath"
	"slices"
)

// tableReader reads the data files of one release into a table and notes every
// departure from the canonical form.
type tableReader struct {
	s       *schema
	release int
	f       *faults
	rows    map[string]int // rows read per file
	joined  []joint        // a compaction: where canonical order begins anew
	form    string         // of the files, see Manifest.form
	k       int            // records of a class, for files that name no class
	opened  []*csvReader
}

// read reads the files and tests that nothing in them is quoted without need. data holds the files' bytes, paths their names for
// errors.
func (r *tableReader) read(form string, paths []string, data [][]byte) (*table, error) {
	t, err := r.parse(form, paths, data)
	for _, csv := range r.opened {
		r.f.addN("order", kindNotCanonical, r.release, 0, filepath.Base(csv.file), "a field is quoted without need", csv.spare)
	}
	return t, err
}

// csv opens one of the files.
func (r *tableReader) csv(file string, data []byte) (*csvReader, []string, error) {
	csv, header, err := newCSV(file, data)
	if err == nil {
		r.opened = append(r.opened, csv)
	}
	return csv, header, err
}

// parse dispatches on the form.
func (r *tableReader) parse(form string, paths []string, data [][]byte) (*table, error) {
	switch r.form = form; form {
	case formBuckets, formExact:
		return r.bucketed(paths, data)
	case formDrawn:
		return r.drawn(paths[0], data[0])
	}
	key := "class"
	if form != recodingGeneralization {
		key = "group"
	}
	raw, err := r.readRows(paths[0], data[0], len(paths) == 1, key)
	if err != nil {
		return nil, err
	}
	r.rows[dataFiles(form)[0]] = len(raw.cls)
	if form == recodingGeneralization {
		return r.generalized(raw), nil
	}
	pairs, err := r.readPairs(paths[1], data[1], form == recodingAnatomy)
	if err != nil {
		return nil, err
	}
	r.rows[dataFiles(form)[1]] = pairs.lines
	t, err := r.bucketized(paths[1], raw, pairs)
	if err == nil {
		t.permuted = form == recodingPermutation
	}
	return t, err
}

// columns maps the expected header onto the one found. Extra columns are a
// violation (an id that persists would be one) but do not stop the audit.
func (r *tableReader) columns(file string, header, want []string) ([]int, error) {
	if slices.Equal(header, want) {
		return ascending(len(want)), nil
	}
	at := make([]int, 0, len(want))
	for i, name := range header {
		if len(at) < len(want) && name == want[len(at)] {
			at = append(at, i)
		}
	}
	if len(at) < len(want) {
		return nil, unreadable(file, 1, "header lacks an attribute of the schema or is not in schema order")
	}
	r.f.addN("F", kindExtraColumn, r.release, 0, "", "the table has columns the format does not know; an id that persists links records",
		len(header)-len(want))
	return at, nil
}

func ascending(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// readRows reads a table of rows: cells in schema order, the sensitive value if
// withSA, and numbers: of the class or group, and where keys has two of the bucket.
func (r *tableReader) readRows(file string, data []byte, withSA bool, keys ...string) (*rawTable, error) {
	csv, header, err := r.csv(file, data)
	if err != nil {
		return nil, err
	}
	d := len(r.s.qi)
	want := make([]string, 0, d+3)
	for _, a := range r.s.qi {
		want = append(want, a.name)
	}
	if withSA {
		want = append(want, r.s.sa.name)
	}
	at, err := r.columns(file, header, append(want, keys...))
	if err != nil {
		return nil, err
	}
	n := csv.countRows()
	raw := &rawTable{d: d, cls: make([]uint32, 0, n), qi: make([]uint32, 0, n*d)}
	if withSA {
		raw.sa = make([]uint32, 0, n)
	}
	if len(keys) > 1 {
		raw.bucket = make([]uint32, 0, n)
	}
	row := &rowReader{s: r.s, csv: csv, keys: keys, ids: make([]uint32, len(at))}
	cells, read := newChangedCells(csv, at), row.cell
	if slices.Equal(at, ascending(len(at))) {
		csv.alike, csv.repeats = d, !withSA
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
		if withSA {
			raw.sa = append(raw.sa, row.ids[d])
		}
	}
}

// changedCells reads row by row. Neighbouring rows mostly repeat their cells, so
// each is compared with the one above before a dictionary is asked.
type changedCells struct {
	csv   *csvReader
	at    []int    // columns of the file
	above [][]byte // cells of the row above
}

func newChangedCells(csv *csvReader, at []int) *changedCells {
	return &changedCells{csv: csv, at: at, above: make([][]byte, len(at))}
}

// next reads a row and hands out its cells that differ from those above; of the
// first row, all.
func (c *changedCells) next(first bool, read func(j int, text []byte) error) (bool, error) {
	ok, err := c.csv.next()
	if err != nil || !ok {
		return ok, err
	}
	for j := c.csv.kept; j < len(c.at); j++ {
		text := c.csv.fields[c.at[j]]
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
	s    *schema
	csv  *csvReader
	keys []string
	ids  []uint32
}

func (r *rowReader) cell(j int, text []byte) (err error) {
	r.ids[j], err = r.id(j, text)
	return err
}

func (r *rowReader) id(j int, text []byte) (uint32, error) {
	switch {
	case j < len(r.s.qi):
		id, reason := r.s.qi[j].intern(text)
		if reason != "" {
			return 0, r.csv.fail("attribute %s: %s", r.s.qi[j].name, reason)
		}
		return id, nil
	case j < len(r.ids)-len(r.keys):
		return r.s.sa.read(r.csv, text)
	}
	number, ok := parseCount(text)
	if !ok || number == 0 {
		return 0, r.csv.fail("%s is not a positive number", r.keys[j-(len(r.ids)-len(r.keys))])
	}
	return number, nil
}

// generalized groups the rows of data.csv.
func (r *tableReader) generalized(raw *rawTable) *table {
	order, start, number, sorted, dense := raw.group()
	t := &table{d: raw.d, start: start, sa: make([]uint32, len(order))}
	t.box = make([]uint32, 0, len(number)*raw.d)
	differ, disorder := 0, 0
	firstDiffer, firstDisorder := 0, 0
	for c := range number {
		box := raw.qi[int(order[start[c]])*raw.d:][:raw.d]
		t.box = append(t.box, box...)
		for i := start[c]; i < start[c+1]; i++ {
			row := order[i]
			t.sa[i] = raw.sa[row]
			if !slices.Equal(raw.qi[int(row)*raw.d:][:raw.d], box) {
				differ, firstDiffer = differ+1, c+1
			}
			if i > start[c] && r.s.sa.compare(t.sa[i-1], t.sa[i]) > 0 {
				disorder, firstDisorder = disorder+1, c+1
			}
		}
	}
	r.f.addN("order", kindMixedCells, r.release, firstDiffer, "", "rows of one class carry different cells", differ)
	r.f.addN("order", kindRowOrder, r.release, firstDisorder, "", "rows of a class are not sorted; their order may follow insertion", disorder)
	r.finish(t, number, sorted, dense)
	return t
}

// finish derives the columns and checks the order of classes.
func (r *tableReader) finish(t *table, number []uint32, sorted, dense bool) {
	if !sorted {
		r.f.add("order", kindRowOrder, r.release, 0, "", "rows are not sorted by class; their order may follow insertion")
	}
	if !dense {
		t.number = number
		r.f.add("order", kindClassNumbers, r.release, 0, "",

			"classes are not numbered 1..m; a number that persists links classes across releases")
	}
	compare := newClassOrder(r.s, t).compare
	if t.shared != nil {
		compare = func(p, c int) int { return compareBucketed(r.s, t, p, c) }
	}
	for c := 1; c+1 < len(t.start); c++ {
		if compare(c-1, c) > 0 && !r.mayRestart(c) {
			r.f.add("order", kindClassOrder, r.release, c+1, "", "classes are not in canonical order")
		}
	}
	if t.shared != nil { // classes have no bags of their own
		t.shared.supports(t, r.s.sets)
		return
	}
	t.summarize(r.s.sets)
}

// joint is where the classes of a replaced part are in a compaction, from 0. If it
// was a compaction itself, order may begin anew anywhere in it.
type joint struct {
	first, end             int
	firstBucket, endBucket int // level L2: where its buckets are
	compacted              bool
}

// mayRestart reports that class c need not follow the class before it. It was
// tested when its part was written, and a compaction is compared with that.
func (r *tableReader) mayRestart(c int) bool {
	return slices.ContainsFunc(r.joined, func(j joint) bool { return c == j.first || j.compacted && j.first < c && c < j.end })
}
