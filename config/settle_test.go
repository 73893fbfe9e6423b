package config_test

import (
	"strings"
	"testing"
	"time"

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
		{"90d", "90", "subject.settle: is an integer, must be a time, number of records or end"}, {"90d", "90x",
			"is neither a time nor a number of records, nor end; write"},
		{"90d", "1h30", "is neither a time nor a number of records, nor end; write"},
		{"90d", "1d-2h", "is neither a time nor a number of records, nor end; write"},
		{"90d", "0d", "is neither a time nor a number of records, nor end; write"},
		{"90d", "-3 records", "is neither a time nor a number of records, nor end; write"},
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

// TestHistoriesAsked: people have histories where they are observed, of a number of records that is fixed, and where all that is asked and
// published is of sequences. The end of a source ends windows where it has one.
func TestHistoriesAsked(t *testing.T) {
	asked := strings.Replace(observed, "{settle: 90d, updates: apply}", "{settle: 90d, repeat: history}", 1)
	c := load(t, asked)
	require.Equal(t, config.RepeatHistory, c.Repeat)
	require.Equal(t, 2, c.MaxRecords)
	require.NotContains(t, load(t, observed).Digests(), "subject.max_records", "states without histories are as they were")
	more := load(t, strings.Replace(asked, "history", "history, max_records: 15", 1))
	require.NotEqual(t, c.Digests()["subject.max_records"], more.Digests()["subject.max_records"])
	for _, other := range []*config.Config{more, load(t, strings.Replace(asked, "90d", "30d", 1)),
		load(t, strings.Replace(asked, "{settle: 90d, repeat: history}", "{repeat: first}", 1))} {
		require.NotEqual(t, c.Digests()[config.EncodingKey], other.Digests()[config.EncodingKey], "records are not stored alike")
	}
	const file = "source: {type: file, format: json, file: {path: in.json}}"
	for _, x := range []struct{ from, to, want string }{
		{"history", "history, max_records: 1", "is not between 2 and 15"},
		{"history", "history, max_records: 16", "is not between 2 and 15"},
		{"history", "first, max_records: 2", "subject.max_records: is set, but subject.repeat is first"},
		{"settle: 90d, ", "", "subject.repeat: is history, but nobody is observed"},
		{"history", "history, updates: apply", "subject.repeat: is history, but no attribute has role record"},
		{"policy: {", "policy: {diversity: [{distinct: 2}], ", "subject.repeat: is history, but policy.diversity is of single values"},
		{"type: categorical}", "type: integer, buckets: [0, 10], values: exact}", "schema.attributes[3]: publishes exact numbers"},
		{"type: categorical}", "type: categorical, missing: open}", "schema.attributes[3]: promises nothing of a missing value"},
		{"settle: 90d", "settle: end", "subject.settle: is end, but the source goes on"},
		{`source: {type: kafka, format: debezium, kafka: {brokers: ["b:9092"], topic: in}}`, file, "subject.settle: is a time"},
	} {
		require.Contains(t, asked, x.from)
		_, said := loadText(t, strings.Replace(asked, x.from, x.to, 1))
		require.Contains(t, said, x.want)
	}
	ends := strings.Replace(strings.Replace(asked, "90d", "end", 1),
		`source: {type: kafka, format: debezium, kafka: {brokers: ["b:9092"], topic: in}}`, file, 1)
	require.True(t, load(t, ends).Settle.End)
	_, said := loadText(t, strings.Replace(ends, "path: in.json", "path: in.json, follow: true", 1))
	require.Contains(t, said, "subject.settle: is end, but the source goes on")
}

// TestDurations: each key that is a duration reads it by the same grammar, subject.settle and release.window too, which a manifest shows
// in one unit.
func TestDurations(t *testing.T) {
	for text, want := range map[string]string{"90d": "90d", "2160h": "90d", "1h30m": "90m", "10m0s": "10m", "1d12h": "36h",
		"1h0m1s": "3601s"} {
		require.Equal(t, want, load(t, strings.Replace(observed, "settle: 90d", "settle: "+text, 1)).Settle.String(), text)
	}
	for text, want := range map[string]string{"24h": "24h", "1h30m": "90m", "1d12h": "36h", "365d": "365d", "12": "12"} {
		c := load(t, strings.Replace(observed, "{dir: out}", "{dir: out, window: "+text+"}", 1))
		require.Equal(t, want, c.Release.Window.String(), text)
	}
	for text, want := range map[string]time.Duration{"1d": 24 * time.Hour, "1d12h": 36 * time.Hour, "1h30m": 90 * time.Minute} {
		c := load(t, strings.NewReplacer("{k: 10, l: 5}", "{k: 10, l: 5, max_hold: "+text+"}",
			"{dir: out}", "{dir: out, trigger: {on: interval, every: "+text+"}}").Replace(observed))
		require.Equal(t, want, c.Policy.MaxHold.Time, text)
		require.Equal(t, want, c.Release.Trigger.Interval, text)
	}
}
