package audit

import (
	"encoding/binary"
	"slices"
)

// bucketTable has the buckets of a release of level L2, numbered from 0 here and
// reported from 1: the values in each, and the bucket of every row.
type bucketTable struct {
	m     int
	start []uint32 // m+1: entries of each bucket
	value []uint32 // ascending by id within a bucket
	count []uint32
	size  []uint32
	top   []uint32 // count of the most frequent value
	dict  *setDict // contents of buckets
	bag   []uint32 // see bags: of the first buckets, which were asked for
	row   []uint32 // by row of the table: bucket + 1
}

// bucketLine is a line of buckets.csv.
type bucketLine struct{ number, value, count uint32 }

func (b *bucketTable) entries(i uint32) (values, counts []uint32) {
	return b.value[b.start[i]:b.start[i+1]], b.count[b.start[i]:b.start[i+1]]
}

// bags gives the content of each bucket, interned. Comparing buckets asks for it,
// reading and testing them does not.
func (b *bucketTable) bags() []uint32 {
	var content []uint32
	for i := len(b.bag); i < b.m; i++ {
		content = content[:0]
		values, counts := b.entries(uint32(i))
		for k, v := range values {
			content = append(content, v, counts[k])
		}
		b.bag = append(b.bag, b.dict.intern(content))
	}
	return b.bag
}

// rows gives the buckets of the rows of a class.
func (b *bucketTable) rows(t *table, c int) []uint32 { return b.row[t.start[c]:t.start[c+1]] }

// topShare is the largest probability of a value for a member of a class:
//
//	P(t has v) = sum over buckets b of P(t is in b) * count_b(v)/|b|
//
// where P(t is in b) is the share of the class's rows that name b. At level L2 they all
// name one, and what does not is reported.
func (b *bucketTable) topShare(t *table, c int) float64 {
	rows := b.rows(t, c)
	if same(rows) {
		i := rows[0] - 1
		return share(int(b.top[i]), int(b.size[i]))
	}
	sum, top := map[uint32]float64{}, 0.0
	for _, r := range rows {
		values, counts := b.entries(r - 1)
		for i, v := range values {
			sum[v] += float64(counts[i]) / float64(b.size[r-1])
			top = max(top, sum[v])
		}
	}
	return top / float64(len(rows))
}

// mostShare is the largest share of one value in a bucket.
func (b *bucketTable) mostShare() (top float64) {
	for i := range b.m {
		top = max(top, share(int(b.top[i]), int(b.size[i])))
	}
	return top
}

// exceeds reports that some row of the class is in a bucket with a value above 1/l.
func (b *bucketTable) exceeds(t *table, c, l int) bool {
	return slices.ContainsFunc(b.rows(t, c), func(r uint32) bool { return int(b.top[r-1])*l > int(b.size[r-1]) })
}

// classKey appends what the rows of a class show of buckets, by content alone.
func (b *bucketTable) classKey(t *table, c int, buf []byte) []byte {
	var contents []uint32
	for _, r := range b.rows(t, c) {
		contents = append(contents, b.bags()[r-1])
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
func (b *bucketTable) fill(t *table) {
	at, used := make([]uint32, b.m), make([]uint32, b.m)
	for row, r := range b.row {
		values, counts := b.entries(r - 1)
		i := r - 1
		for int(at[i]) < len(values)-1 && used[i] == counts[at[i]] {
			at[i], used[i] = at[i]+1, 0
		}
		t.sa[row] = values[at[i]]
		used[i]++
	}
}

// supports gives each class the values its rows may have; without bags of their
// own, classes are not flat and have no count of a value.
func (b *bucketTable) supports(t *table, sets *setDict) {
	t.support, t.flat, t.top = make([]uint32, t.m), make([]uint32, t.m), make([]uint32, t.m)
	known := make([]uint32, b.m) // by bucket: the number of its set of values + 1
	var set []uint32
	for c := range t.m {
		rows := b.rows(t, c)
		if at := rows[0] - 1; same(rows) {
			if known[at] == 0 {
				values, _ := b.entries(at)
				known[at] = sets.intern(values) + 1
			}
			t.support[c] = known[at] - 1
			continue
		}
		set = set[:0]
		for _, r := range rows {
			values, _ := b.entries(r - 1)
			set = append(set, values...)
		}
		slices.Sort(set)
		t.support[c] = sets.intern(slices.Compact(set))
	}
}

// add appends a bucket.
func (b *bucketTable) add(part []bucketLine) {
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
	b.size, b.top = append(b.size, size), append(b.top, top)
}

// join gives a table of the buckets of b and those of o behind them. The columns of b
// may be shared with the result.
func (b *bucketTable) join(o *bucketTable) *bucketTable {
	a := *b
	entries, buckets := uint32(len(a.value)), uint32(a.m)
	a.start, a.row = slices.Grow(a.start, o.m), slices.Grow(a.row, len(o.row))
	for _, end := range o.start[1:] {
		a.start = append(a.start, entries+end)
	}
	if len(a.bag) == a.m && len(o.bag) == o.m {
		a.bag = append(a.bag, o.bag...)
	}
	a.dict, a.m = o.dict, a.m+o.m
	a.value = append(a.value, o.value...)
	a.count = append(a.count, o.count...)
	a.size = append(a.size, o.size...)
	a.top = append(a.top, o.top...)
	for _, r := range o.row {
		a.row = append(a.row, r+buckets)
	}
	return &a
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
