package config

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func testExpander() expander {
	variables := map[string]string{"A": "one", "EMPTY": "", "NESTED": "${A}"}
	files := map[string]string{"/run/secret": "hush\n", "/base/near": "near\r\n", "/base/two": "a\n\n"}
	return expander{
		lookup: func(name string) (string, bool) { v, ok := variables[name]; return v, ok },
		read: func(name string) ([]byte, error) {
			if content, ok := files[name]; ok {
				return []byte(content), nil
			}
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		},
		base: "/base",
	}
}

func TestExpand(t *testing.T) {
	for in, want := range map[string]string{
		"":                      "",
		"plain":                 "plain",
		"pa$word":               "pa$word",
		"end$":                  "end$",
		"$A":                    "$A",
		"$$":                    "$",
		"$$$$":                  "$$",
		"$${A}":                 "${A}",
		"${A}":                  "one",
		"x${A}y${A}z":           "xoneyonez",
		"${EMPTY}":              "",
		"${NESTED}":             "${A}",
		"${EMPTY:-d}":           "d",
		"${NONE:-}":             "",
		"${NONE:-a:b-c}":        "a:b-c",
		"${A:-d}":               "one",
		"${A:?must}":            "one",
		"${file:/run/secret}":   "hush",
		"a${file:near}b":        "anearb",
		"${file:two}":           "a\n",
		"$${file:/run/secret}$": "${file:/run/secret}$",
	} {
		got, _, err := testExpander().expand(in)
		require.NoError(t, err, in)
		assert.Equal(t, want, got, in)
	}
}

func TestExpandRefuses(t *testing.T) {
	for in, reason := range map[string]string{
		"${NONE}":        "needs the environment variable NONE, which is not set",
		"${NONE:?why}":   "needs the environment variable NONE: why",
		"${EMPTY:?why}":  "needs the environment variable EMPTY: why",
		"${":             "has ${ without }",
		"a ${A":          "has ${ without }",
		"${}":            "has a reference without a valid variable name",
		"${1A}":          "has a reference without a valid variable name",
		"${A B}":         "has a reference without a valid variable name",
		"${A:+x}":        "has a reference of unknown form",
		"${A:}":          "has a reference of unknown form",
		"${X:-${A}}":     "has a reference inside a reference",
		"${file:}":       "has ${file:} without a path",
		"${file:absent}": "needs the file absent, which cannot be read: there is no such file",
	} {
		_, _, err := testExpander().expand(in)
		require.EqualError(t, err, reason, in)
	}
}

// TestExpandTellsWhatCameFromOutside: such texts are never shown.
func TestExpandTellsWhatCameFromOutside(t *testing.T) {
	for in, want := range map[string]bool{"plain": false, "$$": false, "${A}": true, "${NONE:-d}": true, "${file:near}": true} {
		_, changed, err := testExpander().expand(in)
		require.NoError(t, err)
		assert.Equal(t, want, changed, in)
	}
}

func TestNearest(t *testing.T) {
	words := []string{"brokers", "topic", "assignment", "group"}
	for in, want := range map[string]string{"topci": "topic", "broker": "brokers", "Topic": "topic", "asignmnt": "assignment", "colour": "",
		"x": ""} {
		assert.Equal(t, want, nearest(in, words), in)
	}
}

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"kitten", "sitting", 3}} {
		assert.Equal(t, c.want, edits(c.a, c.b), "%q %q", c.a, c.b)
		assert.Equal(t, c.want, edits(c.b, c.a), "%q %q", c.b, c.a)
	}
}

func TestParseSize(t *testing.T) {
	for in, want := range map[string]int64{"0": 0, "4096": 4096, "1KiB": 1024, "4 GiB": 4 << 30, "2TiB": 2 << 40} {
		got, err := parseSize(in)
		require.NoError(t, err, in)
		assert.Equal(t, want, got, in)
	}
	for _, in := range []string{"", "GiB", "-1", "1GB", "1.5GiB", "9999999999TiB", "010"} {
		_, err := parseSize(in)
		assert.Error(t, err, in)
	}
}
