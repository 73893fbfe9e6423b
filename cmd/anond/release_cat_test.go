package main

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anond/equivclass/equivtest/tier"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/snapshot"
	"anond/snapshot/readback"
)

// TestFrozenCat: the table over all parts of each release, of every recoding. The
// releases are those of TestFrozenReleases, and the digests those of the files
// that releases of format version 1 had: parts change where rows stand, not what
// the whole says.
func TestFrozenCat(t *testing.T) {
	tier.NotShort(t, "it runs every recoding")
	var b strings.Builder
	for _, x := range []struct{ label, policy, release, files string }{
		{"generalization", "", "", "data.csv"},
		{"anatomy", "", ", recoding: anatomy", "qit.csv st.csv"},
		{"permutation", "", ", recoding: permutation", "pqt.csv pst.csv"},
		{"slicing", "", ", recoding: slicing, slices: [[age, sex], [postcode, admission]]", "sliced.csv"},
		{"lgb", ", republication: append", ", recoding: lgb", "lgb.csv buckets.csv"},
	} {
		s := newFrozen(t, x.policy, x.release)
		for release := 1; release <= 4; release++ {
			for _, file := range strings.Fields(x.files) {
				text := s.must(fmt.Sprintf("release cat %d", release), "--file", file)
				fmt.Fprintf(&b, "%s %06d/%s %x\n", x.label, release, file, sha256.Sum256([]byte(text)))
				if release == 4 {
					sameRows(t, text, s.must(fmt.Sprintf("release cat %d --json", release), "--file", file))
				}
			}
		}
	}
	frozen(t, "cat.txt", b.String())
}

// sameRows: NDJSON has the cells of CSV, each row an object with the names of all columns.
func sameRows(t *testing.T, table, lines string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	require.NoError(t, err)
	objects := json.NewDecoder(strings.NewReader(lines))
	objects.UseNumber()
	for _, row := range rows[1:] {
		var o map[string]any
		require.NoError(t, objects.Decode(&o))
		require.Len(t, o, len(rows[0]))
		for i, name := range rows[0] {
			require.Equal(t, row[i], fmt.Sprint(o[name]), name)
		}
	}
	require.False(t, objects.More())
	require.Equal(t, len(rows)-1, strings.Count(lines, "\n"))
}

// recordedText compares with a recording, or makes it anew.
func recordedText(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "cat", name)
	if *rewrite {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, name)
}

// TestReleaseCat: a release of each format version as one table, as CSV and as a
// JSON object a row, as a reader of the directory has it and as its owner.
func TestReleaseCat(t *testing.T) {
	s := format1Site(t)
	list := func() (out []snapshot.Info) {
		require.NoError(t, json.Unmarshal([]byte(s.must("release list --json")), &out))
		return out
	}
	before := list()
	last := before[len(before)-1].Release
	old := s.must("release cat")
	assert.Equal(t, s.read(fmt.Sprintf("releases/%06d/data.csv", last)), old, "format version 1 has one table")
	s.write("admissions.ndjson", ndjson(1, 600))
	s.runFrozen()
	after := list()
	require.Greater(t, after[len(after)-1].Release, last)
	newest := after[len(after)-1]

	text := s.must("release cat")
	recordedText(t, "data.csv", text)
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err)
	assert.Len(t, rows, newest.Records+1)
	assert.Equal(t, fmt.Sprint(newest.Classes), rows[newest.Records][len(rows[0])-1], "classes are numbered through")
	assert.Equal(t, text, s.must(fmt.Sprintf("release cat %d", newest.Release)))
	assert.Equal(t, text, anond(t, "release", "cat", "--dir", s.path("releases")).stdout)
	assert.Equal(t, old, s.must(fmt.Sprintf("release cat %d", last)), "an earlier release stays as it is")

	lines := s.must("release cat --json")
	recordedText(t, "data.ndjson", lines)
	assert.Equal(t, lines, s.must("release cat --format ndjson"))
	for i, line := range strings.Split(strings.TrimSuffix(lines, "\n"), "\n") {
		var row map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &row))
		require.Equal(t, rows[i+1][0], row[rows[0][0]])
		require.Equal(t, rows[i+1][len(rows[0])-1], fmt.Sprint(row["class"]))
	}
}

// TestReleaseCatOut: a file is replaced whole, or left as it is.
func TestReleaseCatOut(t *testing.T) {
	s := newSite(t, fileSource, "on: records, every: 60", "")
	s.write("admissions.ndjson", ndjson(1, 240))
	s.runFrozen()
	for _, format := range []string{"csv", "ndjson"} {
		s.write("out."+format, "of yesterday")
		assert.Empty(t, s.must("release cat --format "+format+" --out "+s.path("out."+format)))
		assert.Equal(t, s.must("release cat --format "+format), s.read("out."+format))
	}
	whole := s.read("out.csv")
	part := "releases/000001/part-000001/data.csv"
	require.NoError(t, os.Chmod(s.path(part), 0o600))
	s.write(part, strings.Replace(s.read(part), ",1\n", ",2\n", 1))
	assert.Equal(t, exitFailed, s.run("release cat --out "+s.path("out.csv")).code)
	assert.Equal(t, whole, s.read("out.csv"))
	left, err := filepath.Glob(s.path(".out*"))
	require.NoError(t, err)
	assert.Empty(t, left)
	assert.Equal(t, exitFailed, s.run("release cat --out "+s.path("nowhere/out.csv")).code)
}

// TestReleaseCatFiles: of a recoding of two files, --file says which.
func TestReleaseCatFiles(t *testing.T) {
	s := newSite(t, fileSource, "on: records, every: 60", "")
	s.edit("policy: {", "initial: {max_records: 120}\npolicy: {")
	s.edit("release: {dir: ./releases", "release: {dir: ./releases, recoding: anatomy")
	s.write("admissions.ndjson", ndjson(1, 240))
	s.runFrozen()
	assert.Equal(t, s.must("release cat"), s.must("release cat --file qit.csv"))
	recordedText(t, "qit.csv", s.must("release cat"))
	recordedText(t, "st.csv", s.must("release cat --file st.csv"))
	recordedText(t, "st.ndjson", s.must("release cat --json --file st.csv"))

	r := s.run("release cat --file data.csv")
	assert.Equal(t, exitUsage, r.code)
	assert.Contains(t, r.stderr, `recoding anatomy, has no file "data.csv"`)
	assert.Contains(t, r.stderr, "--file qit.csv or --file st.csv")
	assert.Equal(t, exitUsage, s.run("release cat --format xml").code)
	assert.Equal(t, exitUsage, s.run("release cat --format csv --json").code)
	assert.Equal(t, exitUsage, s.run("release cat nine").code)
	assert.Equal(t, exitFailed, s.run("release cat 99").code)
}

// TestReleaseCatDamage: nothing of a file that changed is written.
func TestReleaseCatDamage(t *testing.T) {
	s := newSite(t, fileSource, "on: records, every: 60", "")
	s.write("admissions.ndjson", ndjson(1, 240))
	s.runFrozen()
	path := s.path("releases/000001/part-000001/data.csv")
	require.NoError(t, os.Chmod(path, 0o600))
	s.write("releases/000001/part-000001/data.csv", strings.Replace(s.read("releases/000001/part-000001/data.csv"), ",1\n", ",2\n", 1))
	r := s.run("release cat 1")
	assert.Equal(t, exitFailed, r.code)
	assert.Empty(t, r.stdout)
	assert.Contains(t, r.stderr, "part-000001/data.csv of release 1 is not what its manifest says")
}

// TestSingleFile: the key may change at any release. What it writes is what cat
// writes, is in the manifest, and is verified and audited.
func TestSingleFile(t *testing.T) {
	s := newSite(t, fileSource, "on: records, every: 60", "")
	s.edit("policy: {", "initial: {max_records: 120}\npolicy: {")
	s.write("admissions.ndjson", ndjson(1, 180))
	s.runFrozen()
	s.edit("release: {dir: ./releases", "release: {dir: ./releases, single_file: true")
	s.write("admissions.ndjson", ndjson(1, 300))
	s.runFrozen()
	assert.NoFileExists(t, s.path("releases/000001/data.csv"))
	var m snapshot.Manifest
	require.NoError(t, json.Unmarshal([]byte(s.must("release show --json")), &m))
	require.Len(t, m.Files, 1)
	assert.Equal(t, m.Records, m.Files[0].Rows)
	path := fmt.Sprintf("releases/%06d/data.csv", m.Release)
	text := s.read(path)
	assert.Equal(t, text, s.must("release cat"))
	info, err := os.Stat(s.path(path))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o444), info.Mode().Perm())
	s.must("release verify")
	assert.Contains(t, s.must("audit --require-certified"), "CERTIFIED")

	s.edit("single_file: true", "single_file: false")
	s.write("admissions.ndjson", ndjson(1, 360))
	s.runFrozen()
	assert.NoFileExists(t, s.path(fmt.Sprintf("releases/%06d/data.csv", m.Release+1)))
	s.must("release verify")
	assert.Contains(t, s.must("audit --require-certified"), "CERTIFIED")
}

// TestShowDead: the dead classes of a part share a line.
func TestShowDead(t *testing.T) {
	var b strings.Builder
	m := &snapshot.Manifest{Parts: []snapshot.PartEntry{{Dead: []uint32{3, 17}}, {Dead: []uint32{1}}}}
	require.NoError(t, (&environment{stdout: &b}).printManifest(m))
	assert.Regexp(t, `(?m)^parts\.0\.dead +3 17$`, b.String())
	assert.Regexp(t, `(?m)^parts\.1\.dead +1$`, b.String())
}

// TestQueryOfPartsIsThatOfTheWhole: a release in parts answers as the same release
// does as one table of format version 1.
func TestQueryOfPartsIsThatOfTheWhole(t *testing.T) {
	tier.Heavy(t, "it runs two datasets")
	for _, x := range []struct{ policy, release string }{
		{"", ""},
		{"", ", recoding: anatomy"},
		{"", ", recoding: permutation"},
		{"", ", recoding: slicing, slices: [[age, sex], [postcode, admission]]"},
		{", republication: append", ", recoding: lgb"},
	} {
		s := newFrozen(t, x.policy, x.release)
		parts, err := readback.Open(s.path("releases"))
		require.NoError(t, err)
		require.Greater(t, len(parts.Manifest.Parts), 3)
		whole, err := readback.Open(oneTable(t, s, parts.Manifest))
		require.NoError(t, err)
		require.NoError(t, parts.Load(nil))
		require.NoError(t, whole.Load(nil))
		assert.Len(t, parts.Sizes(), parts.Manifest.Classes)
		for _, q := range []string{"count", "sum(age)", "count where sex = F and diagnosis = asthma",
			"sum(age) where age in [30,60] and postcode = 1xxx", "count where diagnosis in {influenza, asthma} and age < 40"} {
			a, _, err := parts.Ask(q)
			require.NoError(t, err)
			b, _, err := whole.Ask(q)
			require.NoError(t, err)
			assert.InDelta(t, b.Estimate, a.Estimate, 1e-6, q)
			assert.InDelta(t, b.Lower, a.Lower, 1e-6, q)
			assert.InDelta(t, b.Upper, a.Upper, 1e-6, q)
		}
	}
}

// oneTable writes the newest release of a site as one of format version 1.
func oneTable(t *testing.T, s *site, of *snapshot.Manifest) string {
	m := *of
	m.FormatVersion, m.Parts, m.Files = 1, nil, nil
	dir := fmt.Sprintf("whole/%06d/", m.Release)
	for _, f := range of.Parts[0].Files {
		text := s.must("release cat", "--file", f.Name)
		s.write(dir+f.Name, text)
		m.Files = append(m.Files, snapshot.FileEntry{Name: f.Name, SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(text)))})
	}
	data, err := json.Marshal(&m)
	require.NoError(t, err)
	s.write(dir+"manifest.json", string(data))
	s.write("whole/CURRENT", fmt.Sprintf("%06d\n", m.Release))
	if _, err := os.Stat(s.path("releases/hierarchies")); err == nil {
		require.NoError(t, os.CopyFS(s.path("whole/hierarchies"), os.DirFS(s.path("releases/hierarchies"))))
	}
	return s.path("whole")
}
