package config_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
)

// TestDeletesThatCannotForget: deletes of the source are off by default, and not to be had under settings
// under which a state cannot forget published people.
func TestDeletesThatCannotForget(t *testing.T) {
	c, said := loadChanged(t, "subject: {repeat: first}", "subject: {}")
	require.Equal(t, config.RefuseDeletes, c.Deletes)
	require.Empty(t, said)
	const subject, rest = "subject: {repeat: first}\n", "policy: {level: L1, k: 10, l: 5}\ninitial: {max_records: 0}\n"
	const others = "    - {name: age, role: quasi, type: integer}\n    - {name: city, role: quasi, type: categorical}\n" +
		"    - {name: diagnosis, role: sensitive, type: categorical}\n"
	for _, x := range []struct{ from, to, want string }{
		{subject, "subject: {deletes: forget}\n", ""},
		{subject + rest + "release: {dir: out}", "subject: {deletes: forget}\n" + rest + "release: {dir: out, recoding: permutation}",
			"subject.deletes: is forget, but release.recoding permutation shows quasi-identifiers exactly, so published people cannot be forgotten"},
		{"    - {name: patient, role: subject}\n" + others + subject, others + "subject: {deletes: forget}\n",
			"subject.deletes: is forget, but no attribute has role subject"},
		{"source: {type: kafka, kafka: {brokers: [b:9092], topic: in}}\ndead_letter: {path: letters}\nschema:",
			"source: {type: file, format: debezium, file: {path: in.json}}\ndead_letter: {path: letters}\nschema:", ""},
		{subject, "subject: {deletes: forget, key: " + strings.Repeat("0123456789abcdef", 4) + "}\nshard: {index: 0, of: 2, key: digest}\n",
			"subject.deletes: is forget, but shard.key is digest, and a topic of anond repartition does not say whom a delete names"},
	} {
		_, said := loadChanged(t, x.from, x.to)
		if x.want == "" {
			require.Empty(t, said)
			continue
		}
		require.Contains(t, said, x.want)
	}
}

const digested = `
version: 1
dataset: hospital
source: {type: stdin}
schema:
  attributes:
    - {name: patient, role: subject}
    - {name: age, role: quasi, type: integer}
    - {name: postcode, role: quasi, hierarchy: testdata/postcode.csv}
    - {name: diagnosis, role: sensitive, type: categorical}
policy: {level: L1, k: 10, l: 5}
release: {dir: out}
`

func load(t *testing.T, content string) *config.Config {
	t.Helper()
	c, _, err := config.Load("anond.yaml", lookup(nil), func(name string) ([]byte, error) {
		if name == "anond.yaml" {
			return []byte(content), nil
		}
		return os.ReadFile(name)
	})
	require.NoError(t, err)
	return c
}

// TestDigestsNameWhatChanged: each change of what is fixed under a state is
// named by its key, and nothing else is.
func TestDigestsNameWhatChanged(t *testing.T) {
	before := load(t, digested).Digests()
	for _, c := range []struct {
		name, from, to string
		want           []string
	}{
		{"nothing", "", "", nil},
		{"default written out", "l: 5", "l: 5, threshold: 9, max_hold: 15m, similar: 8", nil},
		{"same time in other words", "l: 5", "l: 5, max_hold: 900s", nil},
		{"source, log and trigger may change", "source: {type: stdin}", "source: {type: file, file: {path: in.csv}}\nlog: {level: debug}", nil},
		{"dataset", "hospital", "clinic", []string{"dataset"}},
		{"k and what follows from it", "k: 10", "k: 12", []string{"policy.k", "policy.threshold"}},
		{"l", "l: 5", "l: 4", []string{"policy.l"}},
		{"diversity", "l: 5", "l: 5, diversity: [{entropy: 5.5}]", []string{"policy.diversity"}},
		{"mode", "l: 5", "l: 5, republication: append", []string{"policy.republication"}},
		{"steps", "type: integer}", "type: integer, steps: [5]}", []string{"schema.attributes[age]"}},
		{"type", "type: integer}", "type: decimal}", []string{"schema.attributes[age]"}},
		{"hierarchy gone", "hierarchy: testdata/postcode.csv", "type: categorical",
			[]string{"schema.attributes[postcode]", "schema.attributes[postcode].hierarchy"}},
		{"name", "name: age", "name: years", []string{"schema.attributes", "schema.attributes[age]", "schema.attributes[years]"}},
		{"form of the subject", "{type: stdin}", "{type: stdin, format: csv}", []string{"schema.attributes[patient].form"}},
		{"format of the same form", "{type: stdin}", "{type: stdin, format: debezium}", nil},
		{"missing", "policy:", "  missing: value\npolicy:", []string{"schema.attributes[postcode].hierarchy",
			"schema.missing"}},
		{"recoding", "dir: out", "dir: out, recoding: anatomy", []string{"release.recoding"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Contains(t, digested, c.from)
			after := load(t, strings.Replace(digested, c.from, c.to, 1)).Digests()
			assert.Equal(t, c.want, changed(before, after))
			assert.Equal(t, c.want, changed(after, before))
		})
	}
}

// TestDigestOfHierarchyIsOfItsContent: the file may move, but not change.
func TestDigestOfHierarchyIsOfItsContent(t *testing.T) {
	const key = "schema.attributes[postcode].hierarchy"
	read := func(path, content string) map[string][32]byte {
		yaml := strings.Replace(digested, "testdata/postcode.csv", path, 1)
		c, _, err := config.Load("anond.yaml", lookup(nil), func(name string) ([]byte, error) {
			return []byte(map[string]string{"anond.yaml": yaml, path: content}[name]), nil
		})
		require.NoError(t, err)
		return c.Digests()
	}
	before := read("a.csv", "1;*\n2;*\n")
	assert.Empty(t, changed(before, read("b.csv", "1;*\n2;*\n")))
	assert.Equal(t, []string{key}, changed(before, read("a.csv", "1;*\n3;*\n")))
}

// TestSettingsTellTheLine: what the file sets names its line, a default none.
func TestSettingsTellTheLine(t *testing.T) {
	settings, err := load(t, digested).Settings()
	require.NoError(t, err)
	found := map[string]config.Setting{}
	for _, s := range settings {
		found[s.Key] = s
	}
	assert.Equal(t, config.Setting{Key: "policy.k", Value: "10", Line: 11}, found["policy.k"])
	assert.Equal(t, config.Setting{Key: "policy.similar", Value: "8"}, found["policy.similar"])
	for _, k := range config.Reference() {
		if !strings.Contains(k.Key, "[]") {
			assert.Contains(t, found, k.Key)
		}
	}
}

// TestHierarchyKeys: the keys of hierarchy files lead to their attributes.
func TestHierarchyKeys(t *testing.T) {
	c := load(t, digested)
	keys := c.HierarchyKeys()
	require.Len(t, keys, 1)
	for key, at := range keys {
		assert.Contains(t, c.Digests(), key)
		assert.Equal(t, "postcode", c.Schema().Attributes()[at].Name)
	}
}

// TestEncodingDigest: what decides how records are stored, and only that.
func TestEncodingDigest(t *testing.T) {
	before := load(t, digested).Digests()[config.EncodingKey]
	for change, binds := range map[[2]string]bool{
		{"l: 5", "l: 4"}: false,
		{"type: integer}", "type: integer, steps: [5]}"}:          false,
		{"type: integer}", "type: integer, weight: 0.5}"}:         false,
		{"dir: out", "dir: out, recoding: anatomy"}:               false,
		{"type: integer}", "type: decimal}"}:                      true,
		{"name: age", "name: years"}:                              true,
		{"role: subject", "role: identifier"}:                     true,
		{"policy:", "  missing: value\npolicy:"}:                  true,
		{"hierarchy: testdata/postcode.csv", "type: categorical"}: true,
	} {
		after := load(t, strings.Replace(digested, change[0], change[1], 1)).Digests()[config.EncodingKey]
		assert.Equal(t, binds, before != after, change[1])
	}
}

// changed names the keys in which two sets of digests differ, sorted, as a start
// would refuse them. EncodingKey restates others and is not named.
func changed(before, now map[string][32]byte) []string {
	keys := map[string]bool{}
	for _, from := range []map[string][32]byte{before, now} {
		for k := range from {
			was, had := before[k]
			is, has := now[k]
			if k != config.EncodingKey && (had != has || was != is) {
				keys[k] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

// TestWhatAcceptsValuesIsFixed: what decides which sensitive values are accepted, or which messages can be read, binds the
// state from its first record on; where nobody knows whose records were refused, so does what tells one message from another.
// Every key of an attribute is named here: one that is new has to be placed.
func TestWhatAcceptsValuesIsFixed(t *testing.T) {
	nobody := strings.Replace(digested, "role: subject", "role: drop", 1)
	csv := strings.NewReplacer("{type: stdin}", "{type: stdin, format: csv}")
	decimal := strings.Replace(digested, "sensitive, type: categorical", "sensitive, type: decimal, buckets: [0, 1, 2, 3, 4]", 1)
	bound := func(content, from, to string) bool {
		require.Contains(t, content, from)
		before, after := load(t, content).Digests(), load(t, strings.Replace(content, from, to, 1)).Digests()
		keys := changed(before, after)
		require.Equal(t, len(keys) > 0, before[config.EncodingKey] != after[config.EncodingKey], "%v", keys)
		return len(keys) > 0
	}
	for _, c := range []struct {
		content, from, to string
		want              bool
	}{
		{digested, "type: stdin}", "type: stdin, max_record_bytes: 2MiB}", true},
		{digested, "type: stdin}", "type: stdin, max_record_bytes: 1MiB}", false},
		{csv.Replace(digested), "format: csv}", "format: csv, csv: {multiline: true}}", true},
		{csv.Replace(digested), "format: csv}", "format: csv, csv: {delimiter: tab}}", true},
		{csv.Replace(digested), "format: csv}", "format: csv, csv: {encoding: windows-1252}}", true},
		{csv.Replace(digested), "format: csv}", "format: csv, csv: {decimal: \",\"}}", true},
		{csv.Replace(digested), "format: csv}", "format: csv, csv: {delimiter: \",\", decimal: \".\", encoding: utf-8}}", false},
		{digested, "name: age, role: quasi, type: integer", "name: age, role: quasi, type: date, format: datetime", true},
		{digested, "name: diagnosis", "name: diagnosis, max_length: 2KiB", true},
		{digested, "name: diagnosis", "name: diagnosis, max_length: 1KiB", false},
		{digested, "name: diagnosis", "name: diagnosis, text: exact", true},
		{digested, "name: diagnosis", "name: diagnosis, aliases: fold", true},
		{digested, "name: diagnosis", "name: diagnosis, missing_values: [none]", true},
		{decimal, "buckets: [0, 1, 2, 3, 4]", "buckets: [0, 1, 2, 3, 4], range: [0, 9]", true},
		{decimal, "buckets: [0, 1, 2, 3, 4]", "buckets: [0, 1, 2, 3, 4], values: exact", true},
		{digested, "name: diagnosis", "name: diagnosis, missing: value", true},
		{digested, "name: postcode", "name: postcode, max_length: 2KiB", false},
		{digested, "type: stdin}", "type: stdin, format: debezium}", false},
		{nobody, "type: stdin}", "type: stdin, format: debezium}", true},
		{digested, "name: diagnosis", "name: diagnosis, path: /icd", false},
		{nobody, "name: diagnosis", "name: diagnosis, path: /icd", true},
		{digested, "type: stdin}", "type: stdin, max_records_per_second: 5}", false},
		{decimal, "buckets: [0, 1, 2, 3, 4]", "buckets: [0, 1, 2, 3, 4], digits: 2", true},
	} {
		assert.Equal(t, c.want, bound(c.content, c.from, c.to), c.to)
	}
	placed := []string{"name", "role", "type", "path", "hierarchy", "steps", "buckets", "flag", "text", "max_length", "digits",
		"aliases", "range", "missing_values", "values", "missing", "format", "precision", "weight"}
	for _, k := range config.Reference() {
		if rest, found := strings.CutPrefix(k.Key, "schema.attributes[]."); found && !strings.HasPrefix(rest, "promise.") {
			assert.Contains(t, placed, rest, "does it decide which sensitive values are accepted?")
		}
	}
}

// TestWindowsThatCannotBe: whole parts leave at level L2 in buckets alone, and where people are known.
func TestWindowsThatCannotBe(t *testing.T) {
	const policy, release = "policy: {level: L1, k: 10, l: 5}\ninitial: {max_records: 0}\n", "release: {dir: out"
	const subject, repeat = "    - {name: patient, role: subject}\n", "subject: {repeat: first}\n"
	const others = "    - {name: age, role: quasi, type: integer}\n    - {name: city, role: quasi, type: categorical}\n" +
		"    - {name: diagnosis, role: sensitive, type: categorical}\n"
	for _, x := range []struct{ from, to, want string }{
		{policy + release, "policy: {k: 10, l: 5}\n" + release + ", window: 12", ""},
		{policy + release, "policy: {k: 10, l: 5}\n" + release + ", window: 365d", ""},
		{policy + release, policy + release + ", window: 12", "release.window: belongs to level L2, but policy.level is L1"},
		{policy + release, "policy: {k: 10, l: 5}\n" + release + ", window: 12, recoding: anatomy",
			"release.window: belongs to recoding buckets, but release.recoding is anatomy"},
		{policy + release, "policy: {k: 10, l: 5}\n" + release + ", window: 12, recoding: permutation",
			"release.window: belongs to recoding buckets, but release.recoding is permutation"},
		{policy + release, "policy: {k: 10, l: 5, max_hold: 48h}\n" + release + ", window: 1d",
			"release.window: is 1d, shorter than policy.max_hold = 48h"},
		{policy + release, "policy: {k: 10, l: 5, max_hold: 3 releases}\n" + release + ", window: 2",
			"release.window: is 2, shorter than policy.max_hold = 3 releases"},
		{policy + release, "policy: {k: 10, l: 5}\n" + release + ", window: 1y",
			"release.window: \"1y\" is neither a number of releases nor an age in days such as 365d"},
		{policy + release, "policy: {k: 10, l: 5}\n" + release + ", window: 0",
			"release.window: \"0\" is neither a number of releases nor an age in days such as 365d"},
		{subject + others + repeat + policy + release, others + "policy: {k: 10, l: 5}\n" + release + ", window: 12",
			"release.window: needs to know who was published, but no attribute has role subject: who leaves would be published again"},
	} {
		_, said := loadChanged(t, x.from, x.to)
		if x.want == "" {
			require.NotContains(t, strings.Join(said, " "), "release.window")
			continue
		}
		require.Contains(t, said, x.want)
	}
}

// TestWeights: a weight of a quasi-identifier is fixed for a state, under a key of its own; 1 is what there is without one.
func TestWeights(t *testing.T) {
	weighed := func(text string) string {
		return strings.Replace(digested, "type: integer}", "type: integer, "+text+"}", 1)
	}
	before := load(t, digested)
	assert.Equal(t, []string{"schema.attributes[age].weight"}, changed(before.Digests(), load(t, weighed("weight: 0.25")).Digests()))
	assert.Empty(t, changed(before.Digests(), load(t, weighed("weight: 1")).Digests()))
	assert.Equal(t, .25, load(t, weighed("weight: 0.25")).Schema().Attributes()[load(t, digested).Schema().Quasi()[0]].Weight)
	for text, want := range map[string]string{"weight: 0": "is not between 0.001 and 1", "weight: 1.5": "is not between 0.001 and 1",
		"weight: none": "weight"} {
		_, said := loadText(t, weighed(text))
		assert.Contains(t, said, want, text)
	}
}
