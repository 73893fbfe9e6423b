package main

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/internal/cli"
	"anond/snapshot/publish/publishtest"
)

// TestQueriesOverErasHoldTheTruth: bounds hold the answer of the records, also where parts do not have a column that is asked for, or
// have it under another hierarchy; there a column that is not there excludes nobody.
func TestQueriesOverErasHoldTheTruth(t *testing.T) {
	dir := t.TempDir()
	e := publishtest.NewEras(t, 4)
	e.Publish(t, dir)
	former := len(e.Input.Classes[0].Members) * 8 // people of the first era
	number := func(text string) float64 { v, err := strconv.ParseFloat(text, 64); require.NoError(t, err); return v }
	for text, matches := range map[string]func(r []string) bool{
		"count":                                       func([]string) bool { return true },
		"count where age < 50 and illness = flu":      func(r []string) bool { return number(r[0]) < 50 && r[4] == "flu" },
		"count where drug = A":                        func(r []string) bool { return r[5] == "A" },
		"count where drug != A and age >= 30":         func(r []string) bool { return r[5] != "A" && number(r[0]) >= 30 },
		"count where ward = ward-e":                   func(r []string) bool { return r[2] == "ward-e" },
		"count where ward = ward-e and income < 1200": func(r []string) bool { return r[2] == "ward-e" && number(r[3]) < 1200 },
		"count where postcode = 101* and illness = cold": func(r []string) bool {
			return (r[1] == "1011" || r[1] == "1012") && r[4] == "cold"
		},
		"count where postcode not in {101*}":                  func(r []string) bool { return r[1] != "1011" && r[1] != "1012" },
		"count where drug in {A,B} and illness in {flu,cold}": func(r []string) bool { return r[5] != "C" && (r[4] == "flu" || r[4] == "cold") },
	} {
		want := 0.
		for _, r := range e.Records {
			if matches(r) {
				want++
			}
		}
		for _, flags := range [][]string{nil, {"--shares"}} {
			r := lab(t, append([]string{"query", dir, text, "--json"}, flags...)...)
			require.Equal(t, 0, r.code, "%s: %s", text, r.stderr)
			var a answer
			require.NoError(t, json.Unmarshal([]byte(r.stdout), &a))
			assert.LessOrEqual(t, *a.Lower, want, text)
			assert.GreaterOrEqual(t, *a.Upper, want, text)
			if a.Estimate != nil {
				assert.LessOrEqual(t, *a.Lower, *a.Estimate, text)
				assert.GreaterOrEqual(t, *a.Upper, *a.Estimate, text)
			}
			if text == "count where drug = A" {
				assert.GreaterOrEqual(t, *a.Upper, float64(former), "anybody of the first era may have it")
			}
		}
	}
	var a answer
	r := lab(t, "query", dir, "mean(age) where illness = flu", "--json")
	require.Equal(t, 0, r.code, r.stderr)
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &a))
	sum, n := 0., 0.
	for _, r := range e.Records {
		if r[4] == "flu" {
			sum, n = sum+number(r[0]), n+1
		}
	}
	assert.LessOrEqual(t, *a.Lower, sum/n)
	assert.GreaterOrEqual(t, *a.Upper, sum/n)
	r = lab(t, "query", dir, "sum(age)", "--json")
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &a))
	for _, refused := range [][]string{{"sum(income)"}, {"mean(age) where drug = A"}, {"count", "--by", "illness"},
		{"count where nothing = 1"}} {
		assert.Equal(t, cli.Misused, lab(t, append([]string{"query", dir}, refused...)...).code, refused)
	}
}
