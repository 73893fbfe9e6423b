package audit

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"anond/snapshot/audit/chain"
	"anond/snapshot/audit/format"
)

// viewRow is what was found of a view.
type viewRow struct {
	Name     string `json:"name"`
	Dir      string `json:"dir"`
	Releases int    `json:"releases"` // of the view that were compared with the release of their number
}

// viewed audits views of the releases: each as a chain of its own, and each release of it against the release of its number, of which
// it has to be the function that its manifest names (view_bounded in proof/: post-processing). Buckets are compared by what they show,
// with their pools; numbers and order are those of a chain, which the audit of the view holds against its own files. So no order and no
// number follows from what the view leaves out.
func (r *Report) viewed(o Options) error {
	for _, dir := range o.Views {
		own, err := Dir(Options{Releases: dir})
		if err != nil {
			return err
		}
		c, err := unpruned(o.Releases, func() (*comparing, error) { return compareViews(o.Releases, dir) })
		if err != nil {
			return err
		}
		for _, v := range slices.Concat(own.Violations, c.f.Sorted()) {
			v.View = c.row.Name
			r.Violations = append(r.Violations, v)
		}
		r.Views = append(r.Views, c.row)
	}
	if found := verdict(r.Violations); found != VerdictConsistent {
		r.Verdict = found
	}
	return nil
}

// comparing holds the releases of a view against those that they are of.
type comparing struct {
	releases string
	row      viewRow
	f        format.Faults
	same     map[string]bool // pairs of parts of the release compared last, by the hashes of their files
}

func compareViews(releases, view string) (*comparing, error) {
	c := &comparing{releases: releases, row: viewRow{Dir: view}}
	numbers, err := format.ListReleases(view)
	if err != nil {
		return nil, err
	}
	there, err := format.ListReleases(releases) // after the view, which a daemon makes of a release that is there
	if err != nil {
		return nil, err
	}
	for _, n := range numbers {
		m, err := chain.LoadManifest(filepath.Join(view, format.DirName(n)))
		if err != nil {
			return nil, err
		}
		if m.View == nil {
			return nil, format.Unreadable(view, 0, "is no view: its manifests do not say of what")
		}
		c.row.Name = m.View.Name
		if !slices.Contains(there, n) {
			if n > there[len(there)-1] {
				c.differs(n, "release", "the view has a release that the dataset has not")
			}
			continue
		}
		if err := c.release(m, filepath.Join(view, format.DirName(n))); err != nil {
			return nil, err
		}
		c.row.Releases++
	}
	return c, nil
}

func (c *comparing) differs(release int, attribute, detail string) {
	c.f.Add("F", format.KindView, release, 0, attribute, detail)
}

// release compares one release of the view, which stands in dir, with the one that it is of.
func (c *comparing) release(m *format.Manifest, dir string) error {
	of, err := chain.LoadManifest(filepath.Join(c.releases, format.DirName(m.Release)))
	if err != nil {
		return err
	}
	differs := func(is bool, field string) {
		if is {
			c.differs(of.Release, field, "the view says otherwise than the release")
		}
	}
	differs(m.View.Of != of.Dataset || m.View.First > m.Release, "view")
	differs(m.CreatedAt != of.CreatedAt || m.Seeded != of.Seeded, "created_at")
	differs(m.Records != of.Records || m.Classes != of.Classes || m.Buckets != of.Buckets || m.Pending != of.Pending, "records")
	differs(m.Window != of.Window || m.Expired != of.Expired || m.PeopleEver != of.PeopleEver, "window")
	differs((m.Erasure == nil) != (of.Erasure == nil) || m.Erasure != nil && *m.Erasure != *of.Erasure, "erasure")
	differs(m.Policy.K != of.Policy.K || m.Policy.L != of.Policy.L || m.Policy.MinPool != of.Policy.MinPool ||
		m.Policy.LevelName() != of.Policy.LevelName() || m.Recoding != of.Recoding || m.InitialMinPool != of.InitialMinPool, "policy")
	differs(m.Privacy.Settle != of.Privacy.Settle || m.Privacy.Updates != of.Privacy.Updates, "settle")
	show, err := c.showing(of, m)
	if err != nil || show == nil {
		return err
	}
	if len(m.Parts) != len(of.Parts) {
		c.differs(of.Release, "parts", "the view has other parts than the release")
		return nil
	}
	same := map[string]bool{}
	for i := range m.Parts {
		if err := c.part(show, of, m, i, dir, same); err != nil {
			return err
		}
	}
	c.same = same
	return nil
}

// showing is how a view shows what a release has.
type showing struct {
	cells     []shownColumn                  // quasi-identifiers, in the order of the view
	sensitive map[string]func(string) string // what a value is shown as, by attribute; others are not shown
	tables    [][]string
}

type shownColumn struct {
	at int // in data.csv of the release
	as func(string) string
}

// showing reads off the manifest of a view how it shows a release; nil: it says something that no view may say.
func (c *comparing) showing(of, m *format.Manifest) (*showing, error) {
	out := &showing{sensitive: map[string]func(string) string{}, tables: m.Tables}
	hier, err := format.LoadHierarchies(c.releases, of, &c.f)
	if err != nil {
		return nil, err
	}
	qi, at := format.NewSchema(of, hier).Qi, map[string]int{}
	for i, a := range qi {
		at[a.Name] = i
	}
	last, named := -1, 0
	for i := range m.Schema {
		x := &m.Schema[i]
		j := slices.IndexFunc(of.Schema, func(y format.Column) bool { return y.Name == x.Name && y.Role == x.Role })
		if j <= last {
			c.differs(of.Release, x.Name, "the release has no such column, or columns are in another order")
			return nil, nil
		}
		last = j
		y := of.Schema[j]
		cells, values := m.View.Cells[x.Name], m.View.Values[x.Name]
		switch {
		case x.Role == "quasi" && values == "":
			as, ok := qi[at[x.Name]].Coarser(cells)
			if !ok {
				c.differs(of.Release, x.Name, "the cells of the view are not coarser in any way that this auditor knows")
				return nil, nil
			}
			if cells != "" && x.Type != "categorical" {
				y.Hierarchy = x.Hierarchy
				y.Scale = qi[at[x.Name]].WidenedScale(y.Scale, cells)
			}
			out.cells = append(out.cells, shownColumn{at[x.Name], as})
		case x.Role == "sensitive" && cells == "":
			as := func(text string) string { return text }
			if values != "" {
				tree, err := format.LoadHierarchy(c.releases, of, x.Name, &c.f)
				if err != nil {
					return nil, err
				}
				var ok bool
				if as, ok = tree.Coarser(values); !ok || x.Hierarchy != nil {
					c.differs(of.Release, x.Name, "the values of the view are no labels of the attribute's hierarchy")
					return nil, nil
				}
				y.Hierarchy, y.Promise = nil, &format.Promise{Most: "1/1"}
			}
			out.sensitive[x.Name] = as
		default:
			c.differs(of.Release, x.Name, "the view shows a column that no release shows")
			return nil, nil
		}
		if cells != "" || values != "" {
			named++
		}
		if !format.SameSchema([]format.Column{*x}, []format.Column{y}) {
			c.differs(of.Release, x.Name, "the view's schema is not that of the release")
		}
	}
	if named != len(m.View.Cells)+len(m.View.Values) {
		c.differs(of.Release, "view", "something is coarser that the view does not show")
	}
	for _, pair := range m.Tables {
		if !slices.ContainsFunc(of.Tables, func(p []string) bool { return slices.Equal(p, pair) }) {
			c.differs(of.Release, "tables", "the view has a pair table that the release has not")
			return nil, nil
		}
	}
	return out, nil
}

// part compares a part of the view with that of the release, and notes that they are the same.
func (c *comparing) part(show *showing, of, m *format.Manifest, i int, dir string, same map[string]bool) error {
	p, q := &of.Parts[i], &m.Parts[i]
	if p.Name != q.Name || p.Classes != q.Classes || p.Buckets != q.Buckets || p.Pools != q.Pools || p.Rows != q.Rows ||
		len(p.Withdrawn) != len(q.Withdrawn) || len(q.Stale) > 0 || !slices.Equal(p.Replaces, q.Replaces) {
		c.differs(of.Release, "parts", "a part of the view has another name or other numbers of classes, buckets, pools or rows")
		return nil
	}
	key := ""
	for _, files := range [][]format.File{p.Files, q.Files} {
		for _, f := range files {
			key += f.SHA256 + " "
		}
	}
	if c.same[key] {
		same[key] = true
		return nil
	}
	found := c.f.N
	want, err := show.read(filepath.Join(c.releases, format.DirName(of.Release), p.Name), true)
	if err != nil {
		return err
	}
	have, err := show.read(filepath.Join(dir, q.Name), false)
	if err != nil {
		return err
	}
	for key, n := range want {
		if have[key] != n {
			c.differs(of.Release, "", "buckets of the view are not those of the release as the view shows them")
		}
	}
	for key := range have {
		if want[key] == 0 {
			c.differs(of.Release, "", "the view has a bucket that the release has not")
		}
	}
	same[key] = c.f.N == found
	return nil
}

// read counts what the buckets of a part show, with their pools. mapped: the part is one of the release, shown as the view shows it.
func (s *showing) read(dir string, mapped bool) (map[[32]byte]int, error) {
	type group struct {
		pool  string
		lines map[string]int
	}
	buckets, pools := map[string]*group{}, map[string]map[string]int{}
	pool := func(number string) map[string]int {
		if pools[number] == nil {
			pools[number] = map[string]int{}
		}
		return pools[number]
	}
	shown := func(attribute string, values ...string) (string, bool) {
		as, ok := s.sensitive[attribute]
		values = slices.Clone(values)
		for i, v := range values {
			if ok && mapped && v != "" { // a history is empty behind its last value
				values[i] = as(v)
			}
		}
		return fmt.Sprintf("%q %q", attribute, values), ok
	}
	bag := func(f []string) (line string, n int, ok bool) {
		line, ok = shown(f[1], f[2:len(f)-1]...)
		count, _ := format.ParseCount([]byte(f[len(f)-1]))
		return line, int(count), ok
	}
	damaged := func(file string) error {
		return format.Unreadable(filepath.Join(dir, file), 0, "names a bucket that buckets.csv does not have")
	}
	if err := eachRow(dir, "buckets.csv", func(f []string) error {
		buckets[f[0]] = &group{f[1], map[string]int{"people " + strings.Join(f[2:], " "): 1}}
		return nil
	}); err != nil {
		return nil, err
	}
	if err := eachRow(dir, "values.csv", func(f []string) error {
		b := buckets[f[0]]
		if b == nil {
			return damaged("values.csv")
		}
		if line, n, ok := bag(f); ok {
			b.lines["value "+line] += n
		}
		return nil
	}); err != nil {
		return nil, err
	}
	if err := eachRow(dir, "pools.csv", func(f []string) error {
		if line, n, ok := bag(f); ok {
			pool(f[0])[line] += n
		}
		return nil
	}); err != nil {
		return nil, err
	}
	if len(s.tables) > 0 {
		if err := eachRow(dir, "tables.csv", func(f []string) error {
			if slices.ContainsFunc(s.tables, func(pair []string) bool { return slices.Equal(pair, []string{f[1], f[3]}) }) {
				a, _ := shown(f[1], f[2])
				b, _ := shown(f[3], f[4])
				n, _ := format.ParseCount([]byte(f[5]))
				pool(f[0])[a+" with "+b] += int(n)
			}
			return nil
		}); err != nil {
			return nil, err
		}
	}
	classes := map[string]map[string]int{} // by class and bucket: rows of each cells
	if err := eachRow(dir, "data.csv", func(f []string) error {
		if buckets[f[len(f)-1]] == nil {
			return damaged("data.csv")
		}
		cells := make([]string, len(s.cells))
		for j, col := range s.cells {
			if cells[j] = f[j]; mapped {
				cells[j] = col.as(f[col.at])
			}
		}
		at := strings.Join(f[len(f)-2:], " ")
		if classes[at] == nil {
			classes[at] = map[string]int{}
		}
		classes[at][fmt.Sprintf("%q", cells)]++
		return nil
	}); err != nil {
		return nil, err
	}
	for at, rows := range classes {
		_, bucket, _ := strings.Cut(at, " ")
		buckets[bucket].lines["class "+fmt.Sprint(rows)]++
	}
	out := map[[32]byte]int{}
	for _, b := range buckets {
		out[sha256.Sum256([]byte(fmt.Sprint(b.lines, pool(b.pool))))]++ // fmt sorts the keys of maps
	}
	return out, nil
}

// eachRow reads a file of a part.
func eachRow(dir, name string, take func(fields []string) error) error {
	path := filepath.Join(dir, name)
	data, err := format.ReadFile(path)
	if err != nil {
		return err
	}
	csv, _, err := format.NewCSV(path, data)
	if err != nil {
		return err
	}
	for {
		ok, err := csv.Next()
		if err != nil || !ok {
			return err
		}
		fields := make([]string, len(csv.Fields))
		for i, f := range csv.Fields {
			fields[i] = string(f)
		}
		if err := take(fields); err != nil {
			return err
		}
	}
}
