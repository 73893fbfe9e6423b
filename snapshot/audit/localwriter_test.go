package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A second tiny publisher, for recoding lgb. Attributes in schema order: age
// (quasi), sex (semi, promise t), city (quasi, hierarchy), job (semi, promise l),
// illness (sensitive).

type localPerson struct {
	person
	sex                     string
	sexPrivate, jobPrivate  bool
	sexPrivately, jobPrints string // flags as the export writes them; empty: true or false
}

// localState is one release: classes, and per attribute its buckets, as lists of
// people.
type localState struct {
	classes, sexes, jobs, ills [][]int // ills nil: the classes
}

type localPlan struct {
	people   []localPerson
	releases []localState
	k, l     int
	jobL     int
	sexT     float64
	declared []ValueCount // reference of sex; nil: release 1's own bag
	diverse  []any        // policy.diversity
	compact  map[int][2]int
	edit     func(*testParts)
	level    string // that the manifests claim; empty: L0+L1 if the buckets nest, else rows
}

// localRelease is a rendered release that mutations may edit before it is hashed.
type localRelease struct {
	number       int
	lgb, buckets [][]string
	man          map[string]any
	member       map[int]int
	where        map[int]testAddress
}

func (p *localPlan) add(arrived int, private, jobs, sexes, values string) []int {
	var ids []int
	job, sex, value := strings.Fields(jobs), strings.Fields(sexes), strings.Fields(values)
	for n := range value {
		i := len(p.people)
		p.people = append(p.people, localPerson{person: person{age: 20 + i, city: testCities[i/3%4], job: job[n%len(job)], value: value[n],
			subject: "person-" + strconv.Itoa(i), arrived: arrived}, sex: sex[n%len(sex)],
			sexPrivate: strings.Contains(private, "s"), jobPrivate: strings.Contains(private, "j")})
		ids = append(ids, i)
	}
	return ids
}

// column is what people have in one local attribute.
func (p *localPlan) column(attr string, i int) string {
	return map[string]string{"sex": p.people[i].sex, "job": p.people[i].job, "illness": p.people[i].value}[attr]
}

func (p *localPlan) bag(attr string, members []int) []string {
	var bag []string
	for _, i := range members {
		bag = append(bag, p.column(attr, i))
	}
	slices.Sort(bag)
	return bag
}

func (s *localState) of(attr string) [][]int {
	return map[string][][]int{"sex": s.sexes, "job": s.jobs, "illness": s.ills}[attr]
}

func testSet(values []string) string {
	slices.Sort(values)
	if values = slices.Compact(values); len(values) == 1 {
		return values[0]
	}
	return "{" + strings.Join(values, "|") + "}"
}

// cells gives age, sex, city, job of a class; "" where bucketed.
func (p *localPlan) cells(members []int) []string {
	lo, hi := p.span(members)
	out := []string{strconv.Itoa(lo), "", "", ""}
	if lo < hi {
		out[0] = fmt.Sprintf("[%d,%d]", lo, hi)
	}
	var cities []string
	for _, i := range members {
		cities = append(cities, p.people[i].city)
	}
	out[2] = testLCA(cities)
	if !p.people[members[0]].sexPrivate {
		out[1] = testSet(p.bag("sex", members))
	}
	if !p.people[members[0]].jobPrivate {
		out[3] = testSet(p.bag("job", members))
	}
	return out
}

func (p *localPlan) span(members []int) (lo, hi int) {
	lo, hi = p.people[members[0]].age, p.people[members[0]].age
	for _, i := range members {
		lo, hi = min(lo, p.people[i].age), max(hi, p.people[i].age)
	}
	return lo, hi
}

func lastIfEmpty(a, b string) int {
	if a == "" || b == "" {
		return cmp.Compare(b, a)
	}
	return cmp.Compare(a, b)
}

func (p *localPlan) before(x, y []int) int {
	xl, xh := p.span(x)
	yl, yh := p.span(y)
	xc, yc := p.cells(x), p.cells(y)
	return cmp.Or(cmp.Compare(xl, yl), cmp.Compare(xh, yh), lastIfEmpty(xc[1], yc[1]), cmp.Compare(xc[2], yc[2]), lastIfEmpty(xc[3], yc[3]),
		slices.Compare(p.bag("illness", x), p.bag("illness", y)))
}

func (p *localPlan) render() []*localRelease {
	var out []*localRelease
	for n := range p.releases {
		out = append(out, p.renderOne(n))
	}
	return out
}

func (p *localPlan) renderOne(n int) *localRelease {
	s := p.releases[n]
	classes := slices.Clone(s.classes)
	slices.SortFunc(classes, p.before)
	if s.ills == nil {
		s.ills = classes
	}
	r := &localRelease{number: n + 1, member: map[int]int{}, lgb: [][]string{{"age", "sex", "city", "job", "illness", "class"}},
		buckets: [][]string{{"attribute", "bucket", "value", "count"}}}
	classOf := map[int]int{}
	kMin := len(p.people)
	for c, members := range classes {
		kMin = min(kMin, len(members))
		for _, i := range members {
			classOf[i], r.member[i] = c+1, c+1
		}
	}
	number := map[string]map[int]int{}
	freq := 0.0
	for _, attr := range []string{"sex", "job", "illness"} {
		number[attr] = map[int]int{}
		list := slices.Clone(s.of(attr))
		classesOf := func(members []int) []int {
			var out []int
			for _, i := range members {
				out = append(out, classOf[i])
			}
			slices.Sort(out)
			return out
		}
		slices.SortStableFunc(list, func(x, y []int) int {
			return cmp.Or(slices.Compare(p.bag(attr, x), p.bag(attr, y)), slices.Compare(classesOf(x), classesOf(y)))
		})
		for b, members := range list {
			count := map[string]int{}
			for _, i := range members {
				number[attr][i] = b + 1
				count[p.column(attr, i)]++
			}
			for _, v := range slices.Sorted(maps.Keys(count)) {
				r.buckets = append(r.buckets, []string{attr, strconv.Itoa(b + 1), v, strconv.Itoa(count[v])})
				if attr == "illness" {
					freq = max(freq, float64(count[v])/float64(len(members)))
				}
			}
		}
	}
	for c, members := range classes {
		box := p.cells(members)
		var rows [][]int
		for _, i := range members {
			rows = append(rows, []int{number["sex"][i], number["job"][i], number["illness"][i]})
		}
		slices.SortFunc(rows, slices.Compare[[]int])
		for _, row := range rows {
			cells := slices.Clone(box)
			for a, n := range map[int]int{1: row[0], 3: row[1]} {
				if cells[a] == "" {
					cells[a] = "*" + strconv.Itoa(n)
				}
			}
			r.lgb = append(r.lgb, append(cells, "*"+strconv.Itoa(row[2]), strconv.Itoa(c+1)))
		}
	}
	level := p.level
	if level == "" {
		level = map[bool]string{true: "L0+L1", false: "rows"}[s.nests()]
	}
	p.manifest(r, kMin, freq, len(classes), level)
	return r
}

// nests: each bucket is inside a class, or has all of every class that it meets.
func (s *localState) nests() bool {
	for _, b := range slices.Concat(s.sexes, s.jobs, s.ills) {
		inside, union := false, true
		for _, c := range s.classes {
			meets := slices.ContainsFunc(c, func(i int) bool { return slices.Contains(b, i) })
			all := !slices.ContainsFunc(c, func(i int) bool { return !slices.Contains(b, i) })
			union = union && (!meets || all)
			inside = inside || !slices.ContainsFunc(b, func(i int) bool { return !slices.Contains(c, i) })
		}
		if !inside && !union {
			return false
		}
	}
	return true
}

// reference is the declared one, or release 1's flagged bag.
func (p *localPlan) reference() []ValueCount {
	if p.declared != nil {
		return p.declared
	}
	count := map[string]int{}
	for _, b := range p.releases[0].sexes {
		for _, i := range b {
			count[p.people[i].sex]++
		}
	}
	out := []ValueCount{}
	for _, v := range slices.Sorted(maps.Keys(count)) {
		out = append(out, ValueCount{v, float64(count[v])})
	}
	return out
}

func (p *localPlan) manifest(r *localRelease, kMin int, freq float64, classes int, level string) {
	pending := 0
	for i, x := range p.people {
		if x.arrived <= r.number && r.member[i] == 0 {
			pending++
		}
	}
	var sex any = map[string]any{"t": p.sexT, "distance": "equal", "reference": p.reference(), "declared": p.declared != nil}
	if p.sexT == 0 {
		sex = map[string]any{"l": 2}
	}
	diverse := p.diverse
	if diverse == nil {
		diverse = []any{}
	}
	r.man = map[string]any{
		"dataset": "test", "release": r.number, "created_at": "2026-11-20T00:00:00Z", "seeded": true,
		"schema": []map[string]any{
			{"name": "person", "role": "subject", "type": "categorical"},
			{"name": "age", "role": "quasi", "type": "integer"},
			{"name": "sex", "role": "semi", "type": "categorical", "flag": "sex_private", "promise": sex},
			{"name": "city", "role": "quasi", "type": "categorical",
				"hierarchy": map[string]any{"file": "city.csv", "sha256": hexSHA([]byte(testHierarchy))}},
			{"name": "job", "role": "semi", "type": "categorical", "flag": "job_private", "promise": map[string]any{"l": p.jobL}},
			{"name": "illness", "role": "sensitive", "type": "categorical"},
		},
		"policy":   map[string]any{"k": p.k, "l": p.l, "diversity": diverse, "republication": "append", "max_regroups": 0},
		"recoding": "lgb", "records": len(r.lgb) - 1, "classes": classes, "pending": pending, "quality": map[string]any{"ncp": 0.5},
		"privacy": map[string]any{"k_min": kMin, "max_frequency": freq, "certificate": "frozen", "level": level, "k1": "rows"},
	}
}

// write renders to disk and gives the audit's options, both exports included.
func (p *localPlan) write(t testing.TB, releases []*localRelease) Options {
	t.Helper()
	w := &chainWriter{t: t, root: t.TempDir(), compact: p.compact, edit: p.edit}
	w.put("releases/hierarchies/city.csv", []byte(testHierarchy))
	members := [][]string{{"release", "record", "part", "class"}}
	for _, r := range releases {
		r.where = w.release(r.number, r.man, map[string][][]string{"lgb.csv": r.lgb, "buckets.csv": r.buckets}, r.member)
		for i := range p.people {
			if a, ok := r.where[i]; ok {
				members = append(members, []string{strconv.Itoa(r.number), recordID(i), a.part, strconv.Itoa(a.class)})
			}
		}
	}
	records := [][]string{{"record", "arrived_in_release", "person", "age", "sex", "city", "job", "illness", "sex_private", "job_private"}}
	flag := func(b bool, as string) string {
		if as != "" {
			return as
		}
		return strconv.FormatBool(b)
	}
	for i, x := range p.people {
		records = append(records, []string{recordID(i), strconv.Itoa(x.arrived), x.subject, strconv.Itoa(x.age), x.sex, x.city, x.job, x.value,
			flag(x.sexPrivate, x.sexPrivately), flag(x.jobPrivate, x.jobPrints)})
	}
	return w.finish(members, records)
}

// localGroups names the classes of the standard chain by what is private in
// them.
type localGroups struct{ none, job, both, sex, late []int }

// nestedLocal is standardLocal with buckets that nest: the jobs of one class in two
// buckets, those of another in one, which holds the late class's neighbours too.
func nestedLocal() *localPlan {
	p, g := standardLocal()
	j, l := g.job, g.late
	second := p.add(2, "j", "clerk miner nurse pilot", "F", "b c d e")
	jobs := [][]int{{j[0], j[1]}, {j[2], j[3]}, g.both}
	p.releases[0].jobs = jobs
	p.releases[1].jobs = append(slices.Clone(jobs), join(l, second))
	p.releases[1].classes = append(slices.Clone(p.releases[1].classes), second)
	return p
}

// standardLocal is a chain of two releases: classes of every pattern of flags,
// job buckets that cross classes, sex buckets over one class and over two.
func standardLocal() (*localPlan, *localGroups) {
	p := &localPlan{k: 4, l: 2, jobL: 2, sexT: 0.3}
	g := &localGroups{}
	g.none = p.add(1, "", "clerk miner nurse", "F M", "a b c a")
	g.job = p.add(1, "j", "clerk miner nurse clerk", "F M", "b c a d")
	g.both = p.add(1, "js", "miner nurse clerk miner", "F F M M", "c d e b")
	g.sex = p.add(1, "s", "miner nurse", "F M M M F", "d d e a b")
	g.late = p.add(2, "js", "nurse clerk miner nurse", "M F M F", "e a b c")
	p.add(2, "j", "nurse clerk", "F", "a a")
	j, b := g.job, g.both
	first := localState{
		classes: [][]int{g.none, g.job, g.both, g.sex},
		jobs:    [][]int{{j[0], b[0]}, {j[1], j[2], b[2]}, {j[3], b[1], b[3]}},
		sexes:   [][]int{g.both, g.sex},
	}
	second := localState{
		classes: append(slices.Clone(first.classes), g.late),
		jobs:    append(slices.Clone(first.jobs), []int{g.late[0], g.late[1]}, []int{g.late[2], g.late[3]}),
		sexes:   append(slices.Clone(first.sexes), g.late),
	}
	p.releases = []localState{first, second}
	return p, g
}
