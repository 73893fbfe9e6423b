package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/equivclass/equivtest/tier"
	"anond/internal/cli"
	"anond/internal/daemon"
	"anond/internal/dataset"
	"anond/internal/testkit/hospital"
	"anond/internal/testkit/programtest"
	"anond/internal/upkeep"
	"anond/lab/anonymize"
	"anond/lab/methods"
	"anond/lab/naive"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden outputs")

// result is what a person or program sees of a run.
type result struct {
	code           int
	stdout, stderr string
}

// lab runs the whole program in this process.
func lab(t *testing.T, args ...string) result {
	t.Helper()
	var out, err bytes.Buffer
	code := run(t.Context(), args, cli.Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err,
		Lookup: func(string) (string, bool) { return "", false }})
	return result{code, out.String(), err.String()}
}

// site is a directory with a configuration.
type site struct {
	t      *testing.T
	dir    string
	config string
}

const siteConfig = `version: 1
dataset: hospital
source: {type: file, file: {path: admissions.ndjson}}
schema:
  attributes:
    - {name: patient, role: subject}
    - {name: age, role: quasi, type: integer, range: [0, 130]}
    - {name: sex, role: quasi, type: categorical}
    - {name: postcode, role: quasi, type: categorical, hierarchy: hierarchies/postcode.csv}
    - {name: admission, role: quasi, type: categorical}
    - {name: diagnosis, role: sensitive, type: categorical}
policy: {k: 5, l: 3, level: L1}
initial: {max_records: 600}
release: {dir: ./releases, trigger: {on: records, every: 400}}
`

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, dir: programtest.TempDir(t)}
	s.config = filepath.Join(s.dir, "anond.yaml")
	s.write("hierarchies/postcode.csv", hospital.Hierarchy())
	s.write("anond.yaml", siteConfig)
	return s
}

func (s *site) path(name string) string { return filepath.Join(s.dir, name) }

func (s *site) write(name, content string) {
	s.t.Helper()
	require.NoError(s.t, os.MkdirAll(filepath.Dir(s.path(name)), 0o755))
	require.NoError(s.t, os.WriteFile(s.path(name), []byte(content), 0o600))
}

func (s *site) read(name string) string {
	s.t.Helper()
	b, err := os.ReadFile(s.path(name))
	require.NoError(s.t, err)
	return string(b)
}

// published is a site whose stream the daemon has published, with its exports.
func published(t *testing.T, n int) *site {
	s := newSite(t)
	var feed strings.Builder
	stream := hospital.New(1)
	for range n {
		feed.Write(stream.NextMessage().Value)
		feed.WriteByte('\n')
	}
	s.write("admissions.ndjson", feed.String())
	s.publish()
	return s
}

func (s *site) load() *config.Config {
	s.t.Helper()
	cfg, _, err := config.Load(s.config, os.LookupEnv, os.ReadFile)
	require.NoError(s.t, err)
	return cfg
}

func (s *site) publish() {
	s.t.Helper()
	require.NoError(s.t, daemon.Run(s.t.Context(), s.load(), dataset.Options{Log: slog.New(slog.DiscardHandler), Once: true}))
}

// exports writes the exports of the state.
func (s *site) exports() {
	s.t.Helper()
	exporter, err := upkeep.OpenExporter(s.load())
	require.NoError(s.t, err)
	var members, records bytes.Buffer
	require.NoError(s.t, exporter.Members(&members, 1, exporter.Releases()))
	require.NoError(s.t, exporter.Records(&records))
	s.write("members.csv", members.String())
	s.write("records.csv", records.String())
}

// TestHelpAndFaults: cmd/anond-lab is as strict as cmd/anond, and has what every program has.
func TestHelpAndFaults(t *testing.T) {
	assert.Equal(t, result{cli.Misused, "", "error: unknown command \"anonymise\" for anond-lab\nhint: did you mean anond-lab anonymize?\n"},
		lab(t, "anonymise"))
	assert.Equal(t, cli.OK, lab(t, "--help").code)
	assert.Contains(t, lab(t, "version").stdout, "anond-lab "+cli.Release)
	assert.Contains(t, lab(t, "__complete", "anonymize", "--method", "").stdout, "mondrian\n")
	dir := t.TempDir()
	require.Equal(t, cli.OK, lab(t, "man", "--out", dir).code)
	assert.FileExists(t, filepath.Join(dir, "anond-lab-naive.1"))
}

// TestNaiveExposesPeople, who are safe in the releases of the daemon.
func TestNaiveExposesPeople(t *testing.T) {
	tier.NotShort(t, "it attacks several hundred people")
	s := published(t, 2500)
	s.exports()
	args := []string{"naive", "--releases", s.path("releases"), "--members", s.path("members.csv"), "--records", s.path("records.csv")}
	r := lab(t, append(args, "--out", s.path("naive"), "--json")...)
	require.Equal(t, cli.OK, r.code, r.stderr)
	var found naive.Comparison
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &found))
	require.Len(t, found.Naive, 3)
	for _, a := range found.Naive[0].Attackers {
		assert.Zero(t, a.BelowL, a.Name)
	}
	for _, e := range found.Naive[1:] {
		exposed := 0
		for _, a := range e.Attackers {
			exposed += a.BelowL
		}
		assert.NotZero(t, exposed, e.Method)
		assert.Equal(t, found.Naive[0].Releases, e.Releases)
	}
	assert.Greater(t, found.Reader.Guess, found.Reader.Share, "level L1 tells something to those who have read the program")

	s.write("members.csv", strings.Replace(s.read("members.csv"), ",1\n", ",2\n", 1))
	r = lab(t, append(args, "--out", s.path("again"))...)
	assert.Equal(t, cli.Unprivate, r.code, r.stderr)
	assert.Equal(t, cli.Misused, lab(t, append(args, "--out", s.path("naive"))...).code, "it replaces nothing")
	assert.Equal(t, cli.Misused, lab(t, "naive").code)
}

// frozen compares a recording, or makes it anew.
func frozen(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "freeze", name)
	if *rewrite {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	for i, line := range strings.Split(string(want), "\n") {
		if other, rest, _ := strings.Cut(got, "\n"); other != line {
			t.Fatalf("%s, line %d: was %q, is %q; -rewrite records it anew", path, i+1, line, other)
		} else {
			got = rest
		}
	}
	assert.Empty(t, got, "%s has grown", path)
}

var createdAt = regexp.MustCompile(`"created_at": "[^"]*"`)

// digests has a line for each file of a directory: name and SHA-256, without the
// time of a manifest, which a one-off release takes from the clock.
func digests(t *testing.T, label, dir string) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		stable := createdAt.ReplaceAll(content, nil)
		fmt.Fprintf(&b, "%s %s %x\n", label, filepath.ToSlash(name), sha256.Sum256(stable))
		return err
	}))
	return b.String()
}

// TestFrozenAnonymize: every method, in its own recoding and, where it may, in
// the others.
func TestFrozenAnonymize(t *testing.T) {
	tier.NotShort(t, "it runs every method in every recoding")
	var b strings.Builder
	w := newWard(t, 500)
	clinic, _ := newClinic(t, 400)
	for _, m := range methods.All() {
		for _, recoding := range anonymize.Recodings() {
			if anonymize.CheckRecoding(m, recoding) != nil {
				continue
			}
			on, in := w, "admissions.csv"
			if recoding == recodingLGB {
				on, in = clinic, "clinic.csv"
			}
			out := m.Name + "-" + recoding
			more := map[string][]string{recodingSlicing: {"--slices", "age+sex,postcode+admission"},
				recodingRandomization: {"--retention", "0.3"}}[recoding]
			r := on.anonymize(in, out, append(more, "--method", m.Name, "--recoding", recoding, "-k", "6", "-l", "3", "--seed", "5")...)
			require.Equal(t, cli.OK, r.code, "%s: %s", out, r.stderr)
			b.WriteString(digests(t, out, on.path(out)))
		}
	}
	frozen(t, "anonymize.txt", b.String())
}

// TestFrozenOutput: what the commands print as help.
func TestFrozenOutput(t *testing.T) {
	var b strings.Builder
	cli.EachCommand(newRootCommand(&environment{}), func(c *cobra.Command) {
		args := append(strings.Fields(c.CommandPath())[1:], "--help")
		fmt.Fprintf(&b, "$ anond-lab %s\n%s\n", strings.Join(args, " "), lab(t, args...).stdout)
	})
	frozen(t, "output.txt", b.String())
}
