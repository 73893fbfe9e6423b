package audit

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/format"
)

// chainWriter puts rendered releases on disk, split into parts, hashes and chains them. It shares nothing with
// the auditor but the format.
type chainWriter struct {
	t        testing.TB
	root     string
	compact  map[int][2]int // by release: the parts that are put together, from and to (exclusive)
	edit     func(r *testParts)
	previous any
	ledger   string
	newest   int

	live    map[string]testAddress // by set of people
	born    map[string]int         // the same: release of birth
	written []*testPart
}

type testAddress struct {
	part  string
	class int
}

// testPart is a part as written.
type testPart struct {
	name     string
	release  int
	classes  int
	extra    int // rows that the manifest counts too many
	tables   map[string][][]string
	most     int // records of a person; 0: one
	dead     []int
	stale    [][2]int
	replaces []map[string]any
	mode     string
}

// testParts is a release in parts that a test may edit before it is hashed.
type testParts struct {
	number int
	man    map[string]any
	parts  []*testPart
	tables map[string][][]string // over all parts
	where  map[int]testAddress
}

func (w *chainWriter) put(path string, data []byte) {
	path = filepath.Join(w.root, path)
	require.NoError(w.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(w.t, os.WriteFile(path, data, 0o600))
}

// release writes a release and gives the address of each person's class.
func (w *chainWriter) release(number int, man map[string]any, tables map[string][][]string, member map[int]int) map[int]testAddress {
	if w.live == nil {
		w.live, w.born = map[string]testAddress{}, map[string]int{}
	}
	sub := fmt.Sprintf("releases/%06d/", number)
	r := &testParts{number: number, man: man, tables: tables}
	where := w.split(r, tables, member)
	r.where = where
	if w.edit != nil {
		w.edit(r)
	}
	w.save(sub, r)
	if _, set := man["previous"]; !set {
		man["previous"] = w.previous
	}
	documented(w.t, man, func(name string, text []byte) { w.put(sub+name, text) })
	data := inForm(w.t, man)
	w.put(sub+"manifest.json", data)
	w.previous = map[string]any{"release": number, "sha256": format.HexSHA(data)}
	w.ledger += ledgerLine(number, data)
	w.newest = number
	return where
}

// ledgerLine seals a release that has this manifest.
func ledgerLine(number int, manifest []byte) string {
	man, err := format.ParseManifest("manifest.json", manifest)
	if err != nil {
		man, err = format.ParseAs("manifest.json", manifest, (*format.Manifest).CheckUnion)
	}
	if err != nil {
		return sealLine(number, format.Seal{Manifest: format.HexSHA(manifest), Parts: strings.Repeat("0", 64)})
	}
	return sealLine(number, man.Seal())
}

func sealLine(number int, s format.Seal) string {
	return fmt.Sprintf("%d %s parts %s algorithm %d people %d digests %d\n", number, s.Manifest, s.Parts, s.Algorithm, s.People, s.People)
}

// otherLine seals another release of this number.
func otherLine(number int) string {
	return sealLine(number, format.Seal{Manifest: strings.Repeat("a", 64), Parts: strings.Repeat("0", 64), People: 1 << 20})
}

func fileEntry(name string, data []byte, rows int) map[string]any {
	return map[string]any{"name": name, "sha256": format.HexSHA(data), "bytes": len(data), "rows": rows}
}

// sets gives the people of each class, as a key.
func sets(member map[int]int) map[string]int {
	people := map[int][]int{}
	for _, i := range slices.Sorted(maps.Keys(member)) {
		if c := member[i]; c > 0 {
			people[c] = append(people[c], i)
		}
	}
	out := map[string]int{}
	for c, who := range people {
		out[fmt.Sprint(who)] = c
	}
	return out
}

// births notes when each class was born, and forgets those that are gone.
func (w *chainWriter) births(number int, member map[int]int) {
	now := sets(member)
	maps.DeleteFunc(w.born, func(key string, _ int) bool { return now[key] == 0 })
	for key := range now {
		if w.born[key] == 0 {
			w.born[key] = number
		}
	}
}

// split sorts the classes of a release by birth. A class that a part has already
// keeps its number there; rows of the dead ones stay.
func (w *chainWriter) split(r *testParts, tables map[string][][]string, member map[int]int) map[int]testAddress {
	w.births(r.number, member)
	now := sets(member)
	for _, p := range w.written {
		r.parts = append(r.parts, p.clone())
	}
	for _, key := range slices.Sorted(maps.Keys(w.live)) {
		if a := w.live[key]; now[key] == 0 {
			p := find(r.parts, a.part)
			p.dead = append(p.dead, a.class)
			slices.Sort(p.dead)
			delete(w.live, key)
		}
	}
	w.join(r)
	fresh := map[int][]int{} // birth -> classes of the tables without address
	for key, c := range now {
		if _, has := w.live[key]; !has {
			fresh[w.born[key]] = append(fresh[w.born[key]], c)
		}
	}
	for _, birth := range slices.Sorted(maps.Keys(fresh)) {
		p := &testPart{name: fmt.Sprintf("part-%06d", birth), release: r.number, mode: "0444", classes: len(fresh[birth])}
		slices.Sort(fresh[birth])
		for key, c := range now {
			if i, ok := slices.BinarySearch(fresh[birth], c); ok {
				w.live[key] = testAddress{p.name, i + 1}
			}
		}
		r.parts = append(r.parts, p)
	}
	byWhole := map[int]testAddress{}
	for key, c := range now {
		byWhole[c] = w.live[key]
	}
	for _, p := range r.parts {
		p.take(tables, byWhole)
	}
	w.written = nil
	for _, p := range r.parts {
		w.written = append(w.written, p.clone())
	}
	where := map[int]testAddress{}
	for i, c := range member {
		if c > 0 {
			where[i] = byWhole[c]
		}
	}
	return where
}

func find(parts []*testPart, name string) *testPart {
	return parts[slices.IndexFunc(parts, func(p *testPart) bool { return p.name == name })]
}

func (p *testPart) clone() *testPart {
	c := *p
	c.dead, c.replaces, c.tables = slices.Clone(p.dead), slices.Clone(p.replaces), map[string][][]string{}
	for name, rows := range p.tables {
		for _, row := range rows {
			c.tables[name] = append(c.tables[name], slices.Clone(row))
		}
	}
	return &c
}

// take fills the part with its classes of the tables over all classes. Rows that
// are as they were stay where they are.
func (p *testPart) take(tables map[string][][]string, byWhole map[int]testAddress) {
	number := map[int]int{}
	for c, a := range byWhole {
		if a.part == p.name {
			number[c] = a.class
		}
	}
	now := pick2(tables, number)
	if p.tables == nil {
		p.tables = now
		return
	}
	alive := map[int]int{}
	for c := range p.classes {
		if !slices.Contains(p.dead, c+1) {
			alive[c+1] = c + 1
		}
	}
	if was := pick2(p.tables, alive); len(p.replaces) > 0 || fmt.Sprint(was) == fmt.Sprint(now) {
		return
	}
	for name, rows := range p.tables {
		for _, row := range rows[1:] {
			n, _ := strconv.Atoi(row[classColumn(name, row)])
			if slices.Contains(p.dead, n) {
				now[name] = insertRow(name, now[name], row, n)
			}
		}
	}
	p.tables = now
}

// insertRow puts a row of class n before the classes behind it.
func insertRow(name string, rows [][]string, row []string, n int) [][]string {
	for i, r := range rows[1:] {
		if c, _ := strconv.Atoi(r[classColumn(name, r)]); c > n {
			return slices.Insert(rows, i+1, row)
		}
	}
	return append(rows, row)
}

func classColumn(name string, row []string) int {
	switch name {
	case "st.csv", "pst.csv":
		return 0
	case "data.csv": // there may be a column too many
		return 4
	}
	return len(row) - 1
}

// pick2 takes the classes that number names, renumbered.
func pick2(tables map[string][][]string, number map[int]int) map[string][][]string {
	out := map[string][][]string{}
	for name, rows := range tables {
		out[name] = [][]string{rows[0]}
		for _, row := range rows[1:] {
			n, _ := strconv.Atoi(row[classColumn(name, row)])
			if number[n] == 0 {
				continue
			}
			row = slices.Clone(row)
			row[classColumn(name, row)] = strconv.Itoa(number[n])
			out[name] = append(out[name], row)
		}
	}
	return out
}

// join puts parts together where the test asks for it.
func (w *chainWriter) join(r *testParts) {
	span, ok := w.compact[r.number]
	if !ok || span[1] > len(r.parts) {
		return
	}
	old := r.parts[span[0]:span[1]]
	first, last := old[0].name, old[len(old)-1].name
	c := &testPart{name: first[:11] + last[len(last)-7:], release: r.number, mode: "0444", tables: map[string][][]string{}}
	for _, p := range old {
		for key, a := range w.live {
			if a.part == p.name {
				w.live[key] = testAddress{c.name, a.class + c.classes}
			}
		}
		c.replaces = append(c.replaces, map[string]any{"part": p.name, "first_class": c.classes + 1, "classes": p.classes})
		for _, d := range p.dead {
			c.dead = append(c.dead, d+c.classes)
		}
		for name, rows := range p.tables {
			if c.tables[name] == nil {
				c.tables[name] = [][]string{rows[0]}
			}
			for _, row := range rows[1:] {
				c.tables[name] = append(c.tables[name], moveRow(name, row, c.classes))
			}
		}
		c.classes += p.classes
	}
	r.parts = slices.Concat(r.parts[:span[0]], []*testPart{c}, r.parts[span[1]:])
}

func moveRow(name string, row []string, classes int) []string {
	row = slices.Clone(row)
	at := classColumn(name, row)
	n, _ := strconv.Atoi(row[at])
	row[at] = strconv.Itoa(n + classes)
	return row
}

// save writes the parts, as links where the release before has the same bytes.
func (w *chainWriter) save(sub string, r *testParts) {
	parts := []map[string]any{}
	for _, p := range r.parts {
		files, rows := []map[string]any{}, 0
		for _, name := range slices.Sorted(maps.Keys(p.tables)) {
			data := testCSV(w.t, p.tables[name])
			n := len(p.tables[name]) - 1
			if name == "data.csv" || name == "qit.csv" || name == "pqt.csv" {
				rows = n
			}
			files = append(files, fileEntry(name, data, n))
			w.link(sub+p.name+"/"+name, fmt.Sprintf("releases/%06d/%s/%s", r.number-1, p.name, name), data)
		}
		entry := map[string]any{"part": p.name, "release": p.release, "classes": p.classes, "rows": rows + p.extra,
			"mode": p.mode, "files": files}
		if buckets, pools := counted(p); buckets > 0 {
			entry["buckets"], entry["pools"] = buckets, pools
		}
		if len(p.dead) > 0 {
			entry["dead"] = p.dead
		}
		if p.stale != nil {
			entry["stale"] = p.stale
		}
		if p.replaces != nil {
			entry["replaces"] = p.replaces
		}
		parts = append(parts, entry)
	}
	r.man["format_version"], r.man["parts"] = 6, parts
	delete(r.man, "files")
}

func (w *chainWriter) link(path, old string, data []byte) {
	full := filepath.Join(w.root, path)
	if _, err := os.Lstat(full); err == nil {
		return // a part that is listed twice
	}
	if was, err := os.ReadFile(filepath.Join(w.root, old)); err == nil && bytes.Equal(was, data) {
		require.NoError(w.t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(w.t, os.Link(filepath.Join(w.root, old), full))
		return
	}
	w.put(path, data)
	require.NoError(w.t, os.Chmod(full, 0o444))
}

func (w *chainWriter) finish(members, records [][]string) Options {
	w.put("releases/CURRENT", fmt.Appendf(nil, "%06d\n", w.newest))
	w.put("ledger", []byte(w.ledger))
	w.put("members.csv", testCSV(w.t, members))
	w.put("records.csv", testCSV(w.t, records))
	at := func(name string) string { return filepath.Join(w.root, name) }
	return Options{Releases: at("releases"), Ledger: at("ledger"), Members: at("members.csv"), Records: at("records.csv")}
}

// dataPath is a file of a release, in the part that holds the births of release 1
// where there are parts.
func dataPath(o *Options, release int, name string) string {
	dir := filepath.Join(o.Releases, format.DirName(release))
	if _, err := os.Stat(filepath.Join(dir, "part-000001")); err == nil {
		return filepath.Join(dir, "part-000001", name)
	}
	return filepath.Join(dir, name)
}
