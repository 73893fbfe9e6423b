package audit

import "slices"

// readLocalBuckets reads buckets.csv into l and gives, per attribute, the
// bucket numbers as written.
func (r *tableReader) readLocalBuckets(file string, data []byte, l *localTable) (numbers [][]uint32, lines int, err error) {
	csv, header, err := r.csv(file, data)
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
		if j < last && r.joined == nil { // a compaction lists them part by part
			r.f.add("order", kindRowOrder, r.release, 0, "", "the buckets are not listed attribute by attribute in schema order")
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
		r.f.add("files", kindBucketValue, r.release, int(number), a.name, "a bucket holds something that is not a single value in canonical form")
	}
	return a.values.intern(text)
}

// gather builds the buckets of an attribute and checks their canonical order, which
// at level L2 their classes decide: see shapeOfBuckets.
func (r *tableReader) gather(j int, list []bucketLine, b *localBuckets) (numbers []uint32) {
	a := r.s.local[j]
	disorder := 0
	for i := 1; i < len(list); i++ {
		x, y := list[i-1], list[i]
		if y.number < x.number || y.number == x.number && a.values.compare(x.value, y.value) >= 0 {
			disorder++
		}
	}
	r.f.addN("order", kindRowOrder, r.release, 0, a.name, "buckets or their values are not sorted; their order may follow insertion", disorder)
	byNumber := func(x, y bucketLine) int { return int(x.number) - int(y.number) }
	if !slices.IsSortedFunc(list, byNumber) {
		slices.SortStableFunc(list, byNumber)
	}
	b.value, b.count = slices.Grow(b.value, len(list)), slices.Grow(b.count, len(list))
	ordered := r.joined == nil && r.form == recodingLGB
	var before []bucketLine
	unordered := 0
	for from := 0; from < len(list); {
		to := from
		for to < len(list) && list[to].number == list[from].number {
			to++
		}
		part := list[from:to]
		if ordered {
			bag := canonicalRuns(a.values, part)
			if len(numbers) > 0 && compareRuns(a.values, before, bag) > 0 {
				unordered++
			}
			before = bag
		}
		numbers = append(numbers, part[0].number)
		b.add(a, part)
		from = to
	}
	b.start = append(b.start, uint32(len(b.value)))
	b.m = len(numbers)
	if b.m > 0 && int(numbers[b.m-1]) != b.m {
		r.f.add("order", kindBucketNumbers, r.release, 0, a.name,

			"buckets are not numbered 1..m; a number that persists links buckets across releases")
	}
	r.f.addN("order", kindBucketOrder, r.release, 0, a.name, "buckets are not in canonical order", unordered)
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
	for i, l := range part {
		if i > 0 && part[i-1].value == l.value {
			b.count[len(b.count)-1] += l.count
		} else {
			b.value, b.count = append(b.value, l.value), append(b.count, l.count)
		}
		size += l.count
		top = max(top, b.count[len(b.count)-1])
	}
	b.attr, b.size, b.top = a, append(b.size, size), append(b.top, top)
}
