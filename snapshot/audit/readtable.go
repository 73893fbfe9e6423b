package audit

import (
	"bytes"
	"slices"
)

// tableReader reads the data files of one release into a table and notes every
// departure from the canonical form.
type tableReader struct {
	s       *schema
	release int
	f       *faults
	rows    map[string]int // rows read per file
}

// dataFiles names the files of a recoding, QI file first.
func dataFiles(recoding string) []string {
	switch recoding {
	case "generalization":
		return []string{"data.csv"}
	case "anatomy":
		return []string{"qit.csv", "st.csv"}
	case "permutation":
		return []string{"pqt.csv", "pst.csv"}
	}
	return nil
}

// read dispatches on the recoding. data holds the files' bytes, paths their
// names for errors.
func (r *tableReader) read(recoding string, paths []string, data [][]byte) (*table, error) {
	key := "class"
	if recoding != "generalization" {
		key = "group"
	}
	raw, err := r.readRows(paths[0], data[0], key, recoding == "generalization")
	if err != nil {
		return nil, err
	}
	r.rows[dataFiles(recoding)[0]] = len(raw.cls)
	if recoding == "generalization" {
		return r.generalized(raw), nil
	}
	pairs, err := r.readPairs(paths[1], data[1], recoding == "anatomy")
	if err != nil {
		return nil, err
	}
	r.rows[dataFiles(recoding)[1]] = pairs.lines
	t, err := r.bucketized(paths[1], raw, pairs)
	if err == nil {
		t.permuted = recoding == "permutation"
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
	r.f.addN("F", KindExtraColumn, r.release, 0, "", "the table has columns the format does not know; an id that persists links records", len(header)-len(want))
	return at, nil
}

func ascending(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func (r *tableReader) readRows(file string, data []byte, key string, withSA bool) (*rawTable, error) {
	csv, header, err := newCSV(file, data)
	if err != nil {
		return nil, err
	}
	d := len(r.s.qi)
	want := make([]string, 0, d+2)
	for _, a := range r.s.qi {
		want = append(want, a.name)
	}
	if withSA {
		want = append(want, r.s.sa.name)
	}
	at, err := r.columns(file, header, append(want, key))
	if err != nil {
		return nil, err
	}
	n := csv.countRows()
	raw := &rawTable{d: d, cls: make([]uint32, 0, n), qi: make([]uint32, 0, n*d)}
	if withSA {
		raw.sa = make([]uint32, 0, n)
	}
	// Neighbouring rows mostly repeat their cells: compare with the row above
	// before asking a dictionary.
	above, ids := make([][]byte, len(at)), make([]uint32, len(at))
	for {
		ok, err := csv.next()
		if err != nil || !ok {
			return raw, err
		}
		for j, col := range at {
			text := csv.fields[col]
			if len(raw.cls) > 0 && bytes.Equal(text, above[j]) {
				continue
			}
			above[j] = text
			switch {
			case j < d:
				id, reason := r.s.qi[j].intern(text)
				if reason != "" {
					return nil, csv.fail("attribute %s: %s", r.s.qi[j].name, reason)
				}
				ids[j] = id
			case j == len(at)-1:
				id, ok := parseCount(text)
				if !ok || id == 0 {
					return nil, csv.fail("%s is not a positive number", key)
				}
				ids[j] = id
			default:
				ids[j] = r.s.sa.intern(text)
			}
		}
		raw.qi = append(raw.qi, ids[:d]...)
		raw.cls = append(raw.cls, ids[len(at)-1])
		if withSA {
			raw.sa = append(raw.sa, ids[d])
		}
	}
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
	r.f.addN("order", KindMixedCells, r.release, firstDiffer, "", "rows of one class carry different cells", differ)
	r.f.addN("order", KindRowOrder, r.release, firstDisorder, "", "rows of a class are not sorted; their order may follow insertion", disorder)
	r.finish(t, number, sorted, dense)
	return t
}

// finish derives the columns and checks the order of classes.
func (r *tableReader) finish(t *table, number []uint32, sorted, dense bool) {
	if !sorted {
		r.f.add("order", KindRowOrder, r.release, 0, "", "rows are not sorted by class; their order may follow insertion")
	}
	if !dense {
		t.number = number
		r.f.add("order", KindClassNumbers, r.release, 0, "", "classes are not numbered 1..m; a number that persists links classes across releases")
	}
	byText := newBagOrder(r.s.sa)
	for c := 1; c+1 < len(t.start) && t.box != nil; c++ {
		if byText.compareClasses(r.s, t, c-1, c) > 0 {
			r.f.add("order", KindClassOrder, r.release, c+1, "", "classes are not in canonical order")
		}
	}
	t.summarize(r.s.sets)
}

// bagOrder compares bags as lists sorted by bytes.
type bagOrder struct {
	sa   *valueDict
	x, y []uint32
}

func newBagOrder(sa *valueDict) *bagOrder { return &bagOrder{sa: sa} }

func (b *bagOrder) compareClasses(s *schema, t *table, p, c int) int {
	for a, attr := range s.qi {
		x, y := t.box[p*t.d+a], t.box[c*t.d+a]
		if x == noCell || y == noCell {
			return 0
		}
		if o := attr.compare(x, y); o != 0 {
			return o
		}
	}
	b.x = append(b.x[:0], t.bag(p)...)
	b.y = append(b.y[:0], t.bag(c)...)
	slices.SortFunc(b.x, b.sa.compare)
	slices.SortFunc(b.y, b.sa.compare)
	return slices.CompareFunc(b.x, b.y, b.sa.compare)
}

// valuePairs is st.csv or pst.csv: sensitive values per group.
type valuePairs struct {
	lines int
	cls   []uint32 // one entry per record, counts expanded
	sa    []uint32
}

func (r *tableReader) readPairs(file string, data []byte, counted bool) (*valuePairs, error) {
	csv, header, err := newCSV(file, data)
	if err != nil {
		return nil, err
	}
	want := []string{"group", r.s.sa.name}
	if counted {
		want = append(want, "count")
	}
	at, err := r.columns(file, header, want)
	if err != nil {
		return nil, err
	}
	p := &valuePairs{}
	var lastGroup, lastSA uint32
	disorder := 0
	for {
		ok, err := csv.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		group, ok := parseCount(csv.fields[at[0]])
		if !ok || group == 0 {
			return nil, csv.fail("group is not a positive number")
		}
		n := uint32(1)
		if counted {
			if n, ok = parseCount(csv.fields[at[2]]); !ok || n == 0 || len(p.cls)+int(n) > maxRows {
				return nil, csv.fail("count is not a positive number in range")
			}
		}
		sa := r.s.sa.intern(csv.fields[at[1]])
		if p.lines > 0 && (group < lastGroup || group == lastGroup && r.outOfOrder(lastSA, sa, counted)) {
			disorder++
		}
		lastGroup, lastSA = group, sa
		p.lines++
		for range n {
			p.cls, p.sa = append(p.cls, group), append(p.sa, sa)
		}
	}
	r.f.addN("order", KindRowOrder, r.release, 0, r.s.sa.name, "sensitive values of a group are not sorted; their order may follow insertion", disorder)
	return p, nil
}

// maxRows bounds what a count field may expand to.
const maxRows = 1 << 28

// outOfOrder: a counted table has each value once, the other may repeat it.
func (r *tableReader) outOfOrder(last, next uint32, counted bool) bool {
	o := r.s.sa.compare(last, next)
	return o > 0 || counted && o == 0
}

// bucketized joins the exact rows with the bags of their groups.
func (r *tableReader) bucketized(file string, raw *rawTable, pairs *valuePairs) (*table, error) {
	order, start, number, sorted, dense := raw.group()
	bags := &rawTable{cls: pairs.cls}
	bagOf, bagStart, bagNumber, _, _ := bags.group()
	if !slices.Equal(number, bagNumber) || !slices.Equal(start, bagStart) {
		return nil, unreadable(file, 0, "groups or their sizes differ from the other table")
	}
	t := &table{d: raw.d, start: start, qi: make([]uint32, 0, len(raw.qi)), sa: make([]uint32, len(order))}
	disorder := 0
	for i, row := range order {
		t.qi = append(t.qi, raw.qi[int(row)*raw.d:][:raw.d]...)
		t.sa[i] = pairs.sa[bagOf[i]]
		if i > 0 && raw.cls[order[i-1]] == raw.cls[row] && r.compareRows(t, i-1, i) > 0 {
			disorder++
		}
	}
	r.f.addN("order", KindRowOrder, r.release, 0, "", "rows of a group are not sorted; their order may follow insertion", disorder)
	t.m = len(number)
	if err := r.onlyValues(file, t); err != nil {
		return nil, err
	}
	t.spanBoxes(r.s)
	r.finish(t, number, sorted, dense)
	return t, nil
}

// onlyValues refuses generalized cells where the recoding promises exact ones.
func (r *tableReader) onlyValues(file string, t *table) error {
	for i, id := range t.qi {
		if a := r.s.qi[i%t.d]; !a.isValue(&a.cells[id]) {
			return unreadable(file, 0, "attribute %s: a cell of an exact table is generalized", a.name)
		}
	}
	return nil
}

func (r *tableReader) compareRows(t *table, x, y int) int {
	for a, attr := range r.s.qi {
		if o := attr.compare(t.qi[x*t.d+a], t.qi[y*t.d+a]); o != 0 {
			return o
		}
	}
	return 0
}
