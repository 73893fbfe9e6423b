package config_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/incremental/settle"
)

// observed is a feed in which people settle.
const observed = `
version: 1
dataset: hospital
source: {type: kafka, format: debezium, kafka: {brokers: ["b:9092"], topic: in}}
schema:
  attributes:
    - {name: patient, role: subject}
    - {name: visit, role: drop}
    - {name: age, role: quasi, type: integer}
    - {name: diagnosis, role: sensitive, type: categorical}
subject: {settle: 90d, updates: apply}
policy: {k: 10, l: 5}
release: {dir: out}
`

// TestSettle: people are observed at level L2, with a subject and a recoding that has strata; for a time only where records have time
// stamps; and updates are applied only while people are observed. What a state was made under is kept.
func TestSettle(t *testing.T) {
	c := load(t, observed)
	require.Equal(t, settle.Rule{For: 90 * 24 * 3600 * 1000}, c.Settle)
	require.Equal(t, config.ApplyUpdates, c.Updates)
	require.Contains(t, c.Digests(), "subject.settle")
	require.Contains(t, c.Digests(), "subject.updates")
	plain := load(t, strings.Replace(observed, "{settle: 90d, updates: apply}", "{repeat: first}", 1))
	require.NotContains(t, plain.Digests(), "subject.settle", "states that do not settle are as they were")
	require.NotEqual(t, c.Digests()["subject.settle"], load(t, strings.Replace(observed, "90d", "1000 records",
		1)).Digests()["subject.settle"])
	const keyed = "    - {name: visit, role: record}\n"
	for _, x := range []struct{ from, to, want string }{
		{"settle: 90d", "settle: 1000 records", ""},
		{"role: drop", "role: record", ""},
		{"source: {type: kafka, format: debezium,", "source: {type: kafka, format: debezium-flat,", ""},
		{"90d", "90", "subject.settle: is an integer, must be a time or number of records"}, {"90d", "90x",
			"is neither a time nor a number of records; write"},
		{"90d", "0d", "is neither a time nor a number of records; write"},
		{"90d", "-3 records", "is neither a time nor a number of records; write"},
		{"90d", "99999999999d", "is too long; write"},
		{"policy: {", "policy: {level: L1, ", "subject.settle: belongs to level L2, but policy.level is L1"},
		{"    - {name: patient, role: subject}\n", "", "subject.settle: needs to know whose a message is, but no attribute has role subject"},
		{"{dir: out}", "{dir: out, recoding: anatomy}", "subject.settle: belongs to recoding buckets, but release.recoding is anatomy"},
		{`source: {type: kafka, format: debezium, kafka: {brokers: ["b:9092"], topic: in}}`,
			"source: {type: file, format: debezium, file: {path: in.json}}",
			"subject.settle: is a time, but records of source.type file have no time stamp"},
		{"policy: {", "initial: {source: {type: postgres, url: \"postgres://db\", query: select 1, order_by: id}}\npolicy: {",
			"subject.settle: is a time, but the rows of initial.source have no time stamp"},
		{"settle: 90d, ", "", "subject.updates: is apply, but nobody is observed"},
		{"format: debezium,", "format: json,",
			"subject.updates: is apply, but source.format json has no updates, and no attribute has role record"},
		{"    - {name: visit, role: drop}\n", keyed + keyed, "schema.attributes[2]"},
	} {
		require.Contains(t, observed, x.from)
		_, said := loadText(t, strings.Replace(observed, x.from, x.to, 1))
		if x.want == "" {
			require.NotContains(t, said, "subject.")
			continue
		}
		require.Contains(t, said, x.want)
	}
	_, said := loadText(t, strings.Replace(strings.Replace(observed, "role: drop", "role: record", 1), ", updates: apply", "", 1))
	require.Contains(t, said, "is record, but subject.updates is refuse")
	_, said = loadText(t, strings.Replace(strings.Replace(observed, "role: drop", "role: record", 1), "format: debezium,", "format: json,", 1))
	require.NotContains(t, said, "subject.")
}

// loadText loads a file, and returns what is wrong with it or said of it.
func loadText(t *testing.T, content string) (*config.Config, string) {
	t.Helper()
	c, warnings, err := config.Load("anond.yaml", lookup(nil), func(string) ([]byte, error) { return []byte(content), nil })
	var said []string
	for _, w := range warnings {
		said = append(said, w.Key+": "+w.Reason)
	}
	if err != nil {
		said = append(said, err.Error())
	}
	return c, strings.Join(said, "\n")
}
