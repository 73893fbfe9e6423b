package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/internal/testkit/programtest"
)

const promisesConfig = `version: 1
dataset: clinic
source: {type: file, format: csv, file: {path: in.csv}}
schema:
  attributes:
    - {name: patient, role: subject}
    - {name: age, role: quasi, type: integer}
    - {name: postcode, role: quasi, type: categorical}
    - {name: diagnosis, role: sensitive, type: categorical, promise: {l: 3}}
    - {name: income, role: sensitive, type: integer, buckets: [0, 20, 40, 60, 80], values: exact, promise: {l: 2}}
    - {name: ward, role: sensitive, type: categorical, promise: {l: 2}}
    - {name: hiv, role: sensitive, type: categorical, promise: {gain: 2, at_most: {"yes": 0.5}}}
policy: {k: 5}
initial: {min_pool: 300}
release: {dir: ./releases, tables: [[hiv, diagnosis], [income, diagnosis], [diagnosis, ward]]}
`

// TestPromisesFromTheFileToTheAudit: a yes/no attribute, which no l allows, and another one are published together; the check of the
// configuration, the audit with a replay and the doctor say what is promised, and name no l where there is none.
func TestPromisesFromTheFileToTheAudit(t *testing.T) {
	s := &site{t: t, dir: programtest.TempDir(t)}
	s.config = s.path("anond.yaml")
	s.write("anond.yaml", promisesConfig)
	rng, rows := rand.New(rand.NewPCG(1, 1)), strings.Builder{}
	rows.WriteString("patient,age,postcode,diagnosis,income,ward,hiv\n")
	for i := range 600 {
		d := rng.IntN(8)
		hiv := []string{"no", "no", "no", "yes"}[rng.IntN(4)]
		fmt.Fprintf(&rows, "p%d,%d,%d,d%d,%d,w%d,%s\n", i, 18+rng.IntN(60), 8000+rng.IntN(9), d, rng.IntN(100), d/2, hiv)
	}
	s.write("in.csv", rows.String())

	checked := s.must("config check", "--data", s.path("in.csv"))
	assert.Contains(t, checked, "k 5, 4 promises by attribute, level L2")
	assert.Contains(t, checked, `"hiv" has 2 different values`)
	log := s.run("run").stderr
	assert.Contains(t, log, `"promises":4`, "the event started")
	assert.NotContains(t, log, `"l":0`)
	assert.NotContains(t, s.must("audit --json"), `"l": 0`)
	assert.Regexp(t, `next pool.*(asks most|of "(diagnosis|hiv)")`, s.must("status"))
	assert.Contains(t, s.read("releases/000001/part-000001/values.csv"), ",hiv,yes,")
	for name, text := range map[string]string{
		"audit":  s.must("audit --replay 1 --require-certified"),
		"doctor": s.run("doctor", "--data", s.path("in.csv")).stdout,
	} {
		for _, none := range []string{"1/0", "Inf", "fewer than 0", "l 0", "l = 0", "l = 1"} {
			assert.NotContains(t, text, none, name)
		}
	}
	audited := s.must("audit")
	require.Contains(t, audited, "what one's own value of a sensitive attribute tells about another one")
	require.Contains(t, audited, "To who knows their value of diagnosis, the pair tables make ward certain for 600 of 600 people, "+
		"and above .8 for 600. That is not promised against.")
	require.Contains(t, audited, "To who knows their value of ward, the pair tables make diagnosis certain for 0 of 600 people, "+
		"and above .8 for 0.")
	report := s.must("release report")
	assert.Contains(t, s.must("release report --with-state --replay 0"), "is about diagnosis alone", "attackers look for the first attribute")
	assert.Contains(t, report, "The most frequent value of diagnosis in the")
	_, incomes, _ := strings.Cut(report, "largest share of a value of income in the person")
	incomes, _, _ = strings.Cut(incomes, "</table>")
	assert.NotRegexp(t, "above (0|5|10|15) to", incomes,
		"of five intervals, of which is promised, one has a fifth of any bucket; of exact numbers none need")
	assert.Contains(t, incomes, "above ")
	assert.Contains(t, report, "what is promised of its attribute")
	assert.Contains(t, report, "<td>hiv</td><td>no odds above 2 times those that the table of its pool shows; "+
		"and of &#34;yes&#34; none above 1/2</td>")
	for _, none := range []string{"1/0", "+Inf", "<th>policy.l</th>"} {
		assert.False(t, strings.Contains(report, none), none)
	}
	require.Contains(t, audited, "diagnosis: no probability above 1/3")
	require.Contains(t, audited, "hiv: no odds above 2 times those that the table of its pool shows; "+
		"and of \"yes\" none above 1/2")
	const largest = " the largest share of one value in a bucket is "
	require.Regexp(t, "Of diagnosis"+largest+`0\.3\d+ \(l = 3\)\. The value that may have most may have 0\.3333\.`, audited)
	require.Regexp(t, "Of hiv"+largest+`[01]\.\d+(, and the odds of a value are at most [12]\.?\d* times those of its reference)?\.`, audited)
	type row struct{ Attribute, Promise, Cap string }
	var asked struct{ Attributes []row }
	require.NoError(t, json.Unmarshal([]byte(s.must("audit --json")), &asked))
	require.Equal(t, []string{"diagnosis", "income", "ward", "hiv"}, []string{asked.Attributes[0].Attribute, asked.Attributes[1].Attribute,
		asked.Attributes[2].Attribute, asked.Attributes[3].Attribute})
	require.Equal(t, row{"diagnosis", "no probability above 1/3", "1/3"}, asked.Attributes[0])
}
