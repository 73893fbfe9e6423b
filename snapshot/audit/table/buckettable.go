package table

import (
	"encoding/binary"
	"slices"

	"anond/snapshot/audit/format"
)

// BucketTable has the buckets of a release of level L2, numbered from 0 here and
// reported from 1: the values in each, and the bucket of every row.
type BucketTable struct {
	M     int
	Start []uint32 // m+1: entries of each bucket
	Value []uint32 // ascending by id within a bucket
	Count []uint32
	Size  []uint32
	top   []uint32        // count of the most frequent value
	dict  *format.SetDict // contents of buckets
	bag   []uint32        // see bags: of the first buckets, which were asked for
	Row   []uint32        // by row of the table: bucket + 1
}

// BucketLine is a line of buckets.csv.
type BucketLine struct{ Number, Value, Count uint32 }

func (b *BucketTable) Entries(i uint32) (values, counts []uint32) {
	return b.Value[b.Start[i]:b.Start[i+1]], b.Count[b.Start[i]:b.Start[i+1]]
}

// Bags gives the content of each bucket, interned. Comparing buckets asks for it,
// reading and testing them does not.
func (b *BucketTable) Bags() []uint32 {
	var content []uint32
	for i := len(b.bag); i < b.M; i++ {
		content = content[:0]
		values, counts := b.Entries(uint32(i))
		for k, v := range values {
			content = append(content, v, counts[k])
		}
		b.bag = append(b.bag, b.dict.Intern(content))
	}
	return b.bag
}

// Rows gives the buckets of the rows of a class.
func (b *BucketTable) Rows(t *Table, c int) []uint32 { return b.Row[t.Start[c]:t.Start[c+1]] }

// topShare is the largest probability of a value for a member of a class:
//
//	P(t has v) = sum over buckets b of P(t is in b) * count_b(v)/|b|
//
// where P(t is in b) is the share of the class's rows that name b. At level L2 they all
// name one, and what does not is reported.
func (b *BucketTable) topShare(t *Table, c int) float64 {
	rows := b.Rows(t, c)
	if format.Same(rows) {
		i := rows[0] - 1
		return format.Share(int(b.top[i]), int(b.Size[i]))
	}
	sum, top := map[uint32]float64{}, 0.0
	for _, r := range rows {
		values, counts := b.Entries(r - 1)
		for i, v := range values {
			sum[v] += float64(counts[i]) / float64(b.Size[r-1])
			top = max(top, sum[v])
		}
	}
	return top / float64(len(rows))
}

// MostShare is the largest share of one value in a bucket.
func (b *BucketTable) MostShare() (top float64) {
	for i := range b.M {
		top = max(top, format.Share(int(b.top[i]), int(b.Size[i])))
	}
	return top
}

// exceeds reports that some row of the class is in a bucket with a value above 1/l.
func (b *BucketTable) exceeds(t *Table, c, l int) bool {
	return slices.ContainsFunc(b.Rows(t, c), func(r uint32) bool { return int(b.top[r-1])*l > int(b.Size[r-1]) })
}

// classKey appends what the rows of a class show of buckets, by content alone.
func (b *BucketTable) classKey(t *Table, c int, buf []byte) []byte {
	var contents []uint32
	for _, r := range b.Rows(t, c) {
		contents = append(contents, b.Bags()[r-1])
	}
	slices.Sort(contents)
	for _, content := range contents {
		buf = binary.LittleEndian.AppendUint32(buf, content)
	}
	return buf
}

// fill gives each row a value of its bucket, so that the table's histogram is right.
// Which row gets which is arbitrary, and nothing may look at a class's bag
// (table.ownBags).
func (b *BucketTable) fill(t *Table) {
	at, used := make([]uint32, b.M), make([]uint32, b.M)
	for row, r := range b.Row {
		values, counts := b.Entries(r - 1)
		i := r - 1
		for int(at[i]) < len(values)-1 && used[i] == counts[at[i]] {
			at[i], used[i] = at[i]+1, 0
		}
		t.Sa[row] = values[at[i]]
		used[i]++
	}
}

// supports gives each class the values its rows may have; without bags of their
// own, classes are not flat and have no count of a value.
func (b *BucketTable) supports(t *Table, sets *format.SetDict) {
	t.Support, t.Flat, t.Top = make([]uint32, t.M), make([]uint32, t.M), make([]uint32, t.M)
	known := make([]uint32, b.M) // by bucket: the number of its set of values + 1
	var set []uint32
	for c := range t.M {
		rows := b.Rows(t, c)
		if at := rows[0] - 1; format.Same(rows) {
			if known[at] == 0 {
				values, _ := b.Entries(at)
				known[at] = sets.Intern(values) + 1
			}
			t.Support[c] = known[at] - 1
			continue
		}
		set = set[:0]
		for _, r := range rows {
			values, _ := b.Entries(r - 1)
			set = append(set, values...)
		}
		slices.Sort(set)
		t.Support[c] = sets.Intern(slices.Compact(set))
	}
}

// Add appends a bucket.
func (b *BucketTable) Add(part []BucketLine) {
	slices.SortStableFunc(part, func(x, y BucketLine) int { return int(x.Value) - int(y.Value) })
	b.Start = append(b.Start, uint32(len(b.Value)))
	var size, top uint32
	for i, l := range part {
		if i > 0 && part[i-1].Value == l.Value {
			b.Count[len(b.Count)-1] += l.Count
		} else {
			b.Value, b.Count = append(b.Value, l.Value), append(b.Count, l.Count)
		}
		size += l.Count
		top = max(top, b.Count[len(b.Count)-1])
	}
	b.Size, b.top = append(b.Size, size), append(b.top, top)
}

// join gives a table of the buckets of b and those of o behind them. The columns of b
// may be shared with the result.
func (b *BucketTable) join(o *BucketTable) *BucketTable {
	a := *b
	entries, buckets := uint32(len(a.Value)), uint32(a.M)
	a.Start, a.Row = slices.Grow(a.Start, o.M), slices.Grow(a.Row, len(o.Row))
	for _, end := range o.Start[1:] {
		a.Start = append(a.Start, entries+end)
	}
	if len(a.bag) == a.M && len(o.bag) == o.M {
		a.bag = append(a.bag, o.bag...)
	}
	a.dict, a.M = o.dict, a.M+o.M
	a.Value = append(a.Value, o.Value...)
	a.Count = append(a.Count, o.Count...)
	a.Size = append(a.Size, o.Size...)
	a.top = append(a.top, o.top...)
	for _, r := range o.Row {
		a.Row = append(a.Row, r+buckets)
	}
	return &a
}

// canonicalRuns sorts the values of a bucket.
func canonicalRuns(d *format.ValueDict, part []BucketLine) []BucketLine {
	sorted := slices.Clone(part)
	slices.SortStableFunc(sorted, func(x, y BucketLine) int { return d.Compare(x.Value, y.Value) })
	return sorted
}

// compareRuns compares two bags as sorted lists, without writing them out.
func compareRuns(d *format.ValueDict, x, y []BucketLine) int {
	var i, j int
	var usedX, usedY uint32
	for i < len(x) && j < len(y) {
		if o := d.Compare(x[i].Value, y[j].Value); o != 0 {
			return o
		}
		n := min(x[i].Count-usedX, y[j].Count-usedY)
		usedX, usedY = usedX+n, usedY+n
		if usedX == x[i].Count {
			i, usedX = i+1, 0
		}
		if usedY == y[j].Count {
			j, usedY = j+1, 0
		}
	}
	return (len(x) - i) - (len(y) - j)
}
