package cli

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
	table := NewTable(&out, Left("name", 6), Right("n", 4), Left("note", 0))
	table.Header()
	table.Row("é", "12", "long enough to run on")
	table.Row("wider than it", "12345", "")
	table.Row("short")
	require.NoError(t, table.Err)
	assert.Equal(t, "name       n  note\né         12  long enough to run on\nwider than it  12345\nshort\n", out.String())
}

type brokenWriter struct{ writes int }

func (w *brokenWriter) Write([]byte) (int, error) {
	w.writes++
	return 0, errors.New("broken pipe")
}

func TestTableStopsAtTheFirstError(t *testing.T) {
	w := &brokenWriter{}
	table := NewTable(w, Left("a", 1))
	table.Header()
	table.Row("1")
	assert.EqualError(t, table.Err, "broken pipe")
	assert.Equal(t, 1, w.writes)
}

func TestOnlyATerminalIsOne(t *testing.T) {
	assert.False(t, IsTerminal(&bytes.Buffer{}))
	f, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer f.Close()
	assert.False(t, IsTerminal(f))
}

func TestVersionOfABuild(t *testing.T) {
	info := &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "true"},
	}}
	v := VersionOf("anond", info)
	assert.Equal(t, "2026-01-02T03:04:05Z", v.Time)
	assert.Regexp(t, "^anond "+regexp.QuoteMeta(Release)+` 0123456789ab \(modified\), go\S*, \w+/\w+$`, v.String())
	assert.Regexp(t, "^anond "+regexp.QuoteMeta(Release)+", go", VersionOf("anond", nil).String())
}
