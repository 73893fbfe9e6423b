package main

import (
	"bytes"
	"errors"
	"os"
	"regexp"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTable(t *testing.T) {
	var out bytes.Buffer
	table := newTable(&out, column{"name", 6, false}, column{"n", 4, true}, column{"note", 0, false})
	table.header()
	table.row("é", "12", "long enough to run on")
	table.row("wider than it", "12345", "")
	table.row("short")
	require.NoError(t, table.err)
	assert.Equal(t, "name       n  note\né         12  long enough to run on\nwider than it  12345\nshort\n", out.String())
}

type brokenWriter struct{ writes int }

func (w *brokenWriter) Write([]byte) (int, error) {
	w.writes++
	return 0, errors.New("broken pipe")
}

func TestTableStopsAtTheFirstError(t *testing.T) {
	w := &brokenWriter{}
	table := newTable(w, column{"a", 1, false})
	table.header()
	table.row("1")
	assert.EqualError(t, table.err, "broken pipe")
	assert.Equal(t, 1, w.writes)
}

func TestOnlyATerminalIsOne(t *testing.T) {
	assert.False(t, isTerminal(&bytes.Buffer{}))
	f, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer f.Close()
	assert.False(t, isTerminal(f))
}

func TestVersionOfABuild(t *testing.T) {
	info := &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "true"},
	}}
	v := versionOf(info)
	assert.Equal(t, "2026-01-02T03:04:05Z", v.Time)
	assert.Regexp(t, "^anond "+regexp.QuoteMeta(release)+` 0123456789ab \(modified\), go\S*, \w+/\w+$`, v.String())
	assert.Regexp(t, "^anond "+regexp.QuoteMeta(release)+", go", versionOf(nil).String())
}
