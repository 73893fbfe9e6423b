package table

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"

	"anond/snapshot/audit/format"
)

// Level L2 publishes for each bucket the bag of each sensitive attribute (values.csv), for each pool the same
// (pools.csv), and if the manifest names pairs of attributes, how often two of their values are one person's in
// a pool (tables.csv). A pool is whole buckets, so its bag is the sum of theirs, and each side of a pair table
// adds up to it.

// leastTabled is how many buckets a pool needs at least for a pair table, which of a single bucket
// would show the tuples.
const leastTabled = 8

// readBags reads values.csv or pools.csv: a bag for each attribute and each of the numbers, which are those of its
// buckets or pools as written, ascending. lengths are, by place, how many records the people of each have; 0: that is not known, nil: one.
func (r *TableReader) readBags(file string, data []byte, key string, numbers []uint32, lengths []int) ([]*Bags, error) {
	csv, header, err := r.csv(file, data)
	if err != nil {
		return nil, err
	}
	want := []string{key, "attribute", "value"}
	for i := 2; i <= r.S.Records; i++ {
		want = append(want, "value_"+strconv.Itoa(i))
	}
	at, err := r.columns(file, header, append(want, "count"))
	if err != nil {
		return nil, err
	}
	lists := make([][]bagLine, len(r.S.Sas)) // by attribute, of places among the numbers
	room, rows, disorder, other := format.MaxRows*len(r.S.Sas), 0, 0, 0
	var last [3]uint32
	fields := make([][]byte, r.S.Records)
	for {
		ok, err := csv.Next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		number, n, err := pairNumbers(csv, []int{at[0], 0, at[len(want)]}, min(room, format.MaxRows))
		if err != nil {
			return nil, err
		}
		room -= int(n)
		place, known := findBucket(numbers, number)
		a := r.attribute(csv.Fields[at[1]])
		if !known || a < 0 {
			return nil, csv.Fail("names a %s that buckets.csv does not have, or no sensitive attribute", key)
		}
		for i := range fields {
			fields[i] = csv.Fields[at[2+i]]
		}
		value, records, err := r.S.Sas[a].ReadHistory(csv, fields)
		if err != nil {
			return nil, err
		}
		if lengths != nil && lengths[place] != records && lengths[place] > 0 {
			other++
		}
		if o := cmp.Or(cmp.Compare(last[0], number), cmp.Compare(last[1], uint32(a))); rows > 0 &&
			(o > 0 || o == 0 && r.S.Sas[a].Compare(last[2], value) >= 0) {
			disorder++
		}
		last = [3]uint32{number, uint32(a), value}
		lists[a] = append(lists[a], bagLine{uint32(place), value, n})
		rows++
	}
	r.Rows[filepath.Base(file)] = rows
	r.F.AddN("order", format.KindRowOrder, r.Release, 0, "", "the rows of bags are not sorted; their order may follow insertion", disorder)
	r.F.AddN("U", format.KindHistoryLength, r.Release, 0, key, "a history has another number of records than its bucket or pool", other)
	var out []*Bags
	for a, list := range lists {
		out = append(out, bagsOf(list, len(numbers), r.S.Sas[a]))
	}
	return out, nil
}

// bagsOf makes n bags of their lines.
func bagsOf(list []bagLine, n int, d *format.ValueDict) *Bags {
	byNumber := func(x, y bagLine) int { return cmp.Compare(x.Number, y.Number) }
	if !slices.IsSortedFunc(list, byNumber) {
		slices.SortStableFunc(list, byNumber)
	}
	b := &Bags{Start: make([]uint32, 1, n+1), Value: make([]uint32, 0, len(list)), Count: make([]uint32, 0, len(list))}
	for i, from := 0, 0; i < n; i++ {
		to := from
		for to < len(list) && int(list[to].Number) == i {
			to++
		}
		b.add(list[from:to], d)
		from = to
	}
	return b
}

// attribute is the place of a sensitive attribute; -1: there is none of that name.
func (r *TableReader) attribute(name []byte) int {
	return slices.IndexFunc(r.S.Sas, func(d *format.ValueDict) bool { return d.Name == string(name) })
}

// drawn takes the values that rows show by draw, and tests that those of a bucket are its bag, and that rows
// which show the same cells and the same bucket are sorted.
func (r *TableReader) drawn(raw *rawTable, order []uint32, t *Table) {
	b := t.Shared
	d := len(b.Of)
	t.width, t.pairs = d, make([]uint32, 0, len(raw.sa))
	for _, row := range order {
		t.pairs = append(t.pairs, raw.sa[int(row)*d:][:d]...)
	}
	for a, of := range b.Of {
		list := make([]bagLine, len(order))
		for i := range order {
			list[i] = bagLine{b.Row[i] - 1, t.pairs[i*d+a], 1}
		}
		shown := bagsOf(list, b.M, r.S.Sas[a])
		if !slices.Equal(shown.Start, of.Start) || !slices.Equal(shown.Value, of.Value) || !slices.Equal(shown.Count, of.Count) {
			r.F.Add("B", format.KindDrawnValues, r.Release, 0, r.S.Sas[a].Name, "the values that rows show by draw are not those of their buckets")
		}
	}
	disorder, first := 0, 0
	for c := range t.M {
		for i := t.Start[c]; i < t.Start[c+1]; i++ {
			alike := i > t.Start[c] || c > 0 && b.Row[i] == b.Row[i-1] && slices.Equal(t.Cells(c-1), t.Cells(c))
			if alike && r.compareDrawn(t.pairs[int(i-1)*d:][:d], t.pairs[int(i)*d:][:d]) > 0 {
				disorder, first = disorder+1, c+1
			}
		}
	}
	r.F.AddN("order", format.KindRowOrder, r.Release, first, "", "rows of a class are not sorted; their order may follow insertion", disorder)
}

func (r *TableReader) compareDrawn(x, y []uint32) int {
	for a, d := range r.S.Sas {
		if o := d.Compare(x[a], y[a]); o != 0 {
			return o
		}
	}
	return 0
}

// pools tests what the files say of pools: pools.csv is the sum of the buckets, and a pair table has the bags of
// the pool at its sides.
func (r *TableReader) pools(paths []string, data [][]byte, t *Table) error {
	b := t.Shared
	numbers, buckets := make([]uint32, b.N), make([]int, b.N)
	for i := range numbers {
		numbers[i] = uint32(i) + 1
	}
	for _, p := range b.Pool {
		buckets[p]++
	}
	lengths := make([]int, b.N)
	for i, n := range b.Records {
		lengths[b.Pool[i]] = n
	}
	said, err := r.readBags(paths[2], data[2], "pool", numbers, lengths)
	if err != nil {
		return err
	}
	b.Said = said
	for a, of := range b.Of {
		sum := make([]map[uint32]uint32, b.N)
		for i := range sum {
			sum[i] = map[uint32]uint32{}
		}
		for i, p := range b.Pool {
			values, counts := of.Entries(uint32(i))
			for k, v := range values {
				sum[p][v] += counts[k]
			}
		}
		wrong := 0
		for p := range sum {
			values, counts := said[a].Entries(uint32(p))
			same, found := len(values) == len(sum[p]) || len(r.Left) > 0, 0
			for k, v := range values {
				if same = same && (sum[p][v] == counts[k] || len(r.Left) > 0 && sum[p][v] < counts[k]); sum[p][v] > 0 {
					found++
				}
			}
			same = same && found == len(sum[p])
			if !same {
				wrong++
			}
		}
		r.F.AddN("B", format.KindPoolBag, r.Release, 0, r.S.Sas[a].Name, "a pool has another bag than its buckets together", wrong)
	}
	if len(r.Pairs) == 0 {
		return nil
	}
	b.Told, err = r.readTables(paths[4], data[4], said, buckets)
	return err
}

// readTables tests tables.csv: sorted, of each pool with enough buckets and each pair that the manifest names, and
// of no other, each with the bags of the pool at its sides.
func (r *TableReader) readTables(file string, data []byte, pools []*Bags, buckets []int) ([]Told, error) {
	csv, header, err := r.csv(file, data)
	if err != nil {
		return nil, err
	}
	at, err := r.columns(file, header, []string{"pool", "attribute", "value", "with", "with_value", "count"})
	if err != nil {
		return nil, err
	}
	type side struct{ pool, pair, side, value uint32 }
	sums, most, tabled := map[side]uint32{}, map[side]uint32{}, map[uint32]bool{}
	rows, disorder, foreign := 0, 0, 0
	var last [4]uint32
	for {
		ok, err := csv.Next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		pool, n, err := pairNumbers(csv, []int{at[0], 0, at[5]}, format.MaxRows)
		if err != nil {
			return nil, err
		}
		names := [2]string{string(csv.Fields[at[1]]), string(csv.Fields[at[3]])}
		pair := slices.Index(r.Pairs, names)
		if rows++; pair < 0 || int(pool) > len(buckets) || buckets[pool-1] < leastTabled && len(r.Left) == 0 {
			foreign++
			continue
		}
		now := [4]uint32{pool, uint32(pair)}
		order := cmp.Or(cmp.Compare(last[0], now[0]), cmp.Compare(last[1], now[1]))
		for i, field := range []int{at[2], at[4]} {
			d := r.S.Sas[r.attribute([]byte(names[i]))]
			if now[2+i], err = d.ReadLabel(csv, csv.Fields[field]); err != nil {
				return nil, err
			}
			if order == 0 {
				order = d.CompareLabels(last[2+i], now[2+i])
			}
			of := side{pool - 1, uint32(pair), uint32(i), now[2+i]}
			sums[of] += n
			tabled[pool-1] = true
			most[of] = max(most[of], n)
		}
		if rows > 1 && order >= 0 {
			disorder++
		}
		last = now
	}
	r.Rows["tables.csv"] = rows
	told := make([]Told, 2*len(r.Pairs))
	for i, names := range r.Pairs {
		told[2*i], told[2*i+1] = Told{One: names[0], Other: names[1]}, Told{One: names[1], Other: names[0]}
	}
	for of, n := range sums {
		told[2*of.pair+of.side].add(n, most[of])
	}
	for p, n := range buckets {
		if n < leastTabled && (len(r.Left) == 0 || !tabled[uint32(p)]) {
			continue
		}
		for i, names := range r.Pairs {
			for s, name := range names {
				a := r.attribute([]byte(name))
				values, counts := pools[a].Entries(uint32(p))
				for k, v := range values {
					sums[side{uint32(p), uint32(i), uint32(s), r.S.Sas[a].Label(v)}] -= counts[k]
				}
			}
		}
	}
	wrong := foreign
	for _, left := range sums { // modulo 2^32; a pool has fewer people
		if left != 0 {
			wrong++
		}
	}
	r.F.AddN("order", format.KindRowOrder, r.Release, 0, "tables", "the rows of pair tables are not sorted; their order may follow insertion",
		disorder)
	r.F.AddN("B", format.KindPairTable, r.Release, 0, "tables",
		"a pair table is of a pool or pair that has none, or its sides are not the bags of the pool", wrong)
	return told, nil
}
