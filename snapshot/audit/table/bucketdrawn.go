package table

import (
	"cmp"
	"slices"

	"anond/snapshot/audit/format"
)

// drawn reads data.csv of recoding permutation at level L2: every row shows cells,
// one value of its bucket, by draw, and the bucket. Files name no class. Rows of
// one bucket with equal cells are k times as many as classes have these cells, and
// classes are numbered in canonical order, as in files that name them. Which row is
// in which of several classes that look alike is arbitrary, and makes no difference.
func (r *TableReader) drawn(file string, data []byte) (*Table, error) {
	raw, err := r.readRows(file, data, true, "bucket")
	if err != nil {
		return nil, err
	}
	r.Rows["data.csv"] = len(raw.cls)
	d := &drawnRows{r: r, raw: raw, b: BucketTable{dict: r.S.Bags}}
	classes := d.buckets()
	slices.SortStableFunc(classes, d.compare)
	t := &Table{D: raw.d, M: len(classes), Start: []uint32{0}, Shared: &d.b}
	b := t.Shared
	for _, c := range classes {
		t.Box = append(t.Box, d.cells(c.rows[0])...)
		for _, row := range c.rows {
			t.Sa, b.Row = append(t.Sa, raw.sa[row]), append(b.Row, c.bucket+1)
		}
		t.Start = append(t.Start, uint32(len(t.Sa)))
	}
	t.pairs = slices.Clone(t.Sa)
	r.finish(t, nil, true, true)
	r.shapeOfBuckets(t)
	return t, nil
}

// drawnRows derives classes from rows that name their bucket.
type drawnRows struct {
	r   *TableReader
	raw *rawTable
	b   BucketTable
}

// drawnClass is k rows of a bucket with equal cells.
type drawnClass struct {
	joint  int // of a compaction
	bucket uint32
	rows   []uint32
}

func (d *drawnRows) cells(row uint32) []uint32 { return d.raw.qi[int(row)*d.raw.d:][:d.raw.d] }

// buckets gathers the bag of each bucket and cuts its rows into classes.
func (d *drawnRows) buckets() (classes []drawnClass) {
	r := d.r
	order, start, number, sorted, dense := d.raw.group()
	if !sorted {
		r.F.Add("order", format.KindRowOrder, r.Release, 0, "", "rows are not sorted by bucket; their order may follow insertion")
	}
	if !dense {
		r.F.Add("order", format.KindBucketNumbers, r.Release, 0, r.S.Sa.Name,
			"buckets are not numbered 1..m; a number that persists links buckets across releases")
	}
	disorder := 0
	for i := range number {
		rows := order[start[i]:start[i+1]]
		if !slices.IsSortedFunc(rows, d.compareRows) {
			disorder++
			slices.SortStableFunc(rows, d.compareRows)
		}
		var bag []BucketLine
		for _, row := range rows {
			bag = append(bag, BucketLine{number[i], d.raw.sa[row], 1})
		}
		d.b.Add(bag)
		classes = append(classes, d.cut(uint32(i), rows)...)
	}
	d.b.Start = append(d.b.Start, uint32(len(d.b.Value)))
	d.b.M = len(number)
	r.F.AddN("order", format.KindRowOrder, r.Release, 0, r.S.Sa.Name,
		"rows of a bucket are not sorted; their order may follow insertion", disorder)
	return classes
}

// cut makes classes of k of the rows with equal cells; the last takes what is left.
func (d *drawnRows) cut(bucket uint32, rows []uint32) (classes []drawnClass) {
	joint := slices.IndexFunc(d.r.Joined, func(j Joint) bool { return j.FirstBucket <= int(bucket) && int(bucket) < j.EndBucket })
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && slices.Equal(d.cells(rows[n]), d.cells(rows[0])) {
			n++
		}
		for alike := max(1, n/d.r.K); alike > 0; alike-- {
			take := d.r.K
			if alike == 1 {
				take = n
			}
			classes = append(classes, drawnClass{joint, bucket, rows[:take]})
			rows, n = rows[take:], n-take
		}
	}
	return classes
}

// compareRows is the order of rows in a bucket: cells, then value.
func (d *drawnRows) compareRows(x, y uint32) int {
	return cmp.Or(d.r.S.CompareCells(d.cells(x), d.cells(y)), d.r.S.Sa.Compare(d.raw.sa[x], d.raw.sa[y]))
}

// compare is the order of classes: in a compaction part by part, then by cells and
// bucket. In a compaction of compactions it may be another one, which no file shows.
func (d *drawnRows) compare(x, y drawnClass) int {
	return cmp.Or(cmp.Compare(x.joint, y.joint), d.r.S.CompareCells(d.cells(x.rows[0]), d.cells(y.rows[0])), cmp.Compare(x.bucket, y.bucket))
}
