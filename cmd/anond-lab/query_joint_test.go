package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestQueryOfTwoAttributes: a pair table answers for everybody exactly; conditions on quasi-identifiers, and pairs without a table, are
// estimated within bounds that hold; and three conditions may be asked at once.
func TestQueryOfTwoAttributes(t *testing.T) {
	s := publishedClinic(t)
	count := func(holds func(cells []string) bool) (n float64) {
		for _, line := range strings.Split(strings.TrimSpace(s.read("in.csv")), "\n")[1:] {
			if holds(strings.Split(line, ",")) {
				n++
			}
		}
		return n
	}
	ill := func(c []string) bool { return c[5] == "yes" }
	for _, x := range []struct {
		query string
		exact bool
		holds func(cells []string) bool
	}{
		{"count where diagnosis = d7 and hiv = yes", true, func(c []string) bool { return c[3] == "d7" && ill(c) }},
		{"count where diagnosis in {d0, d7} and hiv = no", true, func(c []string) bool { return (c[3] == "d0" || c[3] == "d7") && !ill(c) }},
		{"count where age < 40 and diagnosis = d7 and hiv = yes", false, func(c []string) bool { return c[1] < "40" && c[3] == "d7" && ill(c) }},
		{"count where hiv = yes and income < 40", false, func(c []string) bool { return ill(c) && (len(c[4]) == 1 || c[4] < "40") }},
		{"count where age >= 50 and hiv = yes and income >= 60 and diagnosis != d7", false, func(c []string) bool {
			return c[1] >= "50" && ill(c) && len(c[4]) > 1 && c[4] >= "60" && c[3] != "d7"
		}},
	} {
		a, want := askJSON(t, s.path("releases"), x.query), count(x.holds)
		require.LessOrEqual(t, a.Lower, want+1e-6, x.query)
		require.GreaterOrEqual(t, a.Upper, want-1e-6, x.query)
		require.GreaterOrEqual(t, a.Estimate, a.Lower-1e-6, x.query)
		require.LessOrEqual(t, a.Estimate, a.Upper+1e-6, x.query)
		if x.exact {
			assert.InDelta(t, want, a.Estimate, 1e-6, x.query)
		}
	}
	text := lab(t, "query", s.path("releases"), "count where diagnosis = d7 and hiv = yes").stdout
	assert.Regexp(t, `(?m)^estimate +\d+\.\d\d`, text)
}
