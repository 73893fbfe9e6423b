package audit

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/format"
	"anond/snapshot/audit/gate"
)

// partsChain is the standard chain with a fourth release, which puts the first
// two parts together. Of part-000001, class 1 is frozen, classes 2 and 3 die in
// release 2, and class 4 is pure and lives.
func partsChain() (*plan, *groups) {
	p, g := standard()
	more := p.add(4, "a b c d")
	p.releases = append(p.releases, append(slices.Clone(p.releases[2]), more))
	p.compact = map[int][2]int{4: {0, 2}}
	return p, g
}

// partMutation damages the chain in what one release says of its parts and shows
// in them (the hashes follow), or in the files.
type partMutation struct {
	name  string
	want  string // kind
	gate  string // the kind that the gate reports, where it is another
	more  bool   // a fifth release follows
	edit  func(p *plan, r *testParts)
	files func(t *testing.T, o *Options)
}

// in edits one release.
func in(number int, f func(r *testParts)) func(*plan, *testParts) {
	return func(_ *plan, r *testParts) {
		if r.number == number {
			f(r)
		}
	}
}

// setCell changes the sensitive value of a row of data.csv.
func setCell(p *testPart, row int, value string) { p.tables["data.csv"][row][3] = value }

// dropClass removes the rows of a class and closes the gap.
func dropClass(p *testPart, class int) {
	p.tables["data.csv"] = slices.DeleteFunc(p.tables["data.csv"], func(row []string) bool { return row[4] == strconv.Itoa(class) })
	renumber(p, func(c int) int {
		if c > class {
			c--
		}
		return c
	})
	p.classes--
}

// renumber changes the numbers of classes and sorts the rows by them again.
func renumber(p *testPart, to func(int) int) {
	rows := p.tables["data.csv"][1:]
	for _, row := range rows {
		n, _ := strconv.Atoi(row[4])
		row[4] = strconv.Itoa(to(n))
	}
	slices.SortStableFunc(rows, func(x, y []string) int {
		a, _ := strconv.Atoi(x[4])
		b, _ := strconv.Atoi(y[4])
		return a - b
	})
}

// moveClass puts class 4 of part-000001 before the class of part-000003.
func moveClass(r *testParts) {
	from, to := find(r.parts, "part-000001"), find(r.parts, "part-000003")
	renumber(to, func(c int) int { return c + 1 })
	for _, row := range slices.Backward(from.tables["data.csv"]) {
		if row[4] == "4" {
			row = slices.Clone(row)
			row[4] = "1"
			to.tables["data.csv"] = slices.Insert(to.tables["data.csv"], 1, row)
		}
	}
	to.classes++
	from.dead = append(from.dead, 4)
	for i, a := range r.where {
		switch a {
		case testAddress{"part-000001", 4}:
			r.where[i] = testAddress{"part-000003", 1}
		case testAddress{"part-000003", 1}:
			r.where[i] = testAddress{"part-000003", 2}
		}
	}
}

// replaceFile puts other bytes of the same length under the name of a file, with
// its time and mode.
func replaceFile(t *testing.T, path string, inPlace bool) {
	info, err := os.Stat(path)
	require.NoError(t, err)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	i := bytes.LastIndex(data, []byte(",d,"))
	require.Positive(t, i)
	data[i+1] = 'e'
	if !inPlace {
		require.NoError(t, os.Remove(path))
	}
	require.NoError(t, os.WriteFile(path, data, 0o444))
	require.NoError(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
}

var partMutations = []partMutation{
	{name: "part changed", want: format.KindPartChanged, edit: in(3, func(r *testParts) { setCell(r.parts[0], 1, "g") })},
	{name: "rows of a dead class changed", want: format.KindPartChanged, edit: in(3, func(r *testParts) { setCell(r.parts[0], 12, "g") })},
	{name: "part says another release wrote it", want: format.KindPartChanged, edit: in(3, func(r *testParts) { r.parts[0].release = 2 })},
	{name: "part dropped", want: format.KindPartDropped, edit: in(3, func(r *testParts) { r.parts = slices.Delete(r.parts, 1, 2) })},
	{name: "part listed twice", want: format.KindPartTwice, edit: in(3, func(r *testParts) {
		r.parts = slices.Insert(r.parts, 1, r.parts[0].clone())
	})},
	{name: "part together with its compaction", want: format.KindPartTwice, edit: in(4, func(r *testParts) {
		r.parts = slices.Insert(r.parts, 1, &testPart{name: "part-000002", release: 2, classes: 2, mode: "0444",
			tables: map[string][][]string{"data.csv": r.parts[0].clone().tables["data.csv"]}})
	})},
	{name: "parts in another order", want: format.KindPartOrder, edit: in(3, func(r *testParts) { slices.Reverse(r.parts[:2]) })},
	{name: "class moved between parts", want: format.KindClassMoved, edit: in(3, moveClass)},
	{name: "part of another chain", want: format.KindPartChanged, edit: in(3, func(r *testParts) {
		r.parts[1].tables["data.csv"] = r.parts[2].clone().tables["data.csv"]
		r.parts[1].classes = r.parts[2].classes
	})},
	{name: "part of another release", want: format.KindPartForeign, gate: format.KindPartMissing, edit: func(_ *plan, r *testParts) {
		if r.number == 2 { // what release 2 gave birth to is first shown by release 3
			r.parts = r.parts[:1]
		}
	}},
	{name: "own part under another name", want: format.KindPartMissing, edit: in(3, func(r *testParts) { r.parts[2].name = "part-000004" })},
	{name: "link replaced by other bytes", want: format.KindLinkReplaced, files: func(t *testing.T, o *Options) {
		replaceFile(t, dataPath(o, 3, "data.csv"), false)
	}},
	{name: "bytes of a link overwritten", want: format.KindHashMismatch, files: func(t *testing.T, o *Options) {
		replaceFile(t, dataPath(o, 1, "data.csv"), true)
	}},
	{name: "live class listed as dead", want: format.KindDeadAlive, edit: in(3,
		func(r *testParts) { r.parts[0].dead = append(r.parts[0].dead, 4) })},
	{name: "dead class omitted", want: format.KindDeadOmitted, edit: in(2, func(r *testParts) { r.parts[0].dead = []int{2} })},
	{name: "dead class alive again", want: format.KindDeadRevived, edit: in(3, func(r *testParts) { r.parts[0].dead = []int{3} })},
	{name: "frozen class listed as dead", want: format.KindDeadNotPure, edit: in(3, func(r *testParts) { r.parts[0].dead = []int{1, 2, 3} })},
	{name: "dead classes out of order", want: format.KindDeadList, edit: in(2, func(r *testParts) { slices.Reverse(r.parts[0].dead) })},
	{name: "dead class that the part does not have", want: format.KindDeadList, edit: in(3,
		func(r *testParts) { r.parts[0].dead = []int{2, 3, 9} })},
	{name: "dead class in the own part", want: format.KindPartMissing, edit: in(3, func(r *testParts) { r.parts[2].dead = []int{1} })},
	{name: "compaction changes a class", want: format.KindCompaction, edit: in(4, func(r *testParts) { setCell(r.parts[0], 1, "g") })},
	{name: "compaction changes a dead class", want: format.KindCompaction, edit: in(4, func(r *testParts) { setCell(r.parts[0], 12, "g") })},
	{name: "compaction reorders classes", want: format.KindCompaction, edit: in(4, func(r *testParts) {
		renumber(r.parts[0], func(c int) int { return map[int]int{1: 4, 4: 1}[c] + map[bool]int{true: c}[c != 1 && c != 4] })
	})},
	{name: "compaction drops a class", want: format.KindCompaction, edit: in(4, func(r *testParts) { dropClass(r.parts[0], 1) })},
	{name: "compaction drops a part's last class", want: format.KindCompaction, edit: in(4, func(r *testParts) { dropClass(r.parts[0], 6) })},
	{name: "compaction adds a row", want: format.KindCompaction, edit: in(4, func(r *testParts) {
		rows := r.parts[0].tables["data.csv"]
		r.parts[0].tables["data.csv"] = append(rows, slices.Clone(rows[len(rows)-1]))
	})},
	{name: "compaction adds a row and does not count it", want: format.KindCompaction, edit: in(4, func(r *testParts) {
		rows := r.parts[0].tables["data.csv"]
		r.parts[0].tables["data.csv"] = append(rows, slices.Clone(rows[len(rows)-1]))
		r.parts[0].extra = -1
	})},
	{name: "compaction under a wrong first class", want: format.KindFirstClass,
		edit: in(4, func(r *testParts) { r.parts[0].replaces[1]["first_class"] = 4 })},
	{name: "compaction under a wrong number of classes", want: format.KindFirstClass, edit: in(4, func(r *testParts) {
		r.parts[0].replaces[0]["classes"], r.parts[0].replaces[1]["first_class"], r.parts[0].replaces[1]["classes"] = 3, 4, 3
	})},
	{name: "compaction does not say of what", want: format.KindCompaction, edit: in(4, func(r *testParts) { r.parts[0].replaces = nil })},
	{name: "compaction of a part that is not there", want: format.KindCompaction, edit: in(4, func(r *testParts) {
		r.parts[0].replaces[1]["part"] = "part-000003"
	})},
	{name: "compaction says another release made it", want: format.KindPartForeign, edit: in(4,
		func(r *testParts) { r.parts[0].release = 3 })},
	{name: "compaction changed later", want: format.KindPartChanged, more: true, edit: in(5, func(r *testParts) {
		r.parts[0].replaces[0]["first_class"] = 2
	})},
	{name: "mode in the manifest", want: format.KindFileMode, edit: in(3, func(r *testParts) { r.parts[2].mode = "0644" })},
	{name: "file nobody announced in a part", want: format.KindUnexpectedFile, files: func(t *testing.T, o *Options) {
		require.NoError(t, os.WriteFile(dataPath(o, 3, "more.csv"), nil, 0o444))
	}},
	{name: "directory nobody announced", want: format.KindUnexpectedFile, files: func(t *testing.T, o *Options) {
		require.NoError(t, os.Mkdir(filepath.Join(o.Releases, "000003", "part-000009"), 0o755))
	}},
	{name: "symbolic link in place of a file", want: format.KindNotPlainFile, files: func(t *testing.T, o *Options) {
		path := dataPath(o, 3, "data.csv")
		require.NoError(t, os.Remove(path))
		require.NoError(t, os.Symlink("../../000001/part-000001/data.csv", path))
	}},
	{name: "number of classes of a part", want: format.KindCountMismatch, edit: in(3, func(r *testParts) { r.parts[2].classes = 2 })},
	{name: "number of rows of a part", want: format.KindCountMismatch, edit: in(3, func(r *testParts) { r.parts[2].extra = 1 })},
	{name: "number of rows of a compaction", want: format.KindCompaction, edit: in(4, func(r *testParts) { r.parts[0].extra = 1 })},
	{name: "class that is not numbered", want: format.KindClassNumbers, edit: in(3, func(r *testParts) {
		renumber(r.parts[2], func(int) int { return 7 })
	})},
	{name: "classes of a part in another order", want: format.KindClassOrder, edit: in(1, func(r *testParts) {
		renumber(r.parts[0], func(c int) int { return []int{2, 1, 3, 4}[c-1] })
		for i, a := range r.where {
			r.where[i] = testAddress{a.part, []int{2, 1, 3, 4}[a.class-1]}
		}
	})},
}

func (m *partMutation) apply(t *testing.T) (*plan, []*testRelease, Options) {
	p, _ := partsChain()
	if m.more {
		p.releases = append(p.releases, append(slices.Clone(p.releases[3]), p.add(5, "a b c d")))
	}
	if m.edit != nil {
		p.edit = func(r *testParts) { m.edit(p, r) }
	}
	releases := p.render()
	o := p.write(t, releases)
	if m.files != nil {
		m.files(t, &o)
	}
	return p, releases, o
}

// TestPartMutations: each damage of parts is reported under its own kind, by the
// audit of the chain and by the gate.
func TestPartMutations(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: TestMutations is like it; go test without -short runs it")
	}
	for i := range partMutations {
		m := &partMutations[i]
		t.Run(m.name, func(t *testing.T) {
			p, releases, o := m.apply(t)
			r, err := Dir(o)
			require.NoError(t, err)
			requireVerdict(t, m.want, r)
			require.Contains(t, kinds(r.Violations), m.want)
			g := gate.New(gatePolicy(p))
			var all []format.Violation
			for _, x := range releases {
				found, err := g.Check(filepath.Join(o.Releases, format.DirName(x.number)), placedNow(x.number, x.where))
				require.NoError(t, err)
				if all = append(all, found...); len(found) > 0 {
					break
				}
				g.Commit()
			}
			want := m.want
			if m.gate != "" {
				want = m.gate
			}
			require.Contains(t, kinds(all), want)
		})
	}
}

// TestPartsChain: what the mutations damage is in order.
func TestPartsChain(t *testing.T) {
	p, _ := partsChain()
	releases := p.render()
	o := p.write(t, releases)
	r, err := Dir(o)
	require.NoError(t, err)
	require.Empty(t, r.Violations)
	require.Equal(t, VerdictCertified, r.Verdict)
	g := gate.New(gatePolicy(p))
	for _, x := range releases {
		found, err := g.Check(filepath.Join(o.Releases, format.DirName(x.number)), placedNow(x.number, x.where))
		require.NoError(t, err)
		require.Empty(t, found)
		g.Commit()
	}
	o.Members, o.Records = "", ""
	r, err = Dir(o)
	require.NoError(t, err)
	require.Equal(t, VerdictConsistent, r.Verdict, r.Violations)
}
