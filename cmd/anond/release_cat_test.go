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

	"anond/internal/cli"
	"anond/snapshot"
)

// TestFrozenCat: the table over all parts of each release, of every recoding. The
// releases are those of TestFrozenReleases.
func TestFrozenCat(t *testing.T) {
	tier.NotShort(t, "it runs every recoding")
	var b strings.Builder
	for _, x := range []struct{ label, policy, release, files string }{
		{"generalization", "", "", "data.csv"},
		{"anatomy", "", ", recoding: anatomy", "qit.csv st.csv"},
		{"permutation", "", ", recoding: permutation", "pqt.csv pst.csv"},
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

// TestReleaseCat: a release of several parts as one table, as CSV and as a JSON object a
// row, as a reader of the directory has it and as its owner. Part and class name a class.
func TestReleaseCat(t *testing.T) {
	s := newSite(t, fileSource, "on: records, every: 60", "")
	s.edit("policy: {", "initial: {max_records: 120}\npolicy: {")
	var old string
	for n := 200; n <= 600; n += 200 {
		s.write("admissions.ndjson", ndjson(1, n))
		s.runFrozen()
		if n == 200 {
			old = s.must("release cat")
		}
	}
	var list []snapshot.Info
	require.NoError(t, json.Unmarshal([]byte(s.must("release list --json")), &list))
	newest := list[len(list)-1]

	text := s.must("release cat")
	recordedText(t, "data.csv", text)
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err)
	assert.Len(t, rows, newest.Records+1)
	classes, parts := map[string]bool{}, map[string]bool{}
	for _, row := range rows[1:] {
		classes[row[0]+" "+row[len(row)-1]], parts[row[0]] = true, true
	}
	assert.Len(t, classes, newest.Classes)
	assert.Len(t, parts, 2)
	assert.Equal(t, text, s.must(fmt.Sprintf("release cat %d", newest.Release)))
	assert.Equal(t, text, anond(t, "release", "cat", "--dir", s.path("releases")).stdout)
	first := 0
	for _, x := range list {
		if x.Records+1 == strings.Count(old, "\n") {
			first = int(x.Release)
		}
	}
	assert.Equal(t, old, s.must(fmt.Sprintf("release cat %d", first)), "an earlier release stays as it is")

	lines := s.must("release cat --json")
	recordedText(t, "data.ndjson", lines)
	assert.Equal(t, lines, s.must("release cat --format ndjson"))
	for i, line := range strings.Split(strings.TrimSuffix(lines, "\n"), "\n") {
		var row map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &row))
		require.Equal(t, rows[i+1][0], row["part"])
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

// TestShowDead: the dead classes of a part share a line, and so do its withdrawn buckets.
func TestShowDead(t *testing.T) {
	var b strings.Builder
	m := &snapshot.Manifest{Parts: []snapshot.PartEntry{{Dead: []uint32{3, 17}}, {Dead: []uint32{1}, Withdrawn: []uint32{2, 5}}}}
	require.NoError(t, (&environment{Env: cli.Env{Stdout: &b}}).printManifest(m))
	assert.Regexp(t, `(?m)^parts\.0\.dead +3 17$`, b.String())
	assert.Regexp(t, `(?m)^parts\.1\.dead +1$`, b.String())
	assert.Regexp(t, `(?m)^parts\.1\.withdrawn +2 5$`, b.String())
}
