package views

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"anond/snapshot"
)

// content is what a view shows of a part: classes, buckets and pools by the numbers that the file has, from 1.
type content struct {
	columns *columns
	classes map[int]*class
	buckets map[int]*bucket
	pools   map[int]*pool
	pairs   [][]string
}

type class struct {
	number, bucket int
	cells          []cell
	people         int
}

type bucket struct {
	number, pool, people int
	behind               []string         // stratum and length of histories, where people settle
	bags                 []map[string]int // by sensitive attribute that is shown
	lists                [][]string       // the same in the order of values, once in order
	classes              []*class
	place                int // among buckets that look different, once in order
	given                int // number in the view, once in order
}

type pool struct {
	number int
	bags   []map[string]int
	lists  [][]string
	tables []map[[2]string]int // by pair that is shown
	places []int               // of its buckets
	given  int
}

// opener opens a file of a part.
type opener func(file string) (io.ReadCloser, error)

// load reads a part of a release as the view shows it. own: the part is one of the view itself, which has the view's columns alone.
func load(c *columns, pairs [][]string, own bool, open opener) (*content, error) {
	x := &content{columns: c, classes: map[int]*class{}, buckets: map[int]*bucket{}, pools: map[int]*pool{}, pairs: pairs}
	for _, f := range []struct {
		name string
		row  func(fields []string) bool
	}{{snapshot.BucketsName, x.bucketRow}, {snapshot.ValuesName, x.valueRow}, {snapshot.PoolsName, x.poolRow},
		{snapshot.TablesName, x.tableRow}, {snapshot.DataName, func(fields []string) bool { return x.dataRow(fields, own) }}} {
		if f.name == snapshot.TablesName && len(pairs) == 0 {
			continue
		}
		if err := rows(open, f.name, f.row); err != nil {
			return nil, err
		}
	}
	for _, c := range x.classes {
		b := x.buckets[c.bucket]
		if b == nil || x.pools[b.pool] == nil {
			return nil, fmt.Errorf("%w: %s names a bucket or a pool that is not there", snapshot.ErrDamaged, snapshot.DataName)
		}
		b.classes = append(b.classes, c)
	}
	return x, nil
}

// rows reads a file of a part.
func rows(open opener, name string, take func(fields []string) bool) (err error) {
	f, err := open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	r := csv.NewReader(f)
	r.ReuseRecord = true
	if _, err = r.Read(); err != nil {
		return fmt.Errorf("%w: %s has no header", snapshot.ErrDamaged, name)
	}
	for {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil || !take(fields) {
			return fmt.Errorf("%w: %s has a row that no part has", snapshot.ErrDamaged, name)
		}
	}
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

func (x *content) bags() []map[string]int {
	out := make([]map[string]int, len(x.columns.sensitive))
	for a := range out {
		out[a] = map[string]int{}
	}
	return out
}

func (x *content) bucketRow(f []string) bool {
	b := &bucket{number: number(f[0]), pool: number(f[1]), people: number(f[2]), behind: slices.Clone(f[3:]), bags: x.bags()}
	x.buckets[b.number] = b
	return b.number > 0
}

// count adds a row of values.csv or pools.csv to a bag.
func (x *content) count(bags []map[string]int, f []string) bool {
	if a := x.columns.named(f[1]); a >= 0 {
		text, ok := snapshot.Sequence(f[2 : len(f)-1])
		if !ok {
			return false
		}
		bags[a][x.columns.sensitive[a].sequence(strings.Clone(text))] += number(f[len(f)-1])
	}
	return true
}

func (x *content) valueRow(f []string) bool {
	b := x.buckets[number(f[0])]
	return b != nil && x.count(b.bags, f)
}

func (x *content) poolOf(text string) *pool {
	n := number(text)
	p := x.pools[n]
	if p == nil {
		p = &pool{number: n, bags: x.bags(), tables: make([]map[[2]string]int, len(x.pairs))}
		for i := range p.tables {
			p.tables[i] = map[[2]string]int{}
		}
		x.pools[n] = p
	}
	return p
}

func (x *content) poolRow(f []string) bool { return x.count(x.poolOf(f[0]).bags, f) }

func (x *content) tableRow(f []string) bool {
	p := x.poolOf(f[0])
	for i, pair := range x.pairs {
		if pair[0] == f[1] && pair[1] == f[3] {
			a, b := x.columns.named(f[1]), x.columns.named(f[3])
			key := [2]string{x.columns.sensitive[a].value(strings.Clone(f[2])), x.columns.sensitive[b].value(strings.Clone(f[4]))}
			p.tables[i][key] += number(f[5])
		}
	}
	return true
}

func (x *content) dataRow(f []string, own bool) bool {
	n := number(f[len(f)-2])
	c := x.classes[n]
	if c == nil {
		c = &class{number: n, bucket: number(f[len(f)-1])}
		for j, col := range x.columns.quasi {
			at := col.at
			if own {
				at = j
			}
			c.cells = append(c.cells, col.read(strings.Clone(f[at])))
		}
		x.classes[n] = c
	}
	c.people++
	return n > 0
}

// segment is what of a part came about together: one that a compaction replaced, or all of it. Numbers begin there anew.
type segment struct {
	classes, buckets, pools [2]int // numbers before the first, and the last
}

// segments are those of a part.
func segments(p *snapshot.PartEntry) (out []segment) {
	for _, r := range p.Replaces {
		out = append(out, segment{[2]int{int(r.FirstClass) - 1, int(r.FirstClass) - 1 + r.Classes},
			[2]int{int(r.FirstBucket) - 1, int(r.FirstBucket) - 1 + r.Buckets}, [2]int{int(r.FirstPool) - 1, int(r.FirstPool) - 1 + r.Pools}})
	}
	if out == nil {
		out = []segment{{[2]int{0, p.Classes}, [2]int{0, p.Buckets}, [2]int{0, p.Pools}}}
	}
	return out
}

// within are the values of a map whose numbers are in a range, in the order of these.
func within[T any](of map[int]T, in [2]int) (out []T) {
	for n := in[0] + 1; n <= in[1]; n++ {
		if v, ok := of[n]; ok {
			out = append(out, v)
		}
	}
	return out
}

// ordered is a segment in the order of what the view shows.
type ordered struct {
	classes []*class
	buckets []*bucket
	pools   []*pool
}

// order numbers a segment by what it shows: buckets by the sorted list of their classes' cells, then by their bags, their stratum and
// what their pools show; pools by their first buckets; classes by their cells, then by their buckets. Pools that show the same, whose
// buckets look alike one by one, are interchangeable, so that the numbers of the release, which decide between them, cannot be told.
func (x *content) order(s segment) ordered {
	out := ordered{within(x.classes, s.classes), within(x.buckets, s.buckets), within(x.pools, s.pools)}
	for _, p := range out.pools {
		p.lists = x.lists(p.bags)
	}
	for _, b := range out.buckets {
		b.lists = x.lists(b.bags)
		slices.SortFunc(b.classes, x.compareCells)
	}
	shown := func(a, b *bucket) int {
		if o := slices.CompareFunc(a.classes, b.classes, x.compareCells); o != 0 {
			return o
		}
		return cmp.Or(x.compareBags(a.lists, b.lists), slices.Compare(a.behind, b.behind))
	}
	slices.SortFunc(out.buckets, shown)
	for i, b := range out.buckets {
		if b.place = i; i > 0 && shown(out.buckets[i-1], b) == 0 {
			b.place = out.buckets[i-1].place
		}
		p := x.pools[b.pool]
		p.places = append(p.places, b.place)
	}
	slices.SortFunc(out.pools, func(p, q *pool) int {
		return cmp.Or(slices.Compare(p.places, q.places), x.compareBags(p.lists, q.lists), x.compareTables(p, q),
			cmp.Compare(p.number, q.number))
	})
	rank := map[int]int{}
	for i, p := range out.pools {
		rank[p.number] = i
	}
	slices.SortFunc(out.buckets, func(a, b *bucket) int {
		return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(rank[a.pool], rank[b.pool]))
	})
	var pools []*pool
	for i, b := range out.buckets {
		b.given = i + 1
		pools = append(pools, x.pools[b.pool])
	}
	pools, out.pools = append(pools, out.pools...), out.pools[:0:0] // behind them those whose buckets have all left
	for _, p := range pools {
		if p.given == 0 {
			out.pools = append(out.pools, p)
			p.given = len(out.pools)
		}
	}
	slices.SortFunc(out.classes, func(p, q *class) int {
		return cmp.Or(x.compareCells(p, q), cmp.Compare(x.buckets[p.bucket].given, x.buckets[q.bucket].given))
	})
	return out
}

// compareCells is the order of classes by what they show, column by column.
func (x *content) compareCells(p, q *class) (o int) {
	for j := 0; j < len(p.cells) && o == 0; j++ {
		o = x.columns.quasi[j].compare(p.cells[j], q.cells[j])
	}
	return o
}

// valueCount is a value of a bag, and how often it is there.
type valueCount struct {
	value string
	n     int
}

// sorted is a bag in the order of its values.
func (c *column) sorted(bag map[string]int) []valueCount {
	out := make([]valueCount, 0, len(bag))
	for v, n := range bag {
		out = append(out, valueCount{v, n})
	}
	slices.SortFunc(out, func(a, b valueCount) int { return c.compareValues(a.value, b.value) })
	return out
}

// lists are bags in the order of their values, each as often as it counts.
func (x *content) lists(bags []map[string]int) [][]string {
	out := make([][]string, len(bags))
	for a := range bags {
		for _, v := range x.columns.sensitive[a].sorted(bags[a]) {
			out[a] = append(out[a], slices.Repeat([]string{v.value}, v.n)...)
		}
	}
	return out
}

// compareBags compares bags as sorted lists of values, attribute by attribute.
func (x *content) compareBags(a, b [][]string) (o int) {
	for i := 0; i < len(a) && o == 0; i++ {
		o = slices.CompareFunc(a[i], b[i], x.columns.sensitive[i].compareValues)
	}
	return o
}

// pairCount is a line of a pair table.
type pairCount struct {
	values [2]string
	n      int
}

// pairsOf are the lines of a pair table, in order.
func (x *content) pairsOf(p *pool, i int) (out []pairCount) {
	a, b := &x.columns.sensitive[x.columns.named(x.pairs[i][0])], &x.columns.sensitive[x.columns.named(x.pairs[i][1])]
	for values, n := range p.tables[i] {
		out = append(out, pairCount{values, n})
	}
	slices.SortFunc(out, func(p, q pairCount) int {
		return cmp.Or(a.compareValues(p.values[0], q.values[0]), b.compareValues(p.values[1], q.values[1]))
	})
	return out
}

func (x *content) compareTables(p, q *pool) int {
	for i := range x.pairs {
		o := slices.CompareFunc(x.pairsOf(p, i), x.pairsOf(q, i), func(a, b pairCount) int {
			return cmp.Or(slices.Compare(a.values[:], b.values[:]), cmp.Compare(a.n, b.n))
		})
		if o != 0 {
			return o
		}
	}
	return 0
}

// key tells buckets apart by what they show, their pools' tables included.
func (x *content) key(b *bucket) string {
	var classes []string
	for _, c := range b.classes {
		text := ""
		for _, k := range c.cells {
			text += fmt.Sprintf("%q ", k.text)
		}
		classes = append(classes, text)
	}
	slices.Sort(classes)
	p := x.pools[b.pool]
	out := fmt.Sprintf("%q%q%q%q", classes, b.behind, x.lists(b.bags), x.lists(p.bags))
	for i := range x.pairs {
		out += fmt.Sprintf("%q", fmt.Sprint(x.pairsOf(p, i)))
	}
	return out
}

// partOpener opens the files of a part by their paths in a release.
func partOpener(p *snapshot.PartEntry, open func(name string) (io.ReadCloser, error)) opener {
	return func(file string) (io.ReadCloser, error) { return open(path.Join(p.Part, file)) }
}
