package views_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestStrangersAcceptViews: clients/python/anond/check.py, which a recipient runs over a view alone, finds nothing in one that began
// later, shows exact numbers and nothing else, or is of people who settle; nor does the auditor.
func TestStrangersAcceptViews(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		fmt.Fprintln(os.Stderr, "WARNING: the check of clients/python over views WAS NOT TESTED: there is no python3")
		t.Skip("there is no python3")
	}
	acceptedByStrangers(t, "repeat: first", "window: 8\n  keep: {releases: 6}")
	acceptedByStrangers(t, "settle: 40 records", "keep: {releases: 6}")
}

func acceptedByStrangers(t *testing.T, subject, release string) {
	s := newSite(t, subject, release)
	s.replace("    - {name: weight, role: quasi, type: decimal, digits: 1, steps: [5, 10]}\n",
		"    - {name: weight, role: sensitive, type: decimal, digits: 1, values: exact, buckets: [0, 60, 70, 80, 90, 100, 200]}\n")
	s.replace(", illness, weight], cells: {age: 10, weight: 20}", ", illness], cells: {age: 10}")
	s.replace("    - {name: pharma,", "    - {name: scales, columns: [age, weight]}\n    - {name: pharma,")
	for n := 0; n < 40 && s.newestOr0() < 13; n++ {
		require.NoError(t, s.run(60))
	}
	s.replace("    - {name: scales,", "    - {name: late, columns: [zip, drug]}\n    - {name: scales,")
	for n := 0; n < 40 && s.newest("releases").Release < 15; n++ {
		require.NoError(t, s.run(120))
	}
	require.Greater(t, s.newest("releases-late").View.First, uint32(1))
	require.Len(t, s.opened(), 4)
	require.Empty(t, s.audit().Violations)
	dirs, err := filepath.Glob(s.path("releases*"))
	require.NoError(t, err)
	for _, dir := range dirs {
		out, err := exec.Command("python3", filepath.Join("..", "..", "clients", "python", "anond", "check.py"), dir, "--k", "3").CombinedOutput()
		assert.NoError(t, err, "%s: %s", filepath.Base(dir), out)
	}
}
