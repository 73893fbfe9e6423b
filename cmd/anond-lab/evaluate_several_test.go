package main

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/internal/cli"
	"anond/internal/daemon"
	"anond/internal/dataset"
	"anond/internal/testkit/programtest"
)

// publishedClinic is a site whose people have a diagnosis, the income and an answer that goes with the diagnosis, and a release of them.
func publishedClinic(t *testing.T) *site {
	s := &site{t: t, dir: programtest.TempDir(t)}
	s.config = s.path("anond.yaml")
	s.write("anond.yaml", `version: 1
dataset: clinic
source: {type: file, format: csv, file: {path: in.csv}}
schema:
  attributes:
    - {name: patient, role: subject}
    - {name: age, role: quasi, type: integer}
    - {name: postcode, role: quasi, type: categorical}
    - {name: diagnosis, role: sensitive, type: categorical, promise: {l: 3}}
    - {name: income, role: sensitive, type: integer, buckets: [0, 20, 40, 60, 80], values: exact, promise: {l: 2}}
    - {name: hiv, role: sensitive, type: categorical, promise: {gain: 2, at_most: {"yes": 0.6}}}
policy: {k: 5}
initial: {min_pool: 300}
release: {dir: ./releases, tables: [[diagnosis, hiv]]}
`)
	rng, rows := rand.New(rand.NewPCG(1, 1)), strings.Builder{}
	rows.WriteString("patient,age,postcode,diagnosis,income,hiv\n")
	for i := range 600 {
		d := rng.IntN(8)
		hiv := []string{"no", "yes"}[min(1, (d+rng.IntN(3))/6)]
		fmt.Fprintf(&rows, "p%d,%d,%d,d%d,%d,%s\n", i, 18+rng.IntN(60), 8000+rng.IntN(9), d, rng.IntN(100), hiv)
	}
	s.write("in.csv", rows.String())
	cfg, _, err := config.Load(s.config, os.LookupEnv, os.ReadFile)
	require.NoError(t, err)
	require.NoError(t, daemon.Run(t.Context(), cfg, dataset.Options{Log: slog.New(slog.DiscardHandler), Once: true}))
	return s
}

// TestEvaluateReportsEachAttribute: what is reached, and how queries are answered, for each sensitive attribute, and for the pair that
// has tables next to what they add.
func TestEvaluateReportsEachAttribute(t *testing.T) {
	s := publishedClinic(t)
	e := evaluation(t, s.path("releases"), "--original", s.path("in.csv"))
	require.Len(t, e.Attributes, 3)
	for i, name := range []string{"diagnosis", "income", "hiv"} {
		a := e.Attributes[i]
		assert.Equal(t, name, a.Name)
		assert.Equal(t, 1000, a.Error.Asked+a.Error.Empty)
		assert.Equal(t, a.Error.Asked, a.Error.Inside, "bounds hold")
		assert.Positive(t, a.Error.Mean)
	}
	assert.LessOrEqual(t, e.Attributes[0].Achieved.MaxFrequency, 1./3)
	assert.Greater(t, e.Attributes[2].Achieved.MaxFrequency, 1./3)
	require.Len(t, e.Pairs, 1)
	p := e.Pairs[0]
	assert.Equal(t, []string{"diagnosis", "hiv"}, p.Attributes)
	assert.Equal(t, p.Error.Asked, p.Error.Inside)
	assert.Less(t, p.Error.Median, p.Without.Median)

	text := lab(t, "evaluate", s.path("releases"), "--original", s.path("in.csv")).stdout
	for _, line := range []string{"\n\"diagnosis\":\n", "\n\"income\":\n", "\n\"hiv\":\n", "\n\"diagnosis\" and \"hiv\", ",
		"asked for: k = 5\n"} {
		assert.Contains(t, text, line)
	}
}

// TestQueryMeans: of exact numbers, with a condition on another sensitive attribute, by the model, and of nobody.
func TestQueryMeans(t *testing.T) {
	s := publishedClinic(t)
	truth := func(holds func(cells []string) bool, column int) float64 {
		sum, n := 0.0, 0.0
		for _, line := range strings.Split(strings.TrimSpace(s.read("in.csv")), "\n")[1:] {
			if cells := strings.Split(line, ","); holds(cells) {
				var v float64
				_, err := fmt.Sscan(cells[column], &v)
				require.NoError(t, err)
				sum, n = sum+v, n+1
			}
		}
		return sum / n
	}
	all := func([]string) bool { return true }
	a := askJSON(t, s.path("releases"), "mean(income)")
	assert.InDelta(t, truth(all, 4), a.Estimate, 1e-9)
	assert.InDelta(t, a.Lower, a.Upper, 1e-9, "bags are exact")
	ill := func(cells []string) bool { return cells[5] == "yes" }
	for query, want := range map[string]float64{"mean(income) where hiv = yes": truth(ill, 4), "mean(age) where hiv = yes": truth(ill, 1),
		"mean(income) where age < 40 and hiv = yes and diagnosis != d0": truth(func(c []string) bool {
			return c[1] < "40" && ill(c) && c[3] != "d0"
		}, 4)} {
		a := askJSON(t, s.path("releases"), query)
		assert.LessOrEqual(t, a.Lower, want, query)
		assert.GreaterOrEqual(t, a.Upper, want, query)
		assert.InDelta(t, want, a.Estimate, 20, query)
	}
	assert.Regexp(t, `(?m)^95 % +`, lab(t, "query", s.path("releases"), "mean(income) where age < 40").stdout)
	assert.Equal(t, result{cli.Misused, "", "error: nobody in the release can match, so there is no mean\nhint: ask for the count first\n"},
		lab(t, "query", s.path("releases"), "mean(income) where age > 200"))
}
