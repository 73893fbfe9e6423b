package audit

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/format"
	"anond/snapshot/audit/gate"
)

// eraChain is a chain of level L2 whose settings change. Each era is a plan of its own, with births in its releases alone; all of them
// have the same people.
type eraChain struct {
	l2Plan // people, edit, compact and out
	eras   []*l2Plan
	from   []int          // releases in which they begin
	lacks  map[int]string // by era: a quasi-identifier that it does not publish
	copies map[string]string
	in     map[int]int // by person: how often settings that hold for later people had changed, plus 1; absent: 1
}

// standardEras is a chain of three eras. Release 3 has another k, another l, exact cells and no jobs, and puts the parts of the first
// era together. From release 5 on people are observed before they are published, which holds for those who come later.
func standardEras() *eraChain {
	c := &eraChain{from: []int{1, 3, 5}, lacks: map[int]string{1: "job"}, in: map[int]int{}}
	c.compact = map[int][2]int{3: {0, 2}}
	c.eras = []*l2Plan{{plan: plan{k: 4, l: 2, recoding: "buckets"}}, {plan: plan{k: 3, l: 3, recoding: "anatomy"}},
		{plan: plan{k: 4, l: 2, recoding: "buckets"}, strata: []string{"plain", "plain", "plain", "plain", "plain", "updated"}}}
	born := func(era, arrived int, buckets ...[]string) {
		p := c.eras[era]
		p.births = append(p.births, make([][][][]int, arrived-len(p.births))...)
		for _, classes := range buckets {
			var b [][]int
			for _, values := range classes {
				b = append(b, c.add(arrived, values))
			}
			p.births[arrived-1] = append(p.births[arrived-1], b)
		}
	}
	born(0, 1, []string{"a a a b", "b b c c"}, []string{"a b c d"})
	born(0, 2, []string{"e e f f"}, []string{"a b a b"})
	born(1, 3, []string{"a b c"}, []string{"d e f"})
	born(1, 4, []string{"a a b", "b c c"})
	before := len(c.people)
	born(2, 5, []string{"a b c d"})
	born(2, 6, []string{"c c d d"}, []string{"a a b b"})
	c.add(6, "a b")
	for i := before; i < len(c.people); i++ {
		c.in[i] = 2
	}
	return c
}

// era is the index of that in which a release is published.
func (c *eraChain) era(number int) int {
	i, found := slices.BinarySearch(c.from, number)
	if !found {
		i--
	}
	return i
}

func (c *eraChain) write(t testing.TB) Options {
	w := &chainWriter{t: t, root: t.TempDir()}
	w.put("releases/hierarchies/city.csv", []byte(testHierarchy))
	for name, text := range c.copies {
		w.put("releases/hierarchies/"+name, []byte(text))
	}
	members := [][]string{{"release", "record", "part", "class", "bucket"}}
	where, bucketOf := map[int]testAddress{}, map[int]int{}
	var parts []*testPart
	c.out = nil
	for _, p := range c.eras {
		p.people = c.people
	}
	last := c.eras[len(c.eras)-1]
	for number := 1; number <= len(last.births); number++ {
		if span, ok := c.compact[number]; ok {
			joined := joinL2(number, parts[span[0]:span[1]], where, bucketOf)
			parts = slices.Concat(parts[:span[0]], []*testPart{joined}, parts[span[1]:])
		}
		born := c.eras[c.era(number)].part(number, where, bucketOf)
		if c.lacks[c.era(number)] == "job" {
			for i, row := range born.tables["data.csv"] {
				born.tables["data.csv"][i] = slices.Delete(slices.Clone(row), 2, 3)
			}
		}
		parts = append(parts, born)
		r := &testParts{number: number, where: maps.Clone(where)}
		for _, x := range parts {
			r.parts = append(r.parts, x.clone())
		}
		c.manifest(r)
		if c.edit != nil {
			c.edit(r)
		}
		c.save(w, r)
		for i := range c.people {
			if a, ok := r.where[i]; ok {
				members = append(members, []string{strconv.Itoa(number), recordID(i), a.part, strconv.Itoa(a.class), strconv.Itoa(bucketOf[i])})
			}
		}
		c.out = append(c.out, r)
	}
	return w.finish(members, c.records())
}

// manifest describes a release: at the top its era, and those before it.
func (c *eraChain) manifest(r *testParts) {
	newest := c.era(r.number)
	var eras []any
	records, classes, buckets := 0, 0, 0
	for i, p := range c.eras[:newest+1] {
		until := 0
		if i < newest {
			until = c.from[i+1] - 1
		}
		s := &testParts{number: r.number, where: map[int]testAddress{}}
		for who, a := range r.where {
			if of, _ := format.ParsePartName(a.part); of.First >= c.from[i] && (until == 0 || of.Last <= until) {
				s.where[who] = a
			}
		}
		if p.births = p.births[:len(p.births):len(p.births)]; len(p.births) < r.number {
			short := *p
			short.births = append(p.births, make([][][][]int, r.number-len(p.births))...)
			p = &short
		}
		p.manifest(s)
		if c.lacks[i] == "job" {
			s.man["schema"] = slices.DeleteFunc(s.man["schema"].([]map[string]any), func(x map[string]any) bool { return x["name"] == "job" })
		}
		s.man["privacy"].(map[string]any)["max_frequency"] = p.top(r.number)
		records, classes, buckets = records+s.man["records"].(int), classes+s.man["classes"].(int), buckets+s.man["buckets"].(int)
		if i == newest {
			r.man = s.man
			break
		}
		e := map[string]any{"until": until}
		for _, key := range []string{"schema", "policy", "recoding", "values", "tables", "records", "classes", "buckets", "quality", "privacy"} {
			if s.man[key] != nil {
				e[key] = s.man[key]
			}
		}
		eras = append(eras, e)
	}
	pending := 0
	for i, x := range c.people {
		if _, in := r.where[i]; !in && x.arrived > 0 && x.arrived <= r.number {
			pending++
		}
	}
	r.man["records"], r.man["classes"], r.man["buckets"], r.man["pending"] = records, classes, buckets, pending
	if eras != nil {
		r.man["eras"] = eras
	}
}

// top is the largest share of a value in a bucket.
func (p *l2Plan) top(number int) (top float64) {
	for _, born := range p.births[:number] {
		for _, b := range born {
			bag := p.bag(slices.Concat(b...))
			most, _ := testTop(bag)
			top = max(top, float64(most)/float64(len(bag)))
		}
	}
	return top
}

func (c *eraChain) records() [][]string {
	of := map[int]string{}
	for _, p := range c.eras {
		for n, buckets := range p.births {
			for _, b := range buckets {
				for _, i := range slices.Concat(b...) {
					if of[i] = " "; p.strata != nil {
						of[i] = p.strata[n]
					}
				}
			}
		}
	}
	table := c.plan.records()
	for i, row := range table {
		if i == 0 {
			table[i] = slices.Insert(row, 2, "arrived_in_era", "stratum", "observed_until", "came", "came_2")
			continue
		}
		era, stratum := strconv.Itoa(cmp.Or(c.in[i-1], 1)), cmp.Or(of[i-1], "plain")
		if stratum == " " {
			stratum = ""
		}
		table[i] = slices.Insert(row, 2, era, stratum, "", "", "")
	}
	return table
}

// gate is the one that a host has in the era of a release.
func (c *eraChain) gate(number int) *gate.Gate {
	g := gate.New(l2Policy(c.eras[c.era(number)]))
	for _, p := range c.eras[:c.era(number)] {
		g.Earlier = append(g.Earlier, gate.Settings{Policy: l2Policy(p)})
	}
	return g
}

// check is that of a chain of one era.
func (c *eraChain) check(t *testing.T, o Options) (*Report, []format.Violation) {
	r, err := Dir(o)
	require.NoError(t, err)
	var g *gate.Gate
	for _, x := range c.out {
		dir := filepath.Join(o.Releases, format.DirName(x.number))
		if g == nil {
			g = c.gate(x.number)
		} else if next := c.gate(x.number); slices.Contains(c.from, x.number) {
			g.Policy, g.Earlier = next.Policy, next.Earlier
		}
		found, err := g.Check(dir, placedNow(x.number, x.where))
		require.NoError(t, err)
		if len(found) > 0 {
			return r, found
		}
		g.Commit()
		found, err = c.gate(x.number).Resume(dir, placedAll(x.where), nil)
		require.NoError(t, err)
		require.Empty(t, found)
	}
	return r, nil
}
