package audit

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/format"
)

// The writer of this file is a tiny publisher made for tests: it shares nothing
// with the auditor but the format, and it writes any plan, safe or
// not.

type person struct {
	age     int
	city    string // hierarchy: district, region, *
	job     string // category without hierarchy
	value   string // sensitive
	subject string
	arrived int
}

// plan is a chain before rendering: per release, classes as lists of people.
type plan struct {
	people   []person
	releases [][][]int
	k, l     int
	budget   int
	recoding string
	compact  map[int][2]int
	edit     func(*testParts)
}

const testHierarchy = "north-1;north;*\nnorth-2;north;*\nsouth-1;south;*\nsouth-2;south;*\n"

var testCities = []string{"north-1", "north-2", "south-1", "south-2"}
var testJobs = []string{"clerk", "miner", "nurse"}

type testRow struct {
	cells []string
	value string
	class int
}

// testRelease is a rendered release that mutations may edit before it is hashed.
type testRelease struct {
	number  int
	rows    []testRow
	extra   bool // write a column of persistent ids
	man     map[string]any
	privacy map[string]any
	policy  map[string]any
	schema  []map[string]any
	classes int
	member  map[int]int // person -> class
	where   map[int]testAddress
}

// add appends people with given values; ages differ and follow the order.
func (p *plan) add(arrived int, values string) []int {
	var ids []int
	for _, v := range strings.Fields(values) {
		i := len(p.people)
		p.people = append(p.people, person{
			age: 20 + i, city: testCities[i/3%4], job: testJobs[i/5%3], value: v,
			subject: "person-" + strconv.Itoa(i), arrived: arrived,
		})
		ids = append(ids, i)
	}
	return ids
}

func (p *plan) cells(members []int) []string {
	lo, hi := p.people[members[0]].age, p.people[members[0]].age
	var cities, jobs []string
	for _, i := range members {
		lo, hi = min(lo, p.people[i].age), max(hi, p.people[i].age)
		cities, jobs = append(cities, p.people[i].city), append(jobs, p.people[i].job)
	}
	age := strconv.Itoa(lo)
	if lo < hi {
		age = fmt.Sprintf("[%d,%d]", lo, hi)
	}
	slices.Sort(jobs)
	jobs = slices.Compact(jobs)
	job := jobs[0]
	if len(jobs) > 1 {
		job = "{" + strings.Join(jobs, "|") + "}"
	}
	return []string{age, testLCA(cities), job}
}

func testLCA(cities []string) string {
	slices.Sort(cities)
	cities = slices.Compact(cities)
	if len(cities) == 1 {
		return cities[0]
	}
	region, _, _ := strings.Cut(cities[0], "-")
	for _, c := range cities {
		if !strings.HasPrefix(c, region) {
			return "*"
		}
	}
	return region
}

// boxKey orders classes: age by lo then hi, text by bytes, then the bag.
func (p *plan) before(x, y []int) int {
	span := func(members []int) (lo, hi int) {
		lo, hi = p.people[members[0]].age, p.people[members[0]].age
		for _, i := range members {
			lo, hi = min(lo, p.people[i].age), max(hi, p.people[i].age)
		}
		return lo, hi
	}
	xl, xh := span(x)
	yl, yh := span(y)
	xc, yc := p.cells(x), p.cells(y)
	return cmp.Or(cmp.Compare(xl, yl), cmp.Compare(xh, yh), cmp.Compare(xc[1], yc[1]), cmp.Compare(xc[2], yc[2]),
		slices.Compare(p.bag(x), p.bag(y)))
}

func (p *plan) bag(members []int) []string {
	var bag []string
	for _, i := range members {
		bag = append(bag, p.people[i].value)
	}
	slices.Sort(bag)
	return bag
}

// render turns the plan into releases, canonical and true.
func (p *plan) render() []*testRelease {
	var out []*testRelease
	moved, before := map[int]bool{}, map[int]string{}
	for n, classes := range p.releases {
		classes = slices.Clone(classes)
		slices.SortFunc(classes, p.before)
		r := &testRelease{number: n + 1, classes: len(classes), member: map[int]int{}}
		kMin, freq, flat, move := 0, 0.0, true, false
		for c, members := range classes {
			members = slices.Clone(members)
			slices.Sort(members)
			set := fmt.Sprint(members)
			for _, i := range members {
				r.member[i] = c + 1
				if was, ok := before[i]; ok && was != set {
					moved[i] = true
				}
				before[i] = set
				move = move || moved[i]
			}
			bag := p.bag(members)
			top, values := testTop(bag)
			flat = flat && top*values == len(bag)
			freq = max(freq, float64(top)/float64(len(bag)))
			if kMin == 0 || len(bag) < kMin {
				kMin = len(bag)
			}
			for _, v := range bag {
				r.rows = append(r.rows, testRow{p.cells(members), v, c + 1})
			}
		}
		certificate := "frozen+pure"
		if !move {
			certificate = "frozen"
		} else if flat {
			certificate = "pure"
		}
		p.manifest(r, certificate, kMin, freq)
		out = append(out, r)
	}
	return out
}

func testTop(bag []string) (top, values int) {
	count := map[string]int{}
	for _, v := range bag {
		count[v]++
		top = max(top, count[v])
	}
	return top, len(count)
}

func (p *plan) manifest(r *testRelease, certificate string, kMin int, freq float64) {
	pending := 0
	for i, x := range p.people {
		if x.arrived > 0 && x.arrived <= r.number && r.member[i] == 0 {
			pending++
		}
	}
	k1 := "rows"
	if p.recoding != "generalization" {
		k1 = "sensitive-only"
	}
	r.schema = []map[string]any{
		{"name": "person", "role": "subject", "type": "categorical"},
		{"name": "age", "role": "quasi", "type": "integer"},
		{"name": "city", "role": "quasi", "type": "categorical",
			"hierarchy": map[string]any{"file": "city.csv", "sha256": format.HexSHA([]byte(testHierarchy))}},
		{"name": "job", "role": "quasi", "type": "categorical"},
		{"name": "illness", "role": "sensitive", "type": "categorical"},
	}
	r.policy = map[string]any{"k": p.k, "l": p.l, "diversity": []any{}, "republication": "regroup", "max_regroups": p.budget, "threshold": 3}
	r.privacy = map[string]any{"k_min": kMin, "max_frequency": freq, "certificate": certificate, "level": "L0+L1", "k1": k1}
	r.man = map[string]any{
		"dataset": "test", "release": r.number, "created_at": "2026-11-20T00:00:00Z", "seeded": true,
		"schema": r.schema, "policy": r.policy, "recoding": p.recoding, "records": len(r.rows), "classes": r.classes,
		"pending": pending, "quality": map[string]any{"ncp": 0.5}, "privacy": r.privacy,
	}
}

// files lays out the data files of a release.
func (p *plan) files(r *testRelease) map[string][][]string {
	if p.recoding == "generalization" {
		table := [][]string{{"age", "city", "job", "illness", "class"}}
		for _, row := range r.rows {
			table = append(table, append(slices.Clone(row.cells), row.value, strconv.Itoa(row.class)))
		}
		if r.extra {
			for i := range table {
				table[i] = append(table[i], "id-"+strconv.Itoa(i))
			}
			table[0][5] = "row_id"
		}
		return map[string][][]string{"data.csv": table}
	}
	return p.buckets(r)
}

func (p *plan) buckets(r *testRelease) map[string][][]string {
	qi := [][]string{{"age", "city", "job", "group"}}
	for c := 1; c <= r.classes; c++ {
		var rows [][]string
		for i, class := range r.member {
			if class == c {
				x := p.people[i]
				rows = append(rows, []string{strconv.Itoa(x.age), x.city, x.job, strconv.Itoa(c)})
			}
		}
		slices.SortFunc(rows, slices.Compare)
		if p.recoding == "permutation" {
			for a := 1; a < 3; a++ { // rotate each column on its own, then sort rows again
				first := rows[0][a]
				for i := 1; i < len(rows); i++ {
					rows[i-1][a] = rows[i][a]
				}
				rows[len(rows)-1][a] = first
			}
			slices.SortFunc(rows, slices.Compare)
		}
		qi = append(qi, rows...)
	}
	if p.recoding == "permutation" {
		sa := [][]string{{"group", "illness"}}
		for _, row := range r.rows {
			sa = append(sa, []string{strconv.Itoa(row.class), row.value})
		}
		return map[string][][]string{"pqt.csv": qi, "pst.csv": sa}
	}
	sa := [][]string{{"group", "illness", "count"}}
	for i, row := range r.rows {
		if i > 0 && r.rows[i-1].class == row.class && r.rows[i-1].value == row.value {
			n, _ := strconv.Atoi(sa[len(sa)-1][2])
			sa[len(sa)-1][2] = strconv.Itoa(n + 1)
			continue
		}
		sa = append(sa, []string{strconv.Itoa(row.class), row.value, "1"})
	}
	return map[string][][]string{"qit.csv": qi, "st.csv": sa}
}

func testCSV(t testing.TB, table [][]string) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	require.NoError(t, w.WriteAll(table))
	return b.Bytes()
}

// write renders to disk and gives the audit's options, both exports included.
func (p *plan) write(t testing.TB, releases []*testRelease) Options {
	t.Helper()
	w := &chainWriter{t: t, root: t.TempDir(), compact: p.compact, edit: p.edit}
	w.put("releases/hierarchies/city.csv", []byte(testHierarchy))
	header := []string{"release", "record", "part", "class"}
	members := [][]string{header}
	for _, r := range releases {
		r.man["records"] = len(r.rows)
		r.where = w.release(r.number, r.man, p.files(r), r.member)
		for i := range p.people {
			if a, ok := r.where[i]; ok {
				row := []string{strconv.Itoa(r.number), recordID(i), a.part, strconv.Itoa(a.class)}
				members = append(members, slices.Concat(row[:2], row[6-len(header):]))
			}
		}
	}
	return w.finish(members, p.records())
}

func recordID(i int) string { return fmt.Sprintf("topic:%d:%d", i%3, i) }

func (p *plan) records() [][]string {
	table := [][]string{{"record", "arrived_in_release", "person", "age", "city", "job", "illness"}}
	for i, x := range p.people {
		arrived := ""
		if x.arrived > 0 {
			arrived = strconv.Itoa(x.arrived)
		}
		table = append(table, []string{recordID(i), arrived, x.subject, strconv.Itoa(x.age), x.city, x.job, x.value})
	}
	return table
}

// groups names the parts of the standard chain.
type groups struct{ frozen, late, p1, p2, q, grown, waiting []int }

// standard is a chain of three releases with everything the rules allow: a
// frozen class that is not flat, pure classes regrouped and grown, a class born
// later, and people waiting.
func standard() (*plan, *groups) {
	p := &plan{k: 4, l: 2, budget: 2, recoding: "generalization"}
	g := &groups{}
	g.frozen = p.add(1, "a a b b c d e f")
	g.p1 = p.add(1, "a b c a b c")
	g.p2 = p.add(1, "c b a c b a")
	g.q = p.add(1, "d e d e d e")
	g.grown = p.add(2, "b c a")
	g.late = p.add(3, "f e d f a")
	g.waiting = p.add(3, "d d")
	p.releases = [][][]int{
		{g.frozen, g.p1, g.p2, g.q},
		{g.frozen, join(g.p1[:3], g.p2[:3]), join(g.p1[3:], g.p2[3:], g.grown), g.q},
		{g.frozen, join(g.p1[:3], g.p2[:3]), join(g.p1[3:], g.p2[3:], g.grown), g.q, g.late},
	}
	return p, g
}

func join(parts ...[]int) []int { return slices.Concat(parts...) }
