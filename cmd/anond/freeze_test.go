package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/equivclass/equivtest/tier"
	"anond/internal/cli"
	"anond/internal/daemon"
	"anond/internal/dataset"
)

// The freeze tests hold what users can see against recordings: the bytes of
// releases and exports of every recoding, and what the commands
// print. A change of the code's structure must leave every recording as it is.
// After a change of behaviour or of words, run
//
//	go test ./cmd/anond -run Frozen -rewrite
//
// and commit a difference only if you can explain each line of it. Formats of
// the state are held by incremental/boltstore, numbers of the figures by the
// figures' own tests.

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
			t.Fatalf("%s, line %d: was %q, is %q; see the comment at the top of freeze_test.go", path, i+1, line, other)
		} else {
			got = rest
		}
	}
	assert.Empty(t, got, "%s has grown", path)
}

var rewrite = flag.Bool("rewrite", false, "rewrite the golden outputs")

var createdAt = regexp.MustCompile(`"created_at": "[^"]*"`)

// inodes are those in the names of files.
var inodes = regexp.MustCompile(`(file:[0-9a-f]{32}:[0-9]+):[0-9a-f]*-[0-9a-f]*`)

// recorded is the lines of a recording that begin with a word.
func recorded(t *testing.T, name, word string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "freeze", name))
	require.NoError(t, err)
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, word) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// digests has a line for each file of a directory: name and SHA-256, without the
// time of a manifest.
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
		stable := createdAt.ReplaceAll(inodes.ReplaceAll(content, []byte("$1:INODE")), nil)
		fmt.Fprintf(&b, "%s %s %x\n", label, filepath.ToSlash(name), sha256.Sum256(stable))
		return err
	}))
	return b.String()
}

// stoppedClock always shows the same moment.
type stoppedClock struct{}

func (stoppedClock) Now() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
func (stoppedClock) Ticker(time.Duration) (<-chan time.Time, func()) {
	return nil, func() {}
}

// runFrozen runs the daemon to the end of its source with a known seed.
func (s *site) runFrozen() {
	s.t.Helper()
	cfg, _, err := config.Load(s.config, os.LookupEnv, os.ReadFile)
	require.NoError(s.t, err)
	seed := [32]byte{1, 2, 3}
	require.NoError(s.t, daemon.Run(s.t.Context(), cfg, dataset.Options{Log: slog.New(slog.DiscardHandler), Once: true,
		Clock: stoppedClock{}, Seed: &seed}))
}

// atLevel2 begins a policy of newFrozen that is at level L2.
const atLevel2 = "level 2"

// newFrozen is a dataset of several releases; release is the inside of its
// configuration's section.
func newFrozen(t *testing.T, policy, release string) *site {
	s := newSite(t, fileSource, "on: records, every: 300", "")
	level, initial := "L1", ""
	if after, is := strings.CutPrefix(policy, atLevel2); is {
		level, policy, initial = "L2", after, "min_pool: 15, "
	}
	s.edit("policy: {k: 5, l: 3, level: L1}", "initial: {"+initial+"max_records: 800}\npolicy: {k: 5, l: 3, level: "+level+policy+"}")
	s.edit("release: {dir: ./releases", "release: {dir: ./releases"+release)
	s.write("admissions.ndjson", ndjson(1, 2000))
	s.runFrozen()
	return s
}

// TestFrozenReleases: every recoding of the daemon, both ways of republication.
func TestFrozenReleases(t *testing.T) {
	tier.NotShort(t, "it runs every recoding")
	var b strings.Builder
	for i, x := range []struct{ label, policy, release string }{
		{"generalization", "", ""},
		{"generalization-append", ", republication: append", ""},
		{"anatomy", "", ", recoding: anatomy"},
		{"permutation", "", ", recoding: permutation"},
		{"close", ", diversity: [{t: 0.5}]", ""},
		{"anatomy-l2", atLevel2, ", recoding: anatomy"},
		{"buckets", atLevel2, ", recoding: buckets"},
		{"permutation-l2", atLevel2, ", recoding: permutation"},
		{"close-l2", atLevel2 + ", diversity: [{t: 0.5}]", ", recoding: buckets"},
	} {
		if i%4 != 0 && !*rewrite && !tier.Full() { // the library's tests have their bytes as well
			b.WriteString(recorded(t, "releases.txt", x.label+" "))
			continue
		}
		s := newFrozen(t, x.policy, x.release)
		b.WriteString(digests(t, x.label, s.path("releases")))
		require.NoError(t, os.Mkdir(s.path("exports"), 0o700))
		s.must("state records", "--out", s.path("exports/records.csv"))
		s.must("state members", "--from", "1", "--out", s.path("exports/members.csv"))
		b.WriteString(digests(t, x.label, s.path("exports")))
	}
	frozen(t, "releases.txt", b.String())
}

// TestFrozenOutput: what the commands print, as text, so that a difference shows
// words.
func TestFrozenOutput(t *testing.T) {
	s := newFrozen(t, "", "")
	var b strings.Builder
	say := func(title string, r result) {
		fmt.Fprintf(&b, "$ anond %s\n%s%s", title, r.stdout, r.stderr)
		if r.code != exitOK {
			fmt.Fprintf(&b, "exit %d\n", r.code)
		}
		b.WriteString("\n")
	}
	for _, command := range []string{"release list", "release list --json", "release show 1", "release show --json", "release verify",
		"audit", "audit --json",
		"state info", "state check", "config check", "config show"} {
		say(command, s.run(command))
	}
	for _, args := range [][]string{
		{"audit", "--releases", s.path("releases")},
		{"config", "init"}, {"config", "schema"},
		{"nonsense"}, {"audit", "--releases", s.path("nowhere")},
	} {
		say(strings.Join(args, " "), anond(t, args...))
	}
	walkCommands(newRootCommand(&environment{Env: cli.Env{Lookup: func(string) (string, bool) { return "", false }}}), func(path []string) {
		args := append(path, "--help")
		say(strings.Join(args, " "), anond(t, args...))
	})
	frozen(t, "output.txt", unvaried(b.String(), s.dir))
}

// walkCommands calls do with the words of each command, the root's none first.
func walkCommands(c *cobra.Command, do func(path []string)) {
	do(strings.Fields(c.CommandPath())[1:])
	for _, sub := range c.Commands() {
		walkCommands(sub, do)
	}
}

// unvaried takes out what differs from run to run: the directory, the process,
// the size of the state file, and how far the newest release was read again.
func unvaried(text, dir string) string {
	text = strings.ReplaceAll(text, dir, "DIR")
	varies := regexp.MustCompile(`(?m)^(status\.(?:ended\.)?pid|status\.verified|(?:status\.state|file)\.(?:file|free|bytes|free_bytes)) .*$`)
	return inodes.ReplaceAllString(varies.ReplaceAllString(text, "$1 VARIES"), "$1:INODE")
}
