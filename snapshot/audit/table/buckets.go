package table

import "slices"
import (
	"anond/snapshot/audit/format"
)

// valuePairs is st.csv or pst.csv: sensitive values per group.
type valuePairs struct {
	lines int
	cls   []uint32 // one entry per record, counts expanded
	sa    []uint32
}

func (r *TableReader) readPairs(file string, data []byte, counted bool) (*valuePairs, error) {
	csv, header, err := r.csv(file, data)
	if err != nil {
		return nil, err
	}
	want := []string{"group", r.S.Sa.Name}
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
		ok, err := csv.Next()
		if err != nil {
			return nil, err
		}
		if !ok {
			r.F.AddN("order", format.KindRowOrder, r.Release, 0, r.S.Sa.Name,
				"sensitive values of a group are not sorted; their order may follow insertion", disorder)
			return p, nil
		}
		group, n, err := pairNumbers(csv, at, format.MaxRows-len(p.cls))
		if err != nil {
			return nil, err
		}
		sa, err := r.S.Sa.Read(csv, csv.Fields[at[1]])
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
func pairNumbers(csv *format.CsvReader, at []int, most int) (group, n uint32, err error) {
	group, ok := format.ParseCount(csv.Fields[at[0]])
	if !ok || group == 0 {
		return 0, 0, csv.Fail("group is not a positive number")
	}
	n = 1
	if len(at) > 2 {
		if n, ok = format.ParseCount(csv.Fields[at[2]]); !ok || n == 0 || int(n) > most {
			return 0, 0, csv.Fail("count is not a positive number in range")
		}
	}
	return group, n, nil
}

// outOfOrder: a counted table has each value once, the other may repeat it.
func (r *TableReader) outOfOrder(last, next uint32, counted bool) bool {
	o := r.S.Sa.Compare(last, next)
	return o > 0 || counted && o == 0
}

// bucketized joins the exact rows with the bags of their groups.
func (r *TableReader) bucketized(file string, raw *rawTable, pairs *valuePairs) (*Table, error) {
	order, start, number, sorted, dense := raw.group()
	bags := &rawTable{cls: pairs.cls}
	bagOf, bagStart, bagNumber, _, _ := bags.group()
	if !slices.Equal(number, bagNumber) || !slices.Equal(start, bagStart) {
		return nil, format.Unreadable(file, 0, "groups or their sizes differ from the other table")
	}
	t := &Table{D: raw.d, Start: start, qi: make([]uint32, 0, len(raw.qi)), Sa: make([]uint32, len(order))}
	disorder := 0
	for i, row := range order {
		t.qi = append(t.qi, raw.qi[int(row)*raw.d:][:raw.d]...)
		t.Sa[i] = pairs.sa[bagOf[i]]
		if i > 0 && raw.cls[order[i-1]] == raw.cls[row] && r.compareRows(t, i-1, i) > 0 {
			disorder++
		}
	}
	return r.exactTable(file, t, disorder, number, sorted, dense)
}

// exactTable finishes a table of exact cells, disorder of whose rows are not in
// order within their group.
func (r *TableReader) exactTable(file string, t *Table, disorder int, number []uint32, sorted, dense bool) (*Table, error) {
	r.F.AddN("order", format.KindRowOrder, r.Release, 0, "", "rows of a group are not sorted; their order may follow insertion", disorder)
	t.M = len(number)
	if err := r.onlyValues(file, t); err != nil {
		return nil, err
	}
	r.finish(t, number, sorted, dense)
	return t, nil
}

// onlyValues refuses generalized cells where the recoding promises exact ones.
func (r *TableReader) onlyValues(file string, t *Table) error {
	for i, id := range t.qi {
		if a := r.S.Qi[i%t.D]; !a.IsValue(&a.Cells[id]) {
			return format.Unreadable(file, 0, "attribute %s: a cell of an exact table is generalized", a.Name)
		}
	}
	return nil
}

func (r *TableReader) compareRows(t *Table, x, y int) int {
	for a, attr := range r.S.Qi {
		if o := attr.Compare(t.qi[x*t.D+a], t.qi[y*t.D+a]); o != 0 {
			return o
		}
	}
	return 0
}

// bucketed reads the files of level L2.
func (r *TableReader) bucketed(paths []string, data [][]byte) (*Table, error) {
	drawn := 0
	if r.form == format.FormDrawn {
		drawn = len(r.S.Sas)
	}
	raw, err := r.readRows(paths[0], data[0], drawn, "class", "bucket")
	if err != nil {
		return nil, err
	}
	r.Rows["data.csv"] = len(raw.cls)
	b := &BucketTable{dict: r.S.Bags}
	numbers, err := r.readBuckets(paths[3], data[3], b)
	if err != nil {
		return nil, err
	}
	if b.Of, err = r.readBags(paths[1], data[1], "bucket", numbers, b.Records); err != nil {
		return nil, err
	}
	order, start, number, sorted, dense := raw.group()
	t := &Table{D: raw.d, M: len(number), Start: start, Shared: b}
	if sorted { // the row i of the table is that of the file: its number is read before it is replaced
		b.Row = raw.bucket
	}
	if err := r.nameBuckets(paths[0], numbers, raw.bucket, order, b); err != nil {
		return nil, err
	}
	if r.form == format.FormExact {
		if err := r.exactClasses(paths[0], raw, order, t); err != nil {
			return nil, err
		}
	} else {
		r.equalCells(raw, order, t)
	}
	if drawn > 0 {
		r.drawn(raw, order, t)
	}
	t.Sa = order // whose rows are in the table by now: its room is that of the values
	b.fill(t)
	r.finish(t, number, sorted, dense)
	r.shapeOfBuckets(t)
	return t, r.pools(paths, data, t)
}

// readBuckets reads buckets.csv into b and gives the bucket numbers as written.
func (r *TableReader) readBuckets(file string, data []byte, b *BucketTable) (numbers []uint32, err error) {
	csv, header, err := r.csv(file, data)
	if err != nil {
		return nil, err
	}
	want := []string{"bucket", "pool", "people"}
	if r.S.Strata {
		want = append(want, "stratum")
	}
	if r.S.Records > 1 {
		want = append(want, "records")
	}
	at, err := r.columns(file, header, want)
	if err != nil {
		return nil, err
	}
	room, misnumbered, mixed, other, of := format.MaxRows, 0, 0, 0, map[uint32]string{}
	for {
		ok, err := csv.Next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		var row [3]uint32
		for i := range row {
			if row[i], ok = format.ParseCount(csv.Fields[at[i]]); !ok || row[i] == 0 || int(row[i]) > room {
				return nil, csv.Fail("a number is not positive, or not in range")
			}
		}
		if room -= int(row[2]); r.S.Strata {
			stratum, ok := format.StratumOf(csv.Fields[at[3]], r.S.Records)
			if !ok {
				return nil, csv.Fail("stratum is none")
			}
			if first, known := of[row[1]]; known && first != stratum.Text {
				mixed++
			} else {
				of[row[1]] = stratum.Text
			}
			b.Stratum = append(b.Stratum, stratum.Text)
			if r.S.Records > 1 {
				n, _ := format.ParseCount(csv.Fields[at[4]])
				if int(n) != stratum.Records {
					other++
				}
				b.Records = append(b.Records, stratum.Records)
			}
		}
		if b.M > 0 && row[0] <= numbers[b.M-1] {
			return nil, csv.Fail("a bucket is not sorted by number")
		}
		if pool := int(row[1]); pool > b.N+1 && len(r.Left) == 0 {
			misnumbered++
		}
		b.N = max(b.N, int(row[1]))
		numbers, b.Pool, b.Size, b.M = append(numbers, row[0]), append(b.Pool, row[1]-1), append(b.Size, row[2]), b.M+1
	}
	r.Rows["buckets.csv"] = b.M
	r.F.AddN("U", format.KindStrataMixed, r.Release, 0, "", "a pool has people of several strata, who are not alike", mixed)
	r.F.AddN("U", format.KindHistoryLength, r.Release, 0, "records", "a bucket has another number of records than its stratum", other)
	r.F.AddN("order", format.KindPoolNumbers, r.Release, 0, "",
		"pools are not numbered 1..n in the order of their first buckets; a number that persists links pools across releases", misnumbered)
	if len(r.Left) > 0 {
		b.N, b.Number = max(b.N, r.Pools), numbers
	}
	if b.M > 0 && !r.onlyLeft(numbers) {
		r.F.Add("order", format.KindBucketNumbers, r.Release, 0, "",
			"buckets are not numbered 1..m; a number that persists links buckets across releases")
	}
	return numbers, nil
}

// onlyLeft reports that the numbers of buckets go from 1 on, without those that have left.
func (r *TableReader) onlyLeft(numbers []uint32) bool {
	next, left := 1, r.Left
	for _, n := range numbers {
		for len(left) > 0 && left[0] == next {
			next, left = next+1, left[1:]
		}
		if int(n) != next {
			return false
		}
		next++
	}
	return true
}

// equalCells takes the cells of each class, which all its rows show.
func (r *TableReader) equalCells(raw *rawTable, order []uint32, t *Table) {
	cell := func(i uint32) []uint32 { return raw.qi[int(order[i])*raw.d:][:raw.d] }
	differ, first := 0, 0
	t.Box = make([]uint32, 0, t.M*raw.d)
	for c := range t.M {
		box := cell(t.Start[c])
		t.Box = append(t.Box, box...)
		for i := t.Start[c] + 1; i < t.Start[c+1]; i++ {
			if !slices.Equal(cell(i), box) {
				differ, first = differ+1, c+1
			}
		}
	}
	r.F.AddN("order", format.KindMixedCells, r.Release, first, "", "rows of one class carry different cells", differ)
}

// exactClasses takes the rows of each class, which are sorted.
func (r *TableReader) exactClasses(file string, raw *rawTable, order []uint32, t *Table) error {
	t.qi = make([]uint32, 0, len(raw.qi))
	disorder, first := 0, 0
	for c := range t.M {
		for i := t.Start[c]; i < t.Start[c+1]; i++ {
			t.qi = append(t.qi, raw.qi[int(order[i])*raw.d:][:raw.d]...)
			if i > t.Start[c] && r.compareRows(t, int(i)-1, int(i)) > 0 {
				disorder, first = disorder+1, c+1
			}
		}
	}
	r.F.AddN("order", format.KindRowOrder, r.Release, first, "", "rows of a class are not sorted; their order may follow insertion", disorder)
	return r.onlyValues(file, t)
}

// nameBuckets finds the bucket of each row, given its number as written. b.row may
// be what was written, if the rows were in order.
func (r *TableReader) nameBuckets(file string, numbers, written, order []uint32, b *BucketTable) error {
	if b.Row == nil {
		b.Row = make([]uint32, len(order))
	}
	named := make([]uint32, b.M)
	for i, row := range order {
		at, ok := findBucket(numbers, written[row])
		if !ok {
			return format.Unreadable(file, 0, "a row names a bucket that buckets.csv does not have")
		}
		b.Row[i] = uint32(at) + 1
		named[at]++
	}
	for i, n := range named {
		if n != b.Size[i] {
			r.F.Add("files", format.KindBucketSize, r.Release, i+1, "", "a bucket has another number of people than rows that name it")
		}
		for a, of := range b.Of {
			if of.sum(uint32(i)) != b.Size[i] {
				r.F.Add("files", format.KindBucketSize, r.Release, i+1, r.S.Sas[a].Name, "a bucket has another number of values than of people")
			}
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
