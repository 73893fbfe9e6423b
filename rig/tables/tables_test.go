package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/internal/testkit/programtest"
)

// TestTheWayOfReadme takes a table of testdata, and all small inputs, from the file to a certified release; the tables of
// packages are for make trial-tables. A configuration without what an edit replaces is noticed.
func TestTheWayOfReadme(t *testing.T) {
	tier.Heavy(t, "it runs the program a hundred times")
	program, err := programtest.Build(t.TempDir())
	require.NoError(t, err)
	var out strings.Builder
	x := trial{program: program, dir: t.TempDir(), out: &out}
	require.NoError(t, x.cases())
	assert.Empty(t, x.failed)
	data, there := x.data(table{name: "acs-national2019"})
	require.True(t, there)
	w := x.walk(table{name: "acs-national2019", k: 10, l: 5}, data)
	assert.Equal(t, "certified", w.verdict)
	w = x.walk(table{name: "acs-national2019", k: 10, l: 5, edits: []edit{{"role: nobody", ""}}, flags: []string{"--force"}}, data)
	assert.Contains(t, w.verdict, "0 times")
}
