package audit

import (
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
	csv, header, err := r.csv(file, data)
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
	row := &localRowReader{s: r.s, csv: csv, ids: make([]uint32, len(at)), bucket: make([]uint32, len(at))}
	cells, read := newChangedCells(csv, at), row.cell
	for {
		ok, err := cells.next(len(raw.cls) == 0, read)
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
	ids    []uint32
	bucket []uint32
}

func (r *localRowReader) cell(j int, text []byte) error {
	r.bucket[j] = 0
	last := len(r.ids) - 1
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

// joinLocal puts rows and buckets together.
func (r *tableReader) joinLocal(file string, raw *localRows, l *localTable, numbers [][]uint32) (*table, error) {
	order, start, number, sorted, dense := raw.group()
	t := &table{d: raw.d, m: len(number), start: start, sa: make([]uint32, len(order)), box: make([]uint32, 0, len(number)*raw.d), local: l}
	for j, name := range numbers {
		if err := r.nameBuckets(file, j, name, raw.bucket[j], order, &l.attrs[j]); err != nil {
			return nil, err
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

// nameBuckets finds the bucket of each row, given its number as written; 0: none. b.row may
// be what was written, if the rows were in order.
func (r *tableReader) nameBuckets(file string, j int, numbers, written, order []uint32, b *localBuckets) error {
	if b.row == nil {
		b.row = make([]uint32, len(order))
	}
	named := make([]uint32, b.m)
	for i, row := range order {
		n := written[row]
		if n == 0 {
			b.row[i] = 0
			continue
		}
		at, ok := findBucket(numbers, n)
		if !ok {
			return unreadable(file, 0, "attribute %s: a row names a bucket that buckets.csv does not have", r.s.local[j].name)
		}
		b.row[i] = uint32(at) + 1
		named[at]++
	}
	for i, n := range named {
		if n != b.size[i] {
			r.f.add("files", kindBucketSize, r.release, i+1, r.s.local[j].name, "a bucket has another number of values than rows that name it")
		}
	}
	return nil
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
	r.f.addN("order", kindMixedCells, r.release, firstDiffer, "", "rows of one class carry different cells", differ)
	r.f.addN("A", kindMixedFlags, r.release, firstMixed, "", "rows of one class are not bucketed in the same attributes", mixed)
	r.f.addN("order", kindRowOrder, r.release, firstDisorder, "", "rows of a class are not sorted; their order may follow insertion", disorder)
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
