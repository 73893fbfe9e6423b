package main

import (
	"testing"

	"anond/snapshot/publish/publishtest"
)

// TestReleaseCatOfEras: one table has the columns of the newest era, then those that only an earlier one has; a part that does not have a
// column says so.
func TestReleaseCatOfEras(t *testing.T) {
	dir := t.TempDir()
	publishtest.NewEras(t, 3).Publish(t, dir)
	for name, args := range map[string][]string{
		"data.csv": nil, "data.ndjson": {"--json"}, "values.csv": {"--file", "values.csv"}, "tables.csv": {"--file", "tables.csv"},
		"long.csv": {"--long"},
	} {
		r := anond(t, append([]string{"release", "cat", "--dir", dir}, args...)...)
		if r.code != 0 {
			t.Fatal(r.stderr)
		}
		recordedText(t, "eras-"+name, r.stdout)
	}
}
