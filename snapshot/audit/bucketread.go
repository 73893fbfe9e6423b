package audit

import "slices"

// bucketed reads data.csv and buckets.csv of level L2.
func (r *tableReader) bucketed(paths []string, data [][]byte) (*table, error) {
	raw, err := r.readRows(paths[0], data[0], false, "class", "bucket")
	if err != nil {
		return nil, err
	}
	r.rows["data.csv"] = len(raw.cls)
	l := &localTable{attrs: make([]localBuckets, 1)}
	numbers, lines, err := r.readBuckets(paths[1], data[1], &l.attrs[0])
	if err != nil {
		return nil, err
	}
	r.rows["buckets.csv"] = lines
	order, start, number, sorted, dense := raw.group()
	t := &table{d: raw.d, m: len(number), start: start, local: l, whole: true}
	if sorted { // the row i of the table is that of the file: its number is read before it is replaced
		l.attrs[0].row = raw.bucket
	}
	if err := r.nameBuckets(paths[0], 0, numbers, raw.bucket, order, &l.attrs[0]); err != nil {
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
	l.fill(t)
	r.finish(t, number, sorted, dense)
	r.shapeOfBuckets(t)
	return t, nil
}

// readBuckets reads buckets.csv into b and gives the bucket numbers as written.
func (r *tableReader) readBuckets(file string, data []byte, b *localBuckets) (numbers []uint32, lines int, err error) {
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
			return r.gather(0, list, b), len(list), nil
		}
		bucket, n, err := pairNumbers(csv, at, room)
		if err != nil {
			return nil, 0, err
		}
		room -= int(n)
		list = append(list, bucketLine{bucket, r.s.sa.intern(csv.fields[at[1]]), n})
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
