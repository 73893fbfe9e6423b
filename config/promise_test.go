package config_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/equivclass/promise"
)

// several is a configuration of four sensitive attributes; the number is the second of them.
const several = `version: 1
dataset: hospital
source: {type: stdin}
schema:
  attributes:
    - {name: age, role: quasi, type: integer}
    - {name: diagnosis, role: sensitive, type: categorical, hierarchy: tree.csv, promise: {l: 5, caps: {flu: 0.1}}}
    - {name: income, role: sensitive, type: integer, buckets: [0, 20000, 50000], values: exact, promise: {l: 2, at_most: {"30000": 0.4}}}
    - {name: hiv, role: sensitive, type: categorical, promise: {gain: 2.5, at_most: {"yes": 0.125}, reference: {file: counts.csv}}}
    - {name: smokes, role: sensitive, type: categorical, missing: open, promise: {gain: 3, at_most: 0.75}}
policy: {k: 10}
release: {dir: out, tables: [[diagnosis, hiv]]}
`

var severalFiles = map[string]string{"tree.csv": "flu;*\ncold;*\nrash;*\n", "counts.csv": "value,count\nyes,10\nno,90\n"}

func TestPromisesAreReadExactly(t *testing.T) {
	c, _, err := config.Load("a.yaml", lookup(nil), files(several, severalFiles))
	require.NoError(t, err)
	ratio := func(text string) promise.Ratio {
		r, err := promise.Parse(text)
		require.NoError(t, err)
		return r
	}
	assert.Equal(t, map[int]*promise.Promise{
		1: {L: 5, AtMost: map[string]promise.Ratio{"flu": ratio("0.1")}},
		2: {L: 2, AtMost: map[string]promise.Ratio{"20000..50000": ratio("0.4")}},
		3: {Gain: ratio("2.5"), AtMost: map[string]promise.Ratio{"yes": ratio("0.125")}, Reference: map[string]int64{"yes": 10, "no": 90}},
		4: {Gain: ratio("3"), Most: ratio("0.75"), Open: true},
	}, c.Promises())
	assert.Equal(t, [][2]string{{"diagnosis", "hiv"}}, c.Tables())
	assert.True(t, c.Schema().Attributes()[2].Exact)
	assert.Equal(t, []int{1, 2, 3, 4}, c.Schema().Sensitive())
	_, asked := c.Later()
	for key := range c.Digests() {
		assert.True(t, !strings.HasSuffix(key, "].promise") || slices.Contains(asked, key), key)
	}
	shown, err := c.JSON()
	require.NoError(t, err)
	for _, part := range []string{`"gain": 2.5`, `"yes": 0.125`, `"at_most": 0.75`, `"file": "counts.csv"`} {
		assert.Contains(t, string(shown), part)
	}
}

// TestPromisesThatCannotBe: each is one sentence that names file, line and key.
func TestPromisesThatCannotBe(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"gain: 2.5", "gain: 2.5001",
			"a.yaml:9:71: schema.attributes[3].promise.gain: \"2.5001\" is no decimal number with at most three digits"},
		{"gain: 2.5", "gain: 1", "schema.attributes[3].promise: gain is 1: it must be above 1"},
		{"gain: 2.5, ", "", "schema.attributes[3].promise.reference: is declared, but there is no gain"},
		{"0.125", "1.5", "schema.attributes[3].promise.at_most[0]: is not a share above 0 and at most 1"},
		{"{flu: 0.1}", "{cough: 0.1}",
			"schema.attributes[1].promise.caps: names \"cough\", which is no value of attribute \"diagnosis\" (value_not_in_hierarchy)"},
		{"{flu: 0.1}", "{flu: 0.1, flu: 0.2}", "schema.attributes[1].promise.caps: names \"flu\" twice"},
		{`{"30000": 0.4}`, `{"-1": 0.4}`, "schema.attributes[2].promise.at_most: names \"-1\", which is no value"},
		{"{file: counts.csv}", "{file: none.csv}",
			"schema.attributes[3].promise.reference: names a file that cannot be read: there is no such file"},
		{"{file: counts.csv}", "first", "schema.attributes[3].promise.reference: is neither pool nor a file"},
		{", promise: {gain: 3, at_most: 0.75}", "", "policy.l: is missing, and sensitive attribute \"smokes\" has no promise of its own"},
		{"promise: {gain: 3, at_most: 0.75}", "promise: {}", "schema.attributes[4].promise: nothing is promised"},
		{"policy: {k: 10}", "policy: {k: 10, l: 5, level: L1}", "schema.attributes[1].promise: belongs to level L2, but policy.level is L1"},
		{"policy: {k: 10}", "policy: {k: 10, l: 5, level: L1}",
			"schema.attributes[2].role: is sensitive, but so is attribute \"diagnosis\", and policy.level is L1"},
		{"policy: {k: 10}", "policy: {k: 10, diversity: [{distinct: 3}]}", "policy.diversity: is of a dataset with one sensitive attribute"},
		{"role: quasi", "role: quasi, promise: {l: 2}", "schema.attributes[0].promise: belongs to a sensitive attribute, but the role is quasi"},
		{"[[diagnosis, hiv]]", "[[diagnosis, age]]", "release.tables: name \"age\", which is no sensitive attribute"},
		{"[[diagnosis, hiv]]", "[[diagnosis, hiv], [hiv, diagnosis]]", "release.tables: must each be of two attributes, and of no two twice"},
		{"buckets: [0, 20000, 50000], values: exact", "buckets: [0], values: inexact", "schema.attributes[2].values"},
	} {
		content := strings.Replace(several, c.from, c.to, 1)
		require.NotEqual(t, several, content, c.from)
		_, _, err := config.Load("a.yaml", lookup(nil), files(content, severalFiles))
		if assert.Error(t, err, c.to) {
			assert.Contains(t, err.Error(), c.want)
		}
	}
	for content, want := range map[string]string{
		"value,count\nyes,1.5\n":         "counts.csv:2: schema.attributes[3].promise.reference: has a count that is no whole number",
		"value,count\nyes,1\nyes,2\n":    "counts.csv:3: schema.attributes[3].promise.reference: has a value for the second time",
		"value,count\nyes,1,2\n":         "counts.csv:2: ",
		"yes\n":                          "counts.csv:1: ",
		"value,count\n":                  "has no line value,count followed by values and counts",
		"value,count\n\"yes,1\n":         "counts.csv:2: schema.attributes[3].promise.reference: is no record of CSV",
		"value,count\nyes,99999999999\n": "has a count that is no whole number",
	} {
		given := map[string]string{"tree.csv": severalFiles["tree.csv"], "counts.csv": content}
		_, _, err := config.Load("a.yaml", lookup(nil), files(several, given))
		if assert.Error(t, err, content) {
			assert.Contains(t, err.Error(), want)
		}
	}
}

// files are a configuration a.yaml and what it names.
func files(content string, others map[string]string) config.ReadFile {
	return func(name string) ([]byte, error) {
		if name == "a.yaml" {
			return []byte(content), nil
		} else if other, ok := others[name]; ok {
			return []byte(other), nil
		}
		return nil, fs.ErrNotExist
	}
}
