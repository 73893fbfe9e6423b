package render

import (
	"slices"
	"strconv"

	"anond/snapshot"
)

// pool is a pool of level L2 in a table: whole buckets, which were made of its people together.
type pool struct {
	number  int // from 1, in the order of the first of its buckets
	buckets []*sharedBucket
	people  int
}

// leastTabled is how many buckets a pool needs at least for pair tables.
const leastTabled = 8

// bagLayouts are the files of level L2 behind data.csv: bags of buckets and pools, the pool of each bucket,
// and if the settings name pairs of attributes, pair tables.
//
// Guarantee of what is said of pools: rule U (units), by part (iii) of Theorem T: of a pool any function of
// its people's values may be published. All people of a pool that are published are so at once, in buckets that are
// all born in one release, so pools.csv is the sum of what values.csv has of these, and who is in which pool is who was
// born when. A pair table is another function of the pool. It is written once, when the pool is born, and
// never again, and a pool of fewer than 8 buckets has none: of a single bucket it would show the tuples, which
// tell those who know one value the other. Rule D (difference) leaves no table to compute: a pool never shares people
// with another.
func (t *table) bagLayouts() []layout {
	pools, columns := t.pools(), &snapshot.Manifest{Privacy: t.claim}
	out := []layout{
		{name: snapshot.ValuesName, header: columns.BagColumns("bucket"), whole: func(w *wholeFile) { t.valueRows(w) }},
		{name: snapshot.PoolsName, header: columns.BagColumns("pool"), whole: func(w *wholeFile) { t.poolRows(w, pools) }},
		{name: snapshot.BucketsName, header: columns.BucketsColumns(), whole: func(w *wholeFile) {
			for _, b := range t.shared {
				behind := b.classes[0].stratum
				if b.records > 0 {
					behind += "," + strconv.Itoa(b.records)
				}
				w.rowBefore(behind, nil, b.number, b.pool.number, b.people)
			}
		}},
	}
	if len(t.pairs) > 0 {
		out = append(out, layout{name: snapshot.TablesName, header: []string{"pool", "attribute", "value", "with", "with_value", "count"},
			whole: func(w *wholeFile) { t.pairRows(w, pools) }})
	}
	return out
}

// pools gathers the buckets of pools and numbers these. A release gives birth to one.
func (t *table) pools() (out []*pool) {
	of := map[uint32]*pool{}
	for _, b := range t.shared {
		born := b.classes[0].born
		if of[born] == nil {
			of[born] = &pool{number: len(of) + 1}
			out = append(out, of[born])
		}
		p := of[born]
		p.buckets, p.people, b.pool = append(p.buckets, b), p.people+b.people, p
	}
	return out
}

// valueRows are those of values.csv: by bucket, then attribute as the schema has them, then value.
func (t *table) valueRows(w *wholeFile) {
	for _, b := range t.shared {
		for a := range t.sa {
			for v, n := range runs(b.bags[a]) {
				w.row(append(append(t.sa[a].field(w.cell[:0]), ','), t.sa[a].quoted[v]...), b.number, n)
			}
		}
	}
}

// poolRows are those of pools.csv, in the same order.
func (t *table) poolRows(w *wholeFile, pools []*pool) {
	for _, p := range pools {
		for a := range t.sa {
			counts := make([]int, len(t.sa[a].quoted))
			for _, b := range p.buckets {
				for v, n := range runs(b.bags[a]) {
					counts[v] += n
				}
			}
			for v, n := range counts {
				if n > 0 {
					w.row(append(append(t.sa[a].field(w.cell[:0]), ','), t.sa[a].quoted[v]...), p.number, n)
				}
			}
		}
	}
}

// pairRows are those of tables.csv: by pool, then pair as the manifest has them, then values; of exact numbers the
// intervals, since numbers together would be as good as a name.
func (t *table) pairRows(w *wholeFile, pools []*pool) {
	for _, p := range pools {
		if len(p.buckets) < leastTabled {
			continue
		}
		for _, pair := range t.pairs {
			a, b := &t.sa[pair[0]], &t.sa[pair[1]]
			shown, of := a.labels()
			with, ofWith := b.labels()
			values := make([]uint64, 0, p.people)
			for _, bucket := range p.buckets {
				for _, c := range bucket.classes {
					for _, m := range c.members {
						values = append(values, uint64(of[a.rank[a.codes.At(int(m))]][0])<<32|uint64(ofWith[b.rank[b.codes.At(int(m))]][0]))
					}
				}
			}
			slices.Sort(values)
			for from := 0; from < len(values); {
				to := from + 1
				for to < len(values) && values[to] == values[from] {
					to++
				}
				w.cell = snapshot.AppendField(append(a.field(w.cell[:0]), ','), shown[values[from]>>32])
				w.row(snapshot.AppendField(append(b.field(append(w.cell, ',')), ','), with[uint32(values[from])]), p.number, to-from)
				from = to
			}
		}
	}
}

// pairs are the pairs of attributes that have tables, in the order of the schema.
func (s *Settings) pairs(sa []column) (out [][2]int) {
	for _, names := range s.Tables {
		pair := [2]int{-1, -1}
		for a := range sa {
			for i, name := range names {
				if sa[a].name == name {
					pair[i] = a
				}
			}
		}
		if slices.Sort(pair[:]); pair[0] >= 0 && pair[0] < pair[1] && !slices.Contains(out, pair) {
			out = append(out, pair)
		}
	}
	slices.SortFunc(out, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	return out
}

// field appends the name of the attribute as a CSV field.
func (c *column) field(buf []byte) []byte { return snapshot.AppendField(buf, c.name) }

// wholeFile takes the rows of a file that does not go by class, and hands on far less text than all at once.
type wholeFile struct {
	put  func(text []byte) error
	text []byte
	rows int
	cell []byte // room for one
	err  error
}

// wholeText is how much text is made before it is written.
const wholeText = 1 << 16

// row appends a row: a number, fields if there are any, then the other numbers.
func (w *wholeFile) row(fields []byte, numbers ...int) { w.rowBefore("", fields, numbers...) }

// rowBefore is row with a text behind the numbers; empty: none.
func (w *wholeFile) rowBefore(text string, fields []byte, numbers ...int) {
	w.text = strconv.AppendInt(w.text, int64(numbers[0]), 10)
	if fields != nil {
		w.text, w.cell = append(append(w.text, ','), fields...), fields
	}
	for _, n := range numbers[1:] {
		w.text = strconv.AppendInt(append(w.text, ','), int64(n), 10)
	}
	if text != "" {
		w.text = append(append(w.text, ','), text...)
	}
	w.text = append(w.text, '\n')
	if w.rows++; len(w.text) > wholeText {
		w.flush()
	}
}

func (w *wholeFile) flush() {
	if w.err == nil {
		w.err = w.put(w.text)
	}
	w.text = w.text[:0]
}
