package crashtest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestQueryForWhatNoReleaseShows: a category that does not occur is 0 with its
// bounds, in every recoding; a misspelt attribute is an error.
func TestQueryForWhatNoReleaseShows(t *testing.T) {
	chosen.Demand(t)
	for _, recoding := range []string{"generalization", "anatomy", "permutation"} {
		t.Run(recoding, func(t *testing.T) {
			s := newSite(t, streetsOf(recoding))
			s.write("city.csv", "c1;north;*\nc2;north;*\nc3;north;*\nc9;south;*\n")
			s.write("in.csv", "id,age,city,street,ill\np1,30,c1,a,d1\np2,31,c2,b,d2\np3,32,c1,c,d3\n")
			r := s.run("", "run", "--once")
			require.Equal(t, 0, r.code, r.stderr)
			exact := recoding != "generalization"

			answer, log := s.ask("count where ill = d9")
			assert.Equal(t, []float64{0, 0, 0}, answer)
			assert.Contains(t, log, `warning: value 1 of the condition on "ill" does not occur in the release`)
			answer, _ = s.ask("count where ill != d9")
			assert.Equal(t, []float64{3, 3, 3}, answer)
			answer, _ = s.ask("count where ill in {d1, d9}")
			assert.Equal(t, []float64{1, 1, 1}, answer)
			answer, log = s.ask("count where street = z")
			assert.Equal(t, []float64{0, 0, 0}, answer, "a cell {a|b|c} names all that it can be")
			assert.Contains(t, log, "warning:")
			answer, log = s.ask("count where city = c4")
			assert.Equal(t, []float64{0, 0, 0}, answer, "in no hierarchy, so in no record")
			assert.Contains(t, log, "warning:")

			answer, log = s.ask("count where city = c3")
			if want := []float64{1, 0, 3}; exact {
				assert.Equal(t, []float64{0, 0, 0}, answer)
			} else {
				assert.Equal(t, want, answer, "did not occur, yet the cell north may hold it")
			}
			assert.Empty(t, log)
			answer, log = s.ask("count where city = c9")
			assert.Equal(t, []float64{0, 0, 0}, answer, "no cell covers it")
			assert.Empty(t, log)
			for _, wrong := range []string{"count where il = d1", "sum(agee)", `count where ill = "{d1|d2}"`} {
				assert.Equal(t, 2, s.lab("query", "releases", wrong).code, wrong)
			}
		})
	}
}

// ask returns estimate and bounds of a query, and what it wrote to standard error.
func (s *site) ask(query string) ([]float64, string) {
	s.t.Helper()
	r := s.lab("query", "releases", query, "--json")
	require.Equal(s.t, 0, r.code, query+"\n"+r.stderr)
	var a struct{ Estimate, Lower, Upper float64 }
	require.NoError(s.t, json.Unmarshal([]byte(r.stdout), &a))
	return []float64{a.Estimate, a.Lower, a.Upper}, r.stderr
}

// streetsOf is clinic with a hierarchy of cities and streets without one.
func streetsOf(recoding string) string {
	c := clinic("{type: file, format: csv, file: {path: in.csv}}")
	c = strings.Replace(c, "{name: city, role: quasi, type: categorical}",
		"{name: city, role: quasi, type: categorical, hierarchy: city.csv}\n    - {name: street, role: quasi, type: categorical}", 1)
	return strings.Replace(c, "release: {", "release: {recoding: "+recoding+", ", 1)
}
