package readback

import (
	"fmt"
	"slices"
	"strconv"

	"anond/equivclass"
	"anond/equivclass/query"
	"anond/snapshot"
)

// sharedLoader reads the files of level L2. Its classes and rows are in the order of
// the files first, then by bucket.
type sharedLoader struct {
	*Release
	readers []cellReader
	bags    [][]equivclass.Code // by bucket over all parts
	before  []int               // by part, from 0: buckets of the parts before; and of all
	numbers []int               // of each bucket, in its part
	records []int               // of each bucket: of its histories, as many each; 1 where there are none
	pools   map[[2]string]int32 // by part, and number in it
	classes []sharedClass
}

// sharedClass is a class as it is read: its bucket over all parts, and its cells or the
// exact values of its rows, row by row.
type sharedClass struct {
	bucket, size int
	cells        []query.Cell
	rows         []equivclass.Code
}

func (r *Release) loader() *sharedLoader {
	l := &sharedLoader{Release: r}
	for _, d := range r.Dicts {
		l.readers = append(l.readers, newCellReader(d))
	}
	return l
}

func (r *Release) loadShared() error      { return r.loader().load(false) }
func (r *Release) loadSharedExact() error { return r.loader().load(true) }

// load reads buckets.csv, values.csv and data.csv. Values that stand in rows by draws are not looked at: they are
// no more than the bag of the bucket.
func (l *sharedLoader) load(exact bool) error {
	if err := l.loadPeople(); err != nil {
		return err
	}
	if err := l.loadBags(); err != nil {
		return err
	}
	names, d := l.names(), len(l.Dicts)-1
	cells := d
	header := names[:d:d]
	if l.Manifest.Values == snapshot.ValuesDrawn {
		for _, e := range l.Manifest.Schema {
			if e.Role == equivclass.Sensitive {
				header = append(header, e.Name)
			}
		}
		d = len(header)
	}
	s, err := l.sheet(snapshot.DataName, append(header, "class", "bucket"), d)
	if err != nil {
		return err
	}
	for {
		fields, err := s.next()
		if err != nil {
			return err
		}
		if fields == nil {
			return l.settle()
		}
		bucket, ok := l.number(fields[d+1], s.part)
		if fresh := s.class > len(l.classes); fresh {
			l.classes = append(l.classes, sharedClass{bucket: bucket})
			ok = ok && (exact || l.cells(fields[:cells]))
		}
		c := &l.classes[len(l.classes)-1]
		if c.size++; !ok || c.bucket != bucket || exact && !l.row(c, fields) {
			return s.damaged("has no cells or no bucket of its class")
		}
	}
}

// loadPeople reads buckets.csv.
func (l *sharedLoader) loadPeople() error {
	l.pools, l.poolsOf = map[[2]string]int32{}, nil
	s, err := l.sheet(snapshot.BucketsName, l.Manifest.BucketsColumns(), noNumber)
	if err != nil {
		return err
	}
	for {
		fields, err := s.next()
		if err != nil {
			return err
		}
		l.begin(s.part)
		if fields == nil {
			l.before = append(l.before, len(l.bags))
			return nil
		}
		n, err := strconv.Atoi(fields[2])
		if !l.take(fields[0]) || err != nil || n < 1 || n > l.Manifest.Records {
			return s.damaged("has no number of people, or a number of a bucket out of order")
		}
		records, most := 1, l.Manifest.Privacy.MaxRecords
		if most > 0 {
			if records, err = strconv.Atoi(fields[len(fields)-1]); err != nil || records < 1 || records > most {
				return s.damaged("has no number of records of its histories")
			}
		}
		l.records = append(l.records, records)
		l.bags[len(l.bags)-1] = make([]equivclass.Code, 0, n)
		l.poolsOf = append(l.poolsOf, l.poolOf(s.part, fields[1]))
	}
}

// poolOf is the place over all parts of a pool that a part numbers.
func (l *sharedLoader) poolOf(part int, number string) int32 {
	key := [2]string{strconv.Itoa(part), number}
	at, ok := l.pools[key]
	if !ok {
		at = int32(len(l.pools))
		l.pools[key] = at
	}
	return at
}

// loadBags reads values.csv: rows of an attribute behind the first are kept apart.
func (l *sharedLoader) loadBags() error {
	d := len(l.Dicts) - 1
	all, dicts, readers := [][][]equivclass.Code{l.bags}, []*equivclass.Dictionary{l.Dicts[d]}, []cellReader{l.readers[d]}
	for _, d := range l.further {
		bags := make([][]equivclass.Code, len(l.bags))
		for b := range bags {
			bags[b] = make([]equivclass.Code, 0, cap(l.bags[b]))
		}
		all, dicts, readers = append(all, bags), append(dicts, d), append(readers, newCellReader(d))
	}
	header := l.Manifest.BagColumns("bucket")
	s, err := l.sheet(snapshot.ValuesName, header, noNumber)
	if err != nil {
		return err
	}
	for {
		fields, err := s.next()
		if err != nil {
			return err
		}
		if fields == nil {
			break
		}
		at := slices.IndexFunc(dicts, func(d *equivclass.Dictionary) bool { return d.Attribute().Name == fields[1] })
		bucket, ok := l.number(fields[0], s.part)
		if n, err := strconv.Atoi(fields[len(header)-1]); at >= 0 && ok && err == nil {
			bag := &all[at][bucket]
			code, known := readers[at].sequence(fields[2:len(header)-1], l.records[bucket])
			if known && n >= 1 && n <= cap(*bag)-len(*bag) {
				*bag = append(*bag, slices.Repeat([]equivclass.Code{code}, n)...)
				continue
			}
		}
		return s.damaged("has no value of a sensitive attribute with its count in a bucket")
	}
	l.Others = nil
	for at, bags := range all {
		if slices.ContainsFunc(bags, func(bag []equivclass.Code) bool { return len(bag) < cap(bag) }) {
			return fmt.Errorf("%w: the files disagree on the size of a bucket", snapshot.ErrDamaged)
		}
		if at > 0 {
			l.Others = append(l.Others, SensitiveValues{dicts[at], slices.Concat(bags...)})
		}
	}
	return l.loadTables(dicts)
}

// loadTables reads tables.csv, if the release has it.
func (l *sharedLoader) loadTables(dicts []*equivclass.Dictionary) error {
	l.tables = nil
	if len(l.Manifest.Tables) == 0 {
		return nil
	}
	s, err := l.sheet(snapshot.TablesName, []string{"pool", "attribute", "value", "with", "with_value", "count"}, noNumber)
	if err != nil {
		return err
	}
	named := func(name string) int {
		at := slices.IndexFunc(dicts, func(d *equivclass.Dictionary) bool { return d.Attribute().Name == name })
		return at + len(l.Dicts) - 1
	}
	for {
		fields, err := s.next()
		if err != nil || fields == nil {
			return err
		}
		pair := [2]int{named(fields[1]), named(fields[3])}
		n, err := strconv.Atoi(fields[5])
		if err != nil || n < 1 || n > l.Manifest.Records || min(pair[0], pair[1]) < len(l.Dicts)-1 || pair[0] == pair[1] {
			return s.damaged("has no pair of values with its count")
		}
		i := slices.IndexFunc(l.tables, func(t query.PairTable) bool { return t.Attributes == pair })
		if i < 0 {
			i = len(l.tables)
			l.tables = append(l.tables, query.PairTable{Attributes: pair, Counts: map[int32]map[[2]string]int{}})
		}
		pool := l.poolOf(s.part, fields[0])
		if l.tables[i].Counts[pool] == nil {
			l.tables[i].Counts[pool] = map[[2]string]int{}
		}
		l.tables[i].Counts[pool][[2]string{fields[2], fields[4]}] = n
	}
}

// begin notes what the parts before one have.
func (l *sharedLoader) begin(part int) {
	for len(l.before) < part {
		l.before = append(l.before, len(l.bags))
	}
}

// take makes the bucket of a row the newest one. Numbers ascend in a part; those of buckets that have left are not there.
func (l *sharedLoader) take(text string) bool {
	n, err := strconv.Atoi(text)
	last := 0
	if len(l.bags) > l.before[len(l.before)-1] {
		last = l.numbers[len(l.numbers)-1]
	}
	l.bags, l.numbers = append(l.bags, nil), append(l.numbers, n)
	return err == nil && n > last
}

// number is the place over all parts of a bucket that a part numbers.
func (l *sharedLoader) number(text string, part int) (int, bool) {
	n, err := strconv.Atoi(text)
	from, to := l.before[part-1], l.before[part]
	at, found := slices.BinarySearch(l.numbers[from:to], n)
	return from + at, err == nil && found
}

// cells reads the cells of the newest class.
func (l *sharedLoader) cells(fields []string) bool {
	c := &l.classes[len(l.classes)-1]
	c.cells = make([]query.Cell, len(l.Dicts))
	for j := range len(l.Dicts) - 1 {
		var ok bool
		if c.cells[j], ok = l.readers[j].cell(fields[j]); !ok {
			return false
		}
	}
	return true
}

// row reads exact values.
func (l *sharedLoader) row(c *sharedClass, fields []string) bool {
	for j := range len(l.Dicts) - 1 {
		code, ok := l.readers[j].value(fields[j])
		if !ok {
			return false
		}
		c.rows = append(c.rows, code)
	}
	return true
}

// settle makes the release of what was read: rows by bucket.
func (l *sharedLoader) settle() error {
	r, d := l.Release, len(l.Dicts)-1
	slices.SortStableFunc(l.classes, func(a, b sharedClass) int { return a.bucket - b.bucket })
	r.Start, r.Buckets = []int32{0}, []int32{0}
	r.SA, r.QI, r.Cells = nil, nil, nil
	rows := int32(0)
	for i := range l.classes {
		c := &l.classes[i]
		rows += int32(c.size)
		r.Start = append(r.Start, rows)
		if c.cells != nil {
			r.Cells = append(r.Cells, c.cells)
			continue
		}
		if r.QI == nil {
			r.QI = make([][]equivclass.Code, d)
		}
		for at, code := range c.rows {
			r.QI[at%d] = append(r.QI[at%d], code)
		}
	}
	for _, bag := range l.bags {
		r.SA = append(r.SA, bag...)
		r.Buckets = append(r.Buckets, int32(len(r.SA)))
	}
	for i := range l.classes { // each bucket is a union of classes
		if at := l.classes[i].bucket; r.Start[i] < r.Buckets[at] || r.Start[i+1] > r.Buckets[at+1] {
			return fmt.Errorf("%w: the files disagree on the size of a bucket", snapshot.ErrDamaged)
		}
	}
	if len(l.classes) != r.Manifest.Classes || len(l.bags) != r.Manifest.Buckets || int(rows) != len(r.SA) {
		return fmt.Errorf("%w: the files have other classes and buckets than the manifest says", snapshot.ErrDamaged)
	}
	return nil
}

// sharedEstimator: values uniform inside the cells of a class, and the sensitive one of
// each record with its share in the bucket. Values that stand in rows by draws are no
// more than that.
func (r *Release) sharedEstimator() query.Estimator { return r.sharedBuckets() }
