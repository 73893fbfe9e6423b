package table

import (
	"encoding/binary"
	"slices"

	"anond/snapshot/audit/format"
)

// BucketTable has the buckets of a release of level L2, numbered from 0 here and
// reported from 1: the values in each, its pool, and the bucket of every row.
type BucketTable struct {
	M    int
	Size []uint32 // people
	Pool []uint32 // numbered from 0
	N    int      // pools
	// Stratum is by bucket that of its people, as it is written; nil: nobody is observed before they are published.
	Stratum []string
	Records []int   // by bucket: of each of its people; nil: one
	Of      []*Bags // by sensitive attribute
	Said    []*Bags // of pools at birth, likewise
	// Number is by bucket how its part numbers it; nil: from 1 on.
	Number []uint32
	Row    []uint32 // by row of the table: bucket + 1
	Told   []Told   // by pair table, in both directions
	over   []bool   // by bucket: some value has more of it than its cap (Judge)
	dict   *format.SetDict
	bag    []uint32 // see Bags: of the first buckets, which were asked for
}

// Bags are those of one sensitive attribute: of buckets, or of pools.
type Bags struct {
	Start []uint32 // one more than there are bags: entries of each
	Value []uint32 // ascending by id within a bag
	Count []uint32
	top   []uint32 // count of the most frequent value; of histories of the value that most have in theirs
}

// bagLine is a line of values.csv or pools.csv: of a bucket or a pool.
type bagLine struct{ Number, Value, Count uint32 }

// Entries are the values of a bag.
func (b *Bags) Entries(i uint32) (values, counts []uint32) {
	return b.Value[b.Start[i]:b.Start[i+1]], b.Count[b.Start[i]:b.Start[i+1]]
}

// sum is how many values there are in a bag.
func (b *Bags) sum(i uint32) (n uint32) {
	_, counts := b.Entries(i)
	for _, c := range counts {
		n += c
	}
	return n
}

// NumberOf is how the part numbers a bucket.
func (b *BucketTable) NumberOf(i int) int {
	if b.Number == nil {
		return i + 1
	}
	return int(b.Number[i])
}

// Entries are the values that a bucket has of the first sensitive attribute.
func (b *BucketTable) Entries(i uint32) (values, counts []uint32) { return b.Of[0].Entries(i) }

// Bags gives the content of each bucket, interned. Comparing buckets asks for it,
// reading and testing them does not.
func (b *BucketTable) Bags() []uint32 {
	var content []uint32
	for i := len(b.bag); i < b.M; i++ {
		content = content[:0]
		for _, of := range b.Of {
			values, counts := of.Entries(uint32(i))
			content = append(content, uint32(len(values)))
			for k, v := range values {
				content = append(content, v, counts[k])
			}
		}
		b.bag = append(b.bag, b.dict.Intern(content))
	}
	return b.bag
}

// Rows gives the buckets of the rows of a class.
func (b *BucketTable) Rows(t *Table, c int) []uint32 { return b.Row[t.Start[c]:t.Start[c+1]] }

// topShare is the largest probability of a value for a member of a class, by the counts alone:
//
//	P(t has v) = sum over buckets b of P(t is in b) * count_b(v)/|b|
//
// where P(t is in b) is the share of the class's rows that name b. At level L2 they all
// name one, and what does not is reported.
func (b *BucketTable) topShare(t *Table, c int) (top float64) {
	rows := b.Rows(t, c)
	if format.Same(rows) {
		return b.share(rows[0] - 1)
	}
	for _, of := range b.Of {
		sum, most := map[uint32]float64{}, 0.0
		for _, r := range rows {
			values, counts := of.Entries(r - 1)
			for i, v := range values {
				sum[v] += float64(counts[i]) / float64(b.Size[r-1])
				most = max(most, sum[v])
			}
		}
		top = max(top, most/float64(len(rows)))
	}
	return top
}

// share is the largest share of one value in a bucket.
func (b *BucketTable) share(i uint32) (top float64) {
	for _, of := range b.Of {
		top = max(top, format.Share(int(of.top[i]), int(b.Size[i])))
	}
	return top
}

// MostShare is the largest share of one value in any bucket.
func (b *BucketTable) MostShare() (top float64) {
	for i := range b.M {
		top = max(top, b.share(uint32(i)))
	}
	return top
}

// exceeds reports that some row of the class is in a bucket with a value above its cap.
func (b *BucketTable) exceeds(t *Table, c int) bool {
	return slices.ContainsFunc(b.Rows(t, c), func(r uint32) bool { return b.over[r-1] })
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
		if len(values) == 0 {
			t.Sa[row] = 0
			continue // reported
		}
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

// add appends a bag.
func (b *Bags) add(lines []bagLine, d *format.ValueDict) {
	slices.SortStableFunc(lines, func(x, y bagLine) int { return int(x.Value) - int(y.Value) })
	if b.Start == nil {
		b.Start = []uint32{0}
	}
	var top uint32
	for i, l := range lines {
		if i > 0 && lines[i-1].Value == l.Value {
			b.Count[len(b.Count)-1] += l.Count
		} else {
			b.Value, b.Count = append(b.Value, l.Value), append(b.Count, l.Count)
		}
		top = max(top, b.Count[len(b.Count)-1])
	}
	if d.Histories() {
		counts := map[uint32]uint32{}
		for _, l := range lines {
			for _, v := range d.Labels(l.Value, nil) {
				counts[v] += l.Count
				top = max(top, counts[v])
			}
		}
	}
	b.Start, b.top = append(b.Start, uint32(len(b.Value))), append(b.top, top)
}

// join gives the bags of b and those of o behind them. The columns of b may be shared with the result.
func (b *Bags) join(o *Bags) *Bags {
	a := *b
	entries := uint32(len(a.Value))
	a.Start = slices.Grow(a.Start, len(o.Start))
	for _, end := range o.Start[1:] {
		a.Start = append(a.Start, entries+end)
	}
	a.Value = append(a.Value, o.Value...)
	a.Count = append(a.Count, o.Count...)
	a.top = append(a.top, o.top...)
	return &a
}

// join gives a table of the buckets of b and those of o behind them. The columns of b
// may be shared with the result.
func (b *BucketTable) join(o *BucketTable) *BucketTable {
	if b.M == 0 {
		return o
	}
	a := *b
	a.Of = make([]*Bags, len(o.Of))
	for i := range a.Of {
		a.Of[i] = b.Of[i].join(o.Of[i])
	}
	a.Said = make([]*Bags, len(o.Said))
	for i := range a.Said {
		a.Said[i] = b.Said[i].join(o.Said[i])
	}
	if len(a.bag) == a.M && len(o.bag) == o.M {
		a.bag = append(a.bag, o.bag...)
	}
	a.Told = joinTold(b.Told, o.Told)
	a.over = append(a.over, o.over...)
	a.dict, a.M, a.N = o.dict, a.M+o.M, a.N+o.N
	a.Size, a.Stratum, a.Records = append(a.Size, o.Size...), append(a.Stratum, o.Stratum...), append(a.Records, o.Records...)
	a.Row = slices.Grow(a.Row, len(o.Row))
	for _, r := range o.Row {
		a.Row = append(a.Row, r+uint32(b.M))
	}
	for _, p := range o.Pool {
		a.Pool = append(a.Pool, p+uint32(b.N))
	}
	return &a
}

// clipped is b without room behind its columns.
func (b *BucketTable) clipped() *BucketTable {
	c := *b
	c.Size, c.Pool, c.Row = slices.Clip(b.Size), slices.Clip(b.Pool), slices.Clip(b.Row)
	c.over, c.bag, c.Stratum = slices.Clip(b.over), slices.Clip(b.bag), slices.Clip(b.Stratum)
	c.Records = slices.Clip(b.Records)
	c.Of = make([]*Bags, len(b.Of))
	for i, of := range b.Of {
		c.Of[i] = &Bags{slices.Clip(of.Start), slices.Clip(of.Value), slices.Clip(of.Count), slices.Clip(of.top)}
	}
	return &c
}

// canonical is a bag as a list in canonical order.
func (b *Bags) canonical(d *format.ValueDict, i int) (out []bagLine) {
	values, counts := b.Entries(uint32(i))
	for j, v := range values {
		out = append(out, bagLine{0, v, counts[j]})
	}
	slices.SortStableFunc(out, func(x, y bagLine) int { return d.Compare(x.Value, y.Value) })
	return out
}

// compareRuns compares two bags as sorted lists, without writing them out.
func compareRuns(d *format.ValueDict, x, y []bagLine) int {
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
