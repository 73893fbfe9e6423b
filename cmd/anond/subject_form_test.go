package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOnePersonHasOneForm: a number and its text are one person, and a dataset that has begun reads subjects in one form only.
func TestOnePersonHasOneForm(t *testing.T) {
	s := newSite(t, "{type: stdin}", "on: records, every: 400", "")
	for _, patient := range []string{"7", "7.0", `"7"`, "70e-1", `"7.0"`, `"007"`} {
		line := `{"patient":` + patient + `,"age":30,"sex":"F","postcode":"1100","admission":"planned","diagnosis":"flu"}` + "\n"
		r := s.pipe(line, "run")
		require.Equal(t, exitOK, r.code, r.stderr)
	}
	c := s.counts().Counts
	require.Empty(t, c.Refused)
	require.Equal(t, 6, int(c.Sent))
	require.Equal(t, 3, int(c.Beyond))
	require.Equal(t, 3, c.Pending.Total()) // 7, and the texts 7.0 and 007
	s.edit("{type: stdin}", "{type: stdin, format: csv}")
	r := s.pipe(strings.Repeat("\n", 1), "run")
	require.Equal(t, exitConfig, r.code)
	require.Contains(t, r.stderr, "schema.attributes[patient].form")
}
