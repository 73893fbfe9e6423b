package audit

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/format"
	"anond/snapshot/audit/gate"
)

// l2Plan is a chain of level L2 before rendering: per release, the buckets that it
// gives birth to, as lists of classes. Its writer shares nothing with the auditor
// but the format.
type l2Plan struct {
	plan
	births   [][][][]int
	cap      func(value string, n, of int64) *big.Rat // of a promise of its own; nil: 1/l
	referred map[string]int64                         // declared reference
	out      []*testParts
	strata   []string // by release; nil: people are of none
	most     int      // records of a person, whose value is "a>b" then; 0: one
	span     int64    // for how long people are observed; 0: 90 days
	// observed changes when somebody was: the end, and when each record came; nil: nobody's.
	observed func(person int, until *int64, came []int64)
}

// standardL2 is a chain of four releases, the last of which puts the parts of the
// first two together. In release 2 two classes of one bucket show the same cells, in
// release 3 two classes of different buckets.
func standardL2(recoding string) *l2Plan {
	p := &l2Plan{plan: plan{k: 4, l: 2, recoding: recoding, compact: map[int][2]int{4: {0, 2}}}}
	class := func(arrived int, values string) []int { return p.add(arrived, values) }
	a, b, c := class(1, "a a a a"), class(1, "a b c d"), class(1, "b b c c")
	d, e, f := class(2, "e e f f"), class(2, "a a b b"), class(2, "c d c d")
	g, h, i := class(3, "c d e f"), class(3, "f f f e"), class(3, "a b a b")
	j := class(4, "a b e f")
	p.alike(e, d)
	p.alike(h, g)
	p.births = [][][][]int{
		{{a, c}, {b}},
		{{d, e}, {f}},
		{{g, i}, {h, class(3, "a b c d")}},
		{{j}},
	}
	p.add(4, "a b") // they wait
	return p
}

// alike gives the people of one class the quasi-identifiers of another.
func (p *l2Plan) alike(class, as []int) {
	for n, i := range class {
		x := &p.people[i]
		x.age, x.city, x.job = p.people[as[n]].age, p.people[as[n]].city, p.people[as[n]].job
	}
}

func l2Policy(p *l2Plan) format.Policy {
	return format.Policy{K: p.k, L: p.l, Level: "L2", Republication: "append", MaxRegroups: new(int)}
}

// l2Class is a class on its way to the files.
type l2Class struct {
	who    []int
	rows   [][]string // sorted: cells of the class, or of each person
	bucket *l2Bucket
}

type l2Bucket struct {
	classes []*l2Class
	bag     []string
	number  int
}

// compareL2Cells is the canonical order: age by lo then hi, the others by bytes.
func compareL2Cells(x, y []string) int {
	span := func(cell string) (lo, hi int) {
		from, to, ok := strings.Cut(strings.Trim(cell, "[]"), ",")
		lo, _ = strconv.Atoi(from)
		if hi = lo; ok {
			hi, _ = strconv.Atoi(to)
		}
		return lo, hi
	}
	a, b := span(x[0])
	c, d := span(y[0])
	return cmp.Or(cmp.Compare(a, c), cmp.Compare(b, d), slices.Compare(x[1:], y[1:]))
}

func compareL2Classes(x, y *l2Class) int { return slices.CompareFunc(x.rows, y.rows, compareL2Cells) }

// part renders what a release gives birth to, and says who is in which class and
// bucket of it.
func (p *l2Plan) part(number int, where map[int]testAddress, bucketOf map[int]int) *testPart {
	var classes []*l2Class
	var buckets []*l2Bucket
	for _, list := range p.births[number-1] {
		b := &l2Bucket{}
		for _, who := range list {
			c := &l2Class{who: who, bucket: b}
			for _, i := range who {
				row := p.cells(who)
				if x := p.people[i]; p.recoding == "anatomy" {
					row = []string{strconv.Itoa(x.age), x.city, x.job}
				}
				c.rows = append(c.rows, row)
				b.bag = append(b.bag, p.people[i].value)
			}
			slices.SortFunc(c.rows, compareL2Cells)
			b.classes, classes = append(b.classes, c), append(classes, c)
		}
		slices.SortFunc(b.classes, compareL2Classes)
		slices.Sort(b.bag)
		buckets = append(buckets, b)
	}
	slices.SortStableFunc(buckets, func(x, y *l2Bucket) int {
		return cmp.Or(slices.CompareFunc(x.classes, y.classes, compareL2Classes), slices.Compare(x.bag, y.bag))
	})
	for i, b := range buckets {
		b.number = i + 1
	}
	slices.SortStableFunc(classes, func(x, y *l2Class) int {
		return cmp.Or(compareL2Classes(x, y), cmp.Compare(x.bucket.number, y.bucket.number))
	})
	out := &testPart{name: format.PartName(number), release: number, classes: len(classes), mode: "0444", tables: map[string][][]string{}}
	for c, x := range classes {
		for _, i := range x.who {
			where[i], bucketOf[i] = testAddress{out.name, c + 1}, x.bucket.number
		}
	}
	p.tables(out, classes, buckets)
	return out
}

func (p *l2Plan) tables(out *testPart, classes []*l2Class, buckets []*l2Bucket) {
	data := [][]string{{"age", "city", "job", "class", "bucket"}}
	if p.recoding == "permutation" {
		data[0] = slices.Insert(data[0], 3, "illness")
		p.draw(buckets)
	}
	for c, x := range classes {
		for _, row := range x.rows {
			data = append(data, slices.Concat(row, []string{strconv.Itoa(c + 1), strconv.Itoa(x.bucket.number)}))
		}
	}
	var lines []string
	of := [][]string{{"bucket", "pool", "people"}}
	if p.strata != nil {
		of[0] = append(of[0], "stratum")
	}
	if p.most > 0 {
		of[0] = append(of[0], "records")
	}
	for _, b := range buckets {
		of = append(of, []string{strconv.Itoa(b.number), "1", "0"})
		if p.strata != nil {
			of[b.number] = append(of[b.number], p.strata[out.release-1])
		}
		if p.most > 0 {
			of[b.number] = append(of[b.number], strconv.Itoa(len(history(b.bag[0], 0))))
		}
		for i := 0; i < len(b.bag); {
			n := 1
			for i+n < len(b.bag) && b.bag[i+n] == b.bag[i] {
				n++
			}
			lines = append(lines, fmt.Sprint(b.number, " ", b.bag[i], " ", n))
			i += n
		}
	}
	out.most, out.tables["data.csv"], out.tables["buckets.csv"] = p.most, data, of
	bags(out, lines...)
}

// draw gives the rows of each bucket its bag, turned by some places.
func (p *l2Plan) draw(buckets []*l2Bucket) {
	for _, b := range buckets {
		n := 0
		for i := 0; i < len(b.classes); {
			from := i
			var values []string
			for ; i < len(b.classes) && compareL2Classes(b.classes[i], b.classes[from]) == 0; i++ {
				for range b.classes[i].rows {
					values = append(values, b.bag[(n+3)%len(b.bag)])
					n++
				}
			}
			slices.Sort(values)
			for _, c := range b.classes[from:i] {
				for j, row := range c.rows {
					c.rows[j] = append(slices.Clone(row), values[0])
					values = values[1:]
				}
			}
		}
	}
}

// bags writes the files of bags and buckets anew, of lines with bucket, value and count. Buckets stay in the pools
// in which they are; others are in the first.
func bags(p *testPart, lines ...string) {
	pool, people, more := map[string]string{}, map[string]int{}, map[string][]string{}
	for _, row := range p.tables["buckets.csv"] {
		pool[row[0]], more[row[0]] = row[1], row[3:]
	}
	values := [][]string{slices.Concat([]string{"bucket", "attribute"}, columns("value", p.most), []string{"count"})}
	of := [][]string{append([]string{"bucket", "pool", "people"}, more["bucket"]...)}
	pools := map[string]map[string]int{}
	for _, line := range lines {
		f := strings.Fields(line)
		bucket, n := f[0], 0
		fmt.Sscan(f[2], &n)
		values = append(values, slices.Concat([]string{bucket, "illness"}, history(f[1], p.most), f[2:]))
		if people[bucket] == 0 {
			of = append(of, append([]string{bucket, cmp.Or(pool[bucket], "1"), ""}, more[bucket]...))
		}
		people[bucket] += n
		in := of[len(of)-1][1]
		if pools[in] == nil {
			pools[in] = map[string]int{}
		}
		pools[in][f[1]] += n
	}
	for _, row := range of[1:] {
		row[2] = strconv.Itoa(people[row[0]])
	}
	sums := [][]string{slices.Concat([]string{"pool", "attribute"}, columns("value", p.most), []string{"count"})}
	for _, in := range slices.Sorted(maps.Keys(pools)) {
		for _, v := range slices.Sorted(maps.Keys(pools[in])) {
			sums = append(sums, slices.Concat([]string{in, "illness"}, history(v, p.most), []string{strconv.Itoa(pools[in][v])}))
		}
	}
	p.tables["values.csv"], p.tables["pools.csv"], p.tables["buckets.csv"] = values, sums, of
}

// columns are those of the values of histories of so many records at most.
func columns(name string, most int) []string {
	out := []string{name}
	for i := 2; i <= most; i++ {
		out = append(out, name+"_"+strconv.Itoa(i))
	}
	return out
}

// history is a person's value in so many columns at least.
func history(value string, most int) []string {
	parts := strings.Split(value, ">")
	return append(parts, make([]string, max(0, most-len(parts)))...)
}

// ever is a bag in which each person counts at each value of their history.
func ever(bag []string) (out []string) {
	for _, value := range bag {
		out = append(out, slices.Compact(slices.Sorted(slices.Values(history(value, 0))))...)
	}
	return out
}

// counted are the highest numbers of buckets and pools that the files of a part have.
func counted(p *testPart) (buckets, pools int) {
	if p.tables["buckets.csv"] == nil {
		return 0, 0
	}
	for _, row := range p.tables["buckets.csv"][1:] {
		b, _ := strconv.Atoi(row[0])
		n, _ := strconv.Atoi(row[1])
		buckets, pools = max(buckets, b), max(pools, n)
	}
	return buckets, pools
}

// joinL2 puts parts together.
func joinL2(number int, old []*testPart, where map[int]testAddress, bucketOf map[int]int) *testPart {
	first, last := old[0].name, old[len(old)-1].name
	c := &testPart{name: first[:11] + last[len(last)-7:], release: number, mode: "0444", tables: map[string][][]string{}}
	buckets, pools := 0, 0
	for _, p := range old {
		hasBuckets, hasPools := counted(p)
		for i, a := range where {
			if a.part == p.name {
				where[i] = testAddress{c.name, a.class + c.classes}
				bucketOf[i] += buckets
			}
		}
		c.replaces = append(c.replaces, map[string]any{"part": p.name, "first_class": c.classes + 1, "classes": p.classes,
			"first_bucket": buckets + 1, "buckets": hasBuckets, "first_pool": pools + 1, "pools": hasPools})
		for name, rows := range p.tables {
			if c.tables[name] == nil {
				c.tables[name] = [][]string{rows[0]}
			}
			for _, row := range rows[1:] {
				row = slices.Clone(row)
				switch n := len(row); name {
				case "data.csv":
					row[n-2], row[n-1] = shifted(row[n-2], c.classes), shifted(row[n-1], buckets)
				case "values.csv":
					row[0] = shifted(row[0], buckets)
				case "buckets.csv":
					row[0], row[1] = shifted(row[0], buckets), shifted(row[1], pools)
				default:
					row[0] = shifted(row[0], pools)
				}
				c.tables[name] = append(c.tables[name], row)
			}
		}
		c.classes += p.classes
		buckets, pools = buckets+hasBuckets, pools+hasPools
	}
	return c
}

func shifted(text string, by int) string {
	n, _ := strconv.Atoi(text)
	return strconv.Itoa(n + by)
}

// write renders the chain to disk and gives the audit's options, both exports
// included. edit may change a release before it is hashed; what follows goes on from
// what it was before.
func (p *l2Plan) write(t testing.TB) Options {
	w := &chainWriter{t: t, root: t.TempDir()}
	w.put("releases/hierarchies/city.csv", []byte(testHierarchy))
	if p.referred != nil {
		w.put("releases/hierarchies/shares.csv", referenceText(p.referred))
	}
	members := [][]string{{"release", "record", "part", "class", "bucket"}}
	where, bucketOf := map[int]testAddress{}, map[int]int{}
	var parts []*testPart
	p.out = nil
	for n := range p.births {
		number := n + 1
		if span, ok := p.compact[number]; ok {
			joined := joinL2(number, parts[span[0]:span[1]], where, bucketOf)
			parts = slices.Concat(parts[:span[0]], []*testPart{joined}, parts[span[1]:])
		}
		parts = append(parts, p.part(number, where, bucketOf))
		r := &testParts{number: number, where: map[int]testAddress{}}
		for _, x := range parts {
			r.parts = append(r.parts, x.clone())
		}
		for i, a := range where {
			r.where[i] = a
		}
		p.manifest(r)
		if p.edit != nil {
			p.edit(r)
		}
		p.save(w, r)
		for i := range p.people {
			if a, ok := r.where[i]; ok {
				members = append(members, []string{strconv.Itoa(number), recordID(i), a.part, strconv.Itoa(a.class), strconv.Itoa(bucketOf[i])})
			}
		}
		p.out = append(p.out, r)
	}
	return w.finish(members, p.records())
}

// records has the stratum of each person, if there are any: that of the release in which they are born.
func (p *l2Plan) records() [][]string {
	table := p.plan.records()
	if p.strata == nil {
		return table
	}
	of := map[int]string{}
	for n, buckets := range p.births {
		for _, b := range buckets {
			for _, i := range slices.Concat(b...) {
				of[i] = p.strata[n]
			}
		}
	}
	for i, row := range table {
		text := cmp.Or(of[i-1], "plain")
		if i == 0 {
			text = "stratum"
		}
		if n := len(row) - 1; p.most > 0 && i == 0 {
			row = append(row[:n], columns(row[n], p.most)...)
		} else if p.most > 0 {
			row = append(row[:n], history(row[n], p.most)...)
		}
		window := append([]string{text, "observed_until"}, columns("came", max(1, p.most))...)
		if i > 0 {
			window = append(window[:1], p.window(i-1, of[i-1])...)
		}
		table[i] = slices.Insert(row, 2, window...)
	}
	return table
}

// window is when somebody was observed. Of whom nothing else came, the first record begins it.
func (p *l2Plan) window(person int, stratum string) []string {
	begins, records := int64(1_700_000_000_000+1000*person), 1
	span := cmp.Or(p.span, 90*86_400_000)
	until, came := begins+span, []int64{begins}
	if strings.Contains(stratum, "fault") || strings.Contains(stratum, "updated") {
		came[0]++
	}
	if n, err := strconv.Atoi(strings.Split(stratum, "+")[0]); err == nil {
		records = n
	}
	for len(came) < records {
		came = append(came, came[len(came)-1]+1)
	}
	if p.observed != nil {
		p.observed(person, &until, came)
	}
	out := []string{strconv.FormatInt(until, 10)}
	for _, at := range came {
		out = append(out, strconv.FormatInt(at, 10))
	}
	return append(out, make([]string, max(0, max(1, p.most)-records))...)
}

// manifest describes a release as it should be.
func (p *l2Plan) manifest(r *testParts) {
	classes, buckets, top, pending, kMin := 0, 0, 0.0, 0, p.k
	for _, born := range p.births[:r.number] {
		for _, b := range born {
			buckets++
			var bag []string
			for _, c := range b {
				classes++
				kMin = min(kMin, len(c))
				bag = append(bag, p.bag(c)...)
			}
			most, _ := testTop(ever(bag))
			top = max(top, float64(most)/float64(len(bag)))
		}
	}
	for i, x := range p.people {
		if _, in := r.where[i]; !in && x.arrived > 0 && x.arrived <= r.number {
			pending++
		}
	}
	x := &testRelease{number: r.number, classes: classes, rows: make([]testRow, len(r.where))}
	p.plan.manifest(x, "frozen", kMin, top)
	x.man["seeded"], x.man["buckets"], x.man["pending"] = false, buckets, pending
	x.policy["level"], x.policy["republication"], x.policy["max_regroups"] = "L2", "append", 0
	x.privacy["level"] = "L0+L1+L2"
	if p.recoding != "anatomy" {
		x.privacy["k1"] = "rows"
	}
	if p.recoding == "permutation" {
		x.man["values"] = "drawn"
	}
	if p.strata != nil {
		x.privacy["settle"], x.privacy["updates"] = "90d", "apply"
	}
	if p.most > 0 {
		x.policy["subject_repeat"] = "history"
		x.privacy["unit"], x.privacy["promise"], x.privacy["max_records"] = "person", "ever", p.most
	}
	x.privacy["attributes"] = []any{p.reach(r.number)}
	r.man = x.man
}

// reach is what the buckets of the releases up to one reach, in rationals.
func (p *l2Plan) reach(number int) map[string]any {
	top, odds, most := new(big.Rat), new(big.Rat), new(big.Rat)
	bounded := true
	for _, born := range p.births[:number] {
		pool, people := map[string]int64{}, int64(0)
		for _, b := range born {
			for _, c := range b {
				for _, v := range ever(p.bag(c)) {
					pool[v]++
				}
				people += int64(len(c))
			}
		}
		for _, b := range born {
			counts, size := map[string]int64{}, int64(0)
			for _, c := range b {
				for _, v := range ever(p.bag(c)) {
					counts[v]++
				}
				size += int64(len(c))
			}
			for v, n := range counts {
				m, all := pool[v], people
				if p.referred != nil {
					m, all = p.referred[v], 0
					for _, of := range p.referred {
						all += of
					}
				}
				top = larger(top, big.NewRat(n, size))
				switch {
				case m == all:
				case n == size:
					bounded = false
				default:
					odds = larger(odds, big.NewRat(n*(all-m), (size-n)*m))
				}
				if p.cap != nil {
					most = larger(most, p.cap(v, pool[v], people))
				} else {
					most = big.NewRat(1, int64(p.l))
				}
			}
		}
	}
	out := map[string]any{"name": "illness", "top_share": top.String(), "top_odds": odds.String(), "cap": most.String()}
	if !bounded {
		out["top_odds"] = "1/0"
	}
	return out
}

func larger(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

func (p *l2Plan) save(w *chainWriter, r *testParts) {
	sub := fmt.Sprintf("releases/%06d/", r.number)
	w.save(sub, r)
	if _, set := r.man["previous"]; !set {
		r.man["previous"] = w.previous
	}
	documented(w.t, r.man, func(name string, text []byte) { w.put(sub+name, text) })
	data := inForm(w.t, r.man)
	w.put(sub+"manifest.json", data)
	w.previous = map[string]any{"release": r.number, "sha256": format.HexSHA(data)}
	w.ledger += ledgerLine(r.number, data)
	w.newest = r.number
}

// check audits the chain, and lets a gate follow it as far as it does; after each
// release that passed, another gate starts there.
func (p *l2Plan) check(t *testing.T, o Options) (*Report, []format.Violation) {
	r, err := Dir(o)
	require.NoError(t, err)
	g := gate.New(l2Policy(p))
	for _, x := range p.out {
		dir := filepath.Join(o.Releases, format.DirName(x.number))
		found, err := g.Check(dir, placedNow(x.number, x.where))
		require.NoError(t, err)
		if len(found) > 0 {
			return r, found
		}
		g.Commit()
		found, err = gate.New(l2Policy(p)).Resume(dir, placedAll(x.where), nil)
		require.NoError(t, err)
		require.Empty(t, found)
	}
	return r, nil
}
