package audit

import (
	"bytes"
	"slices"
)

// localized reads lgb.csv and buckets.csv.
func (r *tableReader) localized(paths []string, data [][]byte) (*table, error) {
	raw, err := r.readLocalRows(paths[0], data[0])
	if err != nil {
		return nil, err
	}
	r.rows["lgb.csv"] = len(raw.cls)
	l := &localTable{attrs: make([]localBuckets, len(r.s.local))}
	numbers, lines, err := r.readLocalBuckets(paths[1], data[1], l)
	if err != nil {
		return nil, err
	}
	r.rows["buckets.csv"] = lines
	return r.joinLocal(paths[0], raw, l, numbers)
}

// localRows is lgb.csv as read: cells, and per local attribute the number of
// the row's bucket, 0 where the value is in the cell.
type localRows struct {
	rawTable
	bucket [][]uint32
}

func (r *tableReader) readLocalRows(file string, data []byte) (*localRows, error) {
	csv, header, err := newCSV(file, data)
	if err != nil {
		return nil, err
	}
	var want []string
	for _, a := range r.s.qi {
		want = append(want, a.name)
	}
	at, err := r.columns(file, header, append(want, r.s.sa.name, "class"))
	if err != nil {
		return nil, err
	}
	raw := &localRows{rawTable: rawTable{d: len(r.s.qi)}, bucket: make([][]uint32, len(r.s.local))}
	n := csv.countRows()
	raw.qi, raw.cls = make([]uint32, 0, n*raw.d), make([]uint32, 0, n)
	for j := range raw.bucket {
		raw.bucket[j] = make([]uint32, 0, n)
	}
	row := &localRowReader{s: r.s, csv: csv, at: at, above: make([][]byte, len(at)), ids: make([]uint32, len(at)), bucket: make([]uint32, len(at))}
	for {
		ok, err := row.next(len(raw.cls) == 0)
		if err != nil || !ok {
			return raw, err
		}
		raw.qi = append(raw.qi, row.ids[:raw.d]...)
		raw.cls = append(raw.cls, row.ids[len(at)-1])
		for j, l := range r.s.local {
			col := l.col
			if col < 0 {
				col = raw.d
			}
			raw.bucket[j] = append(raw.bucket[j], row.bucket[col])
		}
	}
}

// localRowReader is rowReader with cells *n.
type localRowReader struct {
	s      *schema
	csv    *csvReader
	at     []int
	above  [][]byte
	ids    []uint32
	bucket []uint32
}

func (r *localRowReader) next(first bool) (bool, error) {
	ok, err := r.csv.next()
	if err != nil || !ok {
		return ok, err
	}
	for j, col := range r.at {
		text := r.csv.fields[col]
		if !first && bytes.Equal(text, r.above[j]) {
			continue
		}
		r.above[j] = text
		if err := r.cell(j, text); err != nil {
			return false, err
		}
	}
	return true, nil
}

func (r *localRowReader) cell(j int, text []byte) error {
	r.bucket[j] = 0
	last := len(r.at) - 1
	switch n, bucketed := bucketNumber(text); {
	case j == last:
		class, ok := parseCount(text)
		if !ok || class == 0 {
			return r.csv.fail("class is not a positive number")
		}
		r.ids[j] = class
	case bucketed && (j == last-1 || r.s.qi[j].semi):
		r.ids[j], r.bucket[j] = bucketedCell, n
	case j == last-1:
		return r.csv.fail("the cell of the sensitive attribute does not name a bucket")
	default:
		id, reason := r.s.qi[j].intern(text)
		if reason != "" {
			return r.csv.fail("attribute %s: %s", r.s.qi[j].name, reason)
		}
		r.ids[j] = id
	}
	return nil
}

// bucketNumber reads *n.
func bucketNumber(text []byte) (uint32, bool) {
	if len(text) < 2 || text[0] != '*' {
		return 0, false
	}
	n, ok := parseCount(text[1:])
	return n, ok && n > 0
}

// readLocalBuckets reads buckets.csv into l and gives, per attribute, the
// bucket numbers as written.
func (r *tableReader) readLocalBuckets(file string, data []byte, l *localTable) (numbers [][]uint32, lines int, err error) {
	csv, header, err := newCSV(file, data)
	if err != nil {
		return nil, 0, err
	}
	at, err := r.columns(file, header, []string{"attribute", "bucket", "value", "count"})
	if err != nil {
		return nil, 0, err
	}
	byName := map[string]int{}
	for j, a := range r.s.local {
		byName[a.name] = j
	}
	list := make([][]bucketLine, len(r.s.local))
	last, room := 0, maxRows
	for {
		ok, err := csv.next()
		if err != nil {
			return nil, 0, err
		}
		if !ok {
			break
		}
		j, known := byName[string(csv.fields[at[0]])]
		number, okN := parseCount(csv.fields[at[1]])
		count, okC := parseCount(csv.fields[at[3]])
		switch {
		case !known:
			return nil, 0, csv.fail("attribute is not one that has buckets")
		case !okN || number == 0:
			return nil, 0, csv.fail("bucket is not a positive number")
		case !okC || count == 0 || int(count) > room:
			return nil, 0, csv.fail("count is not a positive number in range")
		}
		room -= int(count)
		if j < last {
			r.f.add("order", KindRowOrder, r.release, 0, "", "the buckets are not listed attribute by attribute in schema order")
		}
		last = j
		list[j] = append(list[j], bucketLine{number, r.bucketValue(j, number, csv.fields[at[2]]), count})
		lines++
	}
	for j := range list {
		numbers = append(numbers, r.gather(j, list[j], &l.attrs[j]))
	}
	return numbers, lines, nil
}

type bucketLine struct{ number, value, count uint32 }

// bucketValue interns a value of a bucket, which must be one value and no cell.
func (r *tableReader) bucketValue(j int, number uint32, text []byte) uint32 {
	a := r.s.local[j]
	if a.col >= 0 {
		attr := r.s.qi[a.col]
		id, reason := attr.internValue(text)
		if reason == "" && attr.cells[id].text == string(text) {
			return a.values.intern(text)
		}
		r.f.add("files", KindBucketValue, r.release, int(number), a.name, "a bucket holds something that is not a single value in canonical form")
	}
	return a.values.intern(text)
}

// gather builds the buckets of an attribute and checks their canonical order.
func (r *tableReader) gather(j int, list []bucketLine, b *localBuckets) (numbers []uint32) {
	a := r.s.local[j]
	disorder := 0
	for i := 1; i < len(list); i++ {
		x, y := list[i-1], list[i]
		if y.number < x.number || y.number == x.number && a.values.compare(x.value, y.value) >= 0 {
			disorder++
		}
	}
	r.f.addN("order", KindRowOrder, r.release, 0, a.name, "buckets or their values are not sorted; their order may follow insertion", disorder)
	slices.SortStableFunc(list, func(x, y bucketLine) int { return int(x.number) - int(y.number) })
	var before []bucketLine
	unordered := 0
	for from := 0; from < len(list); {
		to := from
		for to < len(list) && list[to].number == list[from].number {
			to++
		}
		part := list[from:to]
		bag := canonicalRuns(a.values, part)
		if len(numbers) > 0 && compareRuns(a.values, before, bag) > 0 {
			unordered++
		}
		before = bag
		numbers = append(numbers, part[0].number)
		b.add(a, part)
		from = to
	}
	b.start = append(b.start, uint32(len(b.value)))
	b.m = len(numbers)
	if b.m > 0 && int(numbers[b.m-1]) != b.m {
		r.f.add("order", KindBucketNumbers, r.release, 0, a.name, "buckets are not numbered 1..m; a number that persists links buckets across releases")
	}
	r.f.addN("order", KindBucketOrder, r.release, 0, a.name, "buckets are not in canonical order", unordered)
	return numbers
}

// canonicalRuns sorts the values of a bucket.
func canonicalRuns(d *valueDict, part []bucketLine) []bucketLine {
	sorted := slices.Clone(part)
	slices.SortStableFunc(sorted, func(x, y bucketLine) int { return d.compare(x.value, y.value) })
	return sorted
}

// compareRuns compares two bags as sorted lists, without writing them out.
func compareRuns(d *valueDict, x, y []bucketLine) int {
	var i, j int
	var usedX, usedY uint32
	for i < len(x) && j < len(y) {
		if o := d.compare(x[i].value, y[j].value); o != 0 {
			return o
		}
		n := min(x[i].count-usedX, y[j].count-usedY)
		usedX, usedY = usedX+n, usedY+n
		if usedX == x[i].count {
			i, usedX = i+1, 0
		}
		if usedY == y[j].count {
			j, usedY = j+1, 0
		}
	}
	return (len(x) - i) - (len(y) - j)
}

// add appends a bucket.
func (b *localBuckets) add(a *localAttr, part []bucketLine) {
	slices.SortStableFunc(part, func(x, y bucketLine) int { return int(x.value) - int(y.value) })
	b.start = append(b.start, uint32(len(b.value)))
	var size, top uint32
	var content []uint32
	for i, l := range part {
		if i > 0 && part[i-1].value == l.value {
			b.count[len(b.count)-1] += l.count
			content[len(content)-1] += l.count
		} else {
			b.value, b.count = append(b.value, l.value), append(b.count, l.count)
			content = append(content, l.value, l.count)
		}
		size += l.count
		top = max(top, b.count[len(b.count)-1])
	}
	b.size, b.top, b.bag = append(b.size, size), append(b.top, top), append(b.bag, a.bags.intern(content))
}

// joinLocal puts rows and buckets together.
func (r *tableReader) joinLocal(file string, raw *localRows, l *localTable, numbers [][]uint32) (*table, error) {
	order, start, number, sorted, dense := raw.group()
	t := &table{d: raw.d, m: len(number), start: start, sa: make([]uint32, len(order)), box: make([]uint32, 0, len(number)*raw.d), local: l}
	for j, name := range numbers {
		b := &l.attrs[j]
		b.row = make([]uint32, len(order))
		named := make([]uint32, b.m)
		for i, row := range order {
			n := raw.bucket[j][row]
			if n == 0 {
				continue
			}
			at, ok := findBucket(name, n)
			if !ok {
				return nil, unreadable(file, 0, "attribute %s: a row names a bucket that buckets.csv does not have", r.s.local[j].name)
			}
			b.row[i] = uint32(at) + 1
			named[at]++
		}
		for i, n := range named {
			if n != b.size[i] {
				r.f.add("files", KindBucketSize, r.release, i+1, r.s.local[j].name, "a bucket has another number of values than rows that name it")
			}
		}
	}
	r.shapeOfClasses(raw, order, t)
	l.own = l.ownBags(t)
	l.fill(t)
	r.finish(t, number, sorted, dense)
	if !l.own {
		l.supports(t, r.s.sets)
	}
	return t, nil
}

func findBucket(numbers []uint32, n uint32) (int, bool) {
	if int(n) <= len(numbers) && numbers[n-1] == n {
		return int(n) - 1, true
	}
	return slices.BinarySearch(numbers, n)
}

// shapeOfClasses checks that the rows of a class show the same cells, are
// bucketed in the same attributes, and are sorted by their buckets.
func (r *tableReader) shapeOfClasses(raw *localRows, order []uint32, t *table) {
	cell := func(i uint32) []uint32 { return raw.qi[int(order[i])*raw.d:][:raw.d] }
	var differ, mixed, disorder, firstDiffer, firstMixed, firstDisorder int
	for c := range t.m {
		box := cell(t.start[c])
		t.box = append(t.box, box...)
		for i := t.start[c] + 1; i < t.start[c+1]; i++ {
			if row := cell(i); !slices.Equal(row, box) {
				if r.sameAttributes(row, box) {
					differ, firstDiffer = differ+1, c+1
				} else {
					mixed, firstMixed = mixed+1, c+1
				}
			}
			if r.compareBuckets(raw, order[i-1], order[i]) > 0 {
				disorder, firstDisorder = disorder+1, c+1
			}
		}
	}
	r.f.addN("order", KindMixedCells, r.release, firstDiffer, "", "rows of one class carry different cells", differ)
	r.f.addN("A", KindMixedFlags, r.release, firstMixed, "", "rows of one class are not bucketed in the same attributes", mixed)
	r.f.addN("order", KindRowOrder, r.release, firstDisorder, "", "rows of a class are not sorted; their order may follow insertion", disorder)
}

// sameAttributes reports that two rows are bucketed in the same attributes.
func (r *tableReader) sameAttributes(x, y []uint32) bool {
	for _, a := range r.s.local {
		if a.col >= 0 && (x[a.col] == bucketedCell) != (y[a.col] == bucketedCell) {
			return false
		}
	}
	return true
}

// compareBuckets orders two rows of a class by their bucket numbers.
func (r *tableReader) compareBuckets(raw *localRows, x, y uint32) int {
	for j := range raw.bucket {
		if o := int(raw.bucket[j][x]) - int(raw.bucket[j][y]); o != 0 {
			return o
		}
	}
	return 0
}
