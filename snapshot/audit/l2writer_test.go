package audit

import (
	"cmp"
	"fmt"
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
	births [][][][]int
	out    []*testParts
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
	if p.recoding == "permutation" {
		out.tables["data.csv"] = drawnTable(buckets)
		return
	}
	data := [][]string{{"age", "city", "job", "class", "bucket"}}
	for c, x := range classes {
		for _, row := range x.rows {
			data = append(data, slices.Concat(row, []string{strconv.Itoa(c + 1), strconv.Itoa(x.bucket.number)}))
		}
	}
	bags := [][]string{{"bucket", "illness", "count"}}
	for _, b := range buckets {
		for i := 0; i < len(b.bag); {
			n := 1
			for i+n < len(b.bag) && b.bag[i+n] == b.bag[i] {
				n++
			}
			bags = append(bags, []string{strconv.Itoa(b.number), b.bag[i], strconv.Itoa(n)})
			i += n
		}
	}
	out.tables["data.csv"], out.tables["buckets.csv"] = data, bags
}

// drawnTable gives the rows of each bucket its bag, turned by some places.
func drawnTable(buckets []*l2Bucket) [][]string {
	table := [][]string{{"age", "city", "job", "illness", "bucket"}}
	for _, b := range buckets {
		var rows [][]string
		for _, c := range b.classes {
			for _, cells := range c.rows {
				rows = append(rows, append(slices.Clone(cells), b.bag[(len(rows)+3)%len(b.bag)], strconv.Itoa(b.number)))
			}
		}
		sortDrawn(rows)
		table = append(table, rows...)
	}
	return table
}

// sortDrawn sorts rows by bucket, cells and value.
func sortDrawn(rows [][]string) {
	slices.SortStableFunc(rows, func(x, y []string) int {
		a, _ := strconv.Atoi(x[4])
		b, _ := strconv.Atoi(y[4])
		return cmp.Or(cmp.Compare(a, b), compareL2Cells(x[:3], y[:3]), cmp.Compare(x[3], y[3]))
	})
}

// bucketColumn is where the rows of a file name their bucket.
func bucketColumn(name string, row []string) int {
	if name == "buckets.csv" {
		return 0
	}
	return len(row) - 1
}

// bucketsOf is how many buckets a part has, as its files say.
func bucketsOf(p *testPart) (n int) {
	for name, rows := range p.tables {
		for _, row := range rows[1:] {
			b, _ := strconv.Atoi(row[bucketColumn(name, row)])
			n = max(n, b)
		}
	}
	return n
}

// joinL2 puts parts together.
func joinL2(number int, old []*testPart, where map[int]testAddress, bucketOf map[int]int) *testPart {
	first, last := old[0].name, old[len(old)-1].name
	c := &testPart{name: first[:11] + last[len(last)-7:], release: number, mode: "0444", tables: map[string][][]string{}}
	buckets := 0
	for _, p := range old {
		for i, a := range where {
			if a.part == p.name {
				where[i] = testAddress{c.name, a.class + c.classes}
				bucketOf[i] += buckets
			}
		}
		c.replaces = append(c.replaces, map[string]any{"part": p.name, "first_class": c.classes + 1, "classes": p.classes,
			"first_bucket": buckets + 1, "buckets": bucketsOf(p)})
		for name, rows := range p.tables {
			if c.tables[name] == nil {
				c.tables[name] = [][]string{rows[0]}
			}
			for _, row := range rows[1:] {
				row = slices.Clone(row)
				at := bucketColumn(name, row)
				row[at] = shifted(row[at], buckets)
				if at == 4 && rows[0][3] == "class" {
					row[3] = shifted(row[3], c.classes)
				}
				c.tables[name] = append(c.tables[name], row)
			}
		}
		c.classes += p.classes
		buckets += bucketsOf(p)
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
			most, _ := testTop(bag)
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
	r.man = x.man
}

func (p *l2Plan) save(w *chainWriter, r *testParts) {
	sub := fmt.Sprintf("releases/%06d/", r.number)
	w.save(sub, r)
	if _, set := r.man["previous"]; !set {
		r.man["previous"] = w.previous
	}
	data := inForm(w.t, r.man)
	w.put(sub+"manifest.json", data)
	w.previous = map[string]any{"release": r.number, "sha256": format.HexSHA(data)}
	w.ledger += fmt.Sprintf("%d %s\n", r.number, format.HexSHA(data))
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
