package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/equivclass/query"
	"anond/internal/cli"
	"anond/internal/testkit/programtest"
	"anond/snapshot/readback"
)

// result is what a person or program sees of a run.
type result struct {
	code           int
	stdout, stderr string
}

// anond runs the whole program in this process.
func anond(t *testing.T, args ...string) result {
	t.Helper()
	var out, err bytes.Buffer
	code := run(t.Context(), args, cli.Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err,
		Lookup: func(string) (string, bool) { return "", false }})
	return result{code, out.String(), err.String()}
}

// streams are those of a run that reads nothing from standard input.
func streams(stdout, stderr io.Writer) cli.Env {
	return cli.Env{Stdin: strings.NewReader(""), Stdout: stdout, Stderr: stderr, Lookup: os.LookupEnv}
}

// asked asks a release as an analyst does, from its public files.
func asked(t *testing.T, dir, text string) query.Answer {
	t.Helper()
	r, err := readback.Open(dir)
	require.NoError(t, err)
	require.NoError(t, r.Load(nil))
	a, _, err := r.Ask(text)
	require.NoError(t, err)
	return a
}

// file writes a file into a fresh directory and returns its path.
func file(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(programtest.TempDir(t), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// TestUsageFaults: they exit 2, say one error and one hint, and print nothing
// on standard output.
func TestUsageFaults(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", "error: anond needs a subcommand\nhint: anond --help lists the subcommands\n"},
		{"confg", "error: unknown command \"confg\" for anond\nhint: did you mean anond config?\n"},
		{"frobnicate", "error: unknown command \"frobnicate\" for anond\nhint: anond --help lists the subcommands\n"},
		{"--nope", "error: unknown flag: --nope\nhint: anond --help shows its arguments and flags\n"},
		{"config", "error: anond config needs a subcommand\nhint: anond config --help lists the subcommands\n"},
		{"config chek", "error: unknown command \"chek\" for anond config\nhint: did you mean anond config check?\n"},
		{"config check extra", "error: unknown command \"extra\" for \"anond config check\"\nhint: anond config check --help shows its " +
			"arguments and flags\n"},
		{"config show --nope", "error: unknown flag: --nope\nhint: anond config show --help shows its arguments and flags\n"},
		{"config check -c", "error: flag needs an argument: 'c' in -c\nhint: anond config check --help shows its arguments and flags\n"},
	} {
		t.Run(c.args, func(t *testing.T) {
			assert.Equal(t, result{exitUsage, "", c.want}, anond(t, strings.Fields(c.args)...))
		})
	}
}

func TestHelpIsNoFault(t *testing.T) {
	for _, args := range []string{"--help", "help", "config --help", "help config check", "config show -h"} {
		r := anond(t, strings.Fields(args)...)
		assert.Equal(t, exitOK, r.code, args)
		assert.Contains(t, r.stdout, "Usage:", args)
		assert.Empty(t, r.stderr, args)
	}
}

// TestRunsAreIndependent: nothing of one run is left for the next.
func TestRunsAreIndependent(t *testing.T) {
	first := anond(t, "version")
	anond(t, "--nope")
	anond(t, "version", "--json")
	assert.Equal(t, first, anond(t, "version"))
}

func TestVersionJSON(t *testing.T) {
	r := anond(t, "version", "--json")
	require.Equal(t, exitOK, r.code)
	var v cli.BuildVersion
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &v))
	assert.NotEmpty(t, v.Version)
	assert.NotEmpty(t, v.Go)
	assert.Contains(t, v.Platform, "/")
}

// configurationFile is a valid configuration in a directory of its own.
func configurationFile(t *testing.T) string { return file(t, "anond.yaml", config.Starting) }

// TestVersionIsTheNewestOfTheChangelog: the changelog begins with the version that
// the program prints.
func TestVersionIsTheNewestOfTheChangelog(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "CHANGELOG.md"))
	require.NoError(t, err)
	_, newest, _ := strings.Cut(string(text), "\n## ")
	newest, _, _ = strings.Cut(newest, "\n")
	version, _, _ := strings.Cut(newest, ",")
	assert.True(t, strings.HasPrefix(cli.Release, version+"."), "%s is not of %s", cli.Release, newest)
	assert.Contains(t, anond(t, "version").stdout, "anond "+cli.Release)
}
