package audit

import "slices"

// valuePairs is st.csv or pst.csv: sensitive values per group.
type valuePairs struct {
	lines int
	cls   []uint32 // one entry per record, counts expanded
	sa    []uint32
}

func (r *tableReader) readPairs(file string, data []byte, counted bool) (*valuePairs, error) {
	csv, header, err := r.csv(file, data)
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
			r.f.addN("order", kindRowOrder, r.release, 0, r.s.sa.name,
				"sensitive values of a group are not sorted; their order may follow insertion", disorder)
			return p, nil
		}
		group, n, err := pairNumbers(csv, at, maxRows-len(p.cls))
		if err != nil {
			return nil, err
		}
		sa, err := r.s.sa.read(csv, csv.fields[at[1]])
		if err != nil {
			return nil, err
		}
		if p.lines > 0 && (group < lastGroup || group == lastGroup && r.outOfOrder(lastSA, sa, counted)) {
			disorder++
		}
		lastGroup, lastSA = group, sa
		p.lines++
		for range n {
			p.cls, p.sa = append(p.cls, group), append(p.sa, sa)
		}
	}
}

// pairNumbers reads the group and the count (1 without a count column).
func pairNumbers(csv *csvReader, at []int, most int) (group, n uint32, err error) {
	group, ok := parseCount(csv.fields[at[0]])
	if !ok || group == 0 {
		return 0, 0, csv.fail("group is not a positive number")
	}
	n = 1
	if len(at) > 2 {
		if n, ok = parseCount(csv.fields[at[2]]); !ok || n == 0 || int(n) > most {
			return 0, 0, csv.fail("count is not a positive number in range")
		}
	}
	return group, n, nil
}

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
	return r.exactTable(file, t, disorder, number, sorted, dense)
}

// exactTable finishes a table of exact cells, disorder of whose rows are not in
// order within their group.
func (r *tableReader) exactTable(file string, t *table, disorder int, number []uint32, sorted, dense bool) (*table, error) {
	r.f.addN("order", kindRowOrder, r.release, 0, "", "rows of a group are not sorted; their order may follow insertion", disorder)
	t.m = len(number)
	if err := r.onlyValues(file, t); err != nil {
		return nil, err
	}
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

// bucketed reads data.csv and buckets.csv of level L2.
func (r *tableReader) bucketed(paths []string, data [][]byte) (*table, error) {
	raw, err := r.readRows(paths[0], data[0], false, "class", "bucket")
	if err != nil {
		return nil, err
	}
	r.rows["data.csv"] = len(raw.cls)
	b := &bucketTable{dict: r.s.bags}
	numbers, lines, err := r.readBuckets(paths[1], data[1], b)
	if err != nil {
		return nil, err
	}
	r.rows["buckets.csv"] = lines
	order, start, number, sorted, dense := raw.group()
	t := &table{d: raw.d, m: len(number), start: start, shared: b}
	if sorted { // the row i of the table is that of the file: its number is read before it is replaced
		b.row = raw.bucket
	}
	if err := r.nameBuckets(paths[0], numbers, raw.bucket, order, b); err != nil {
		return nil, err
	}
	if r.form == formExact {
		if err := r.exactClasses(paths[0], raw, order, t); err != nil {
			return nil, err
		}
	} else {
		r.equalCells(raw, order, t)
	}
	t.sa = order // whose rows are in the table by now: its room is that of the values
	b.fill(t)
	r.finish(t, number, sorted, dense)
	r.shapeOfBuckets(t)
	return t, nil
}

// readBuckets reads buckets.csv into b and gives the bucket numbers as written.
func (r *tableReader) readBuckets(file string, data []byte, b *bucketTable) (numbers []uint32, lines int, err error) {
	csv, header, err := r.csv(file, data)
	if err != nil {
		return nil, 0, err
	}
	at, err := r.columns(file, header, []string{"bucket", r.s.sa.name, "count"})
	if err != nil {
		return nil, 0, err
	}
	list := make([]bucketLine, 0, csv.countRows())
	room := maxRows
	for {
		ok, err := csv.next()
		if err != nil {
			return nil, 0, err
		}
		if !ok {
			return r.gather(list, b), len(list), nil
		}
		bucket, n, err := pairNumbers(csv, at, room)
		if err != nil {
			return nil, 0, err
		}
		room -= int(n)
		sa, err := r.s.sa.read(csv, csv.fields[at[1]])
		if err != nil {
			return nil, 0, err
		}
		list = append(list, bucketLine{bucket, sa, n})
	}
}

// equalCells takes the cells of each class, which all its rows show.
func (r *tableReader) equalCells(raw *rawTable, order []uint32, t *table) {
	cell := func(i uint32) []uint32 { return raw.qi[int(order[i])*raw.d:][:raw.d] }
	differ, first := 0, 0
	t.box = make([]uint32, 0, t.m*raw.d)
	for c := range t.m {
		box := cell(t.start[c])
		t.box = append(t.box, box...)
		for i := t.start[c] + 1; i < t.start[c+1]; i++ {
			if !slices.Equal(cell(i), box) {
				differ, first = differ+1, c+1
			}
		}
	}
	r.f.addN("order", kindMixedCells, r.release, first, "", "rows of one class carry different cells", differ)
}

// exactClasses takes the rows of each class, which are sorted.
func (r *tableReader) exactClasses(file string, raw *rawTable, order []uint32, t *table) error {
	t.qi = make([]uint32, 0, len(raw.qi))
	disorder, first := 0, 0
	for c := range t.m {
		for i := t.start[c]; i < t.start[c+1]; i++ {
			t.qi = append(t.qi, raw.qi[int(order[i])*raw.d:][:raw.d]...)
			if i > t.start[c] && r.compareRows(t, int(i)-1, int(i)) > 0 {
				disorder, first = disorder+1, c+1
			}
		}
	}
	r.f.addN("order", kindRowOrder, r.release, first, "", "rows of a class are not sorted; their order may follow insertion", disorder)
	return r.onlyValues(file, t)
}

// gather builds the buckets and checks the order of their lines; that of the buckets
// their classes decide: see shapeOfBuckets.
func (r *tableReader) gather(list []bucketLine, b *bucketTable) (numbers []uint32) {
	name, disorder := r.s.sa.name, 0
	for i := 1; i < len(list); i++ {
		x, y := list[i-1], list[i]
		if y.number < x.number || y.number == x.number && r.s.sa.compare(x.value, y.value) >= 0 {
			disorder++
		}
	}
	r.f.addN("order", kindRowOrder, r.release, 0, name, "buckets or their values are not sorted; their order may follow insertion", disorder)
	byNumber := func(x, y bucketLine) int { return int(x.number) - int(y.number) }
	if !slices.IsSortedFunc(list, byNumber) {
		slices.SortStableFunc(list, byNumber)
	}
	b.value, b.count = slices.Grow(b.value, len(list)), slices.Grow(b.count, len(list))
	for from := 0; from < len(list); {
		to := from
		for to < len(list) && list[to].number == list[from].number {
			to++
		}
		numbers = append(numbers, list[from].number)
		b.add(list[from:to])
		from = to
	}
	b.start = append(b.start, uint32(len(b.value)))
	b.m = len(numbers)
	if b.m > 0 && int(numbers[b.m-1]) != b.m {
		r.f.add("order", kindBucketNumbers, r.release, 0, name,
			"buckets are not numbered 1..m; a number that persists links buckets across releases")
	}
	return numbers
}

// nameBuckets finds the bucket of each row, given its number as written. b.row may
// be what was written, if the rows were in order.
func (r *tableReader) nameBuckets(file string, numbers, written, order []uint32, b *bucketTable) error {
	if b.row == nil {
		b.row = make([]uint32, len(order))
	}
	named := make([]uint32, b.m)
	for i, row := range order {
		at, ok := findBucket(numbers, written[row])
		if !ok {
			return unreadable(file, 0, "attribute %s: a row names a bucket that buckets.csv does not have", r.s.sa.name)
		}
		b.row[i] = uint32(at) + 1
		named[at]++
	}
	for i, n := range named {
		if n != b.size[i] {
			r.f.add("files", kindBucketSize, r.release, i+1, r.s.sa.name, "a bucket has another number of values than rows that name it")
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
