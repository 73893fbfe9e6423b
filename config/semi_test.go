package config_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/equivclass"
)

// loadSemi loads the plain file with recoding lgb and one attribute more.
func loadSemi(t *testing.T, attribute string) (*config.Config, []string) {
	t.Helper()
	tail := plainFile[strings.Index(plainFile, "subject:"):]
	return loadChanged(t, tail, "    - {"+attribute+"}\n"+strings.Replace(tail, "{dir: out}", "{dir: out, recoding: lgb}", 1))
}

// TestSemiAttribute: a semi-sensitive attribute comes with its promise, and its
// flag as an attribute of role flag behind the declared ones.
func TestSemiAttribute(t *testing.T) {
	c, said := loadSemi(t, "name: sex, role: semi, type: categorical, flag: sex_private, promise: {t: 0.2, reference: {F: 0.25, M: 0.75}}")
	require.Empty(t, said)
	attributes := c.Schema().Attributes()
	require.Len(t, attributes, 6)
	assert.Equal(t, equivclass.Attribute{Name: "sex_private", Role: equivclass.Flag}, attributes[5])
	assert.Equal(t, 5, c.Schema().FlagIndex(4))
	assert.Equal(t, &equivclass.SemiPromise{T: 0.2, Distance: "equal",
		Reference: []equivclass.ValueCount{{Value: "F", Count: 1}, {Value: "M", Count: 3}}}, attributes[4].Promise)
	assert.Equal(t, config.Append, c.Policy.Republication, "tuple groups follow rule A (frozen classes)")

	other, said := loadSemi(t, "name: sex, role: semi, type: categorical, flag: sex_private, promise: {t: 0.3, reference: {F: 0.25, M: 0.75}}")
	require.Empty(t, said)
	assert.Equal(t, []string{"schema.attributes[sex]"}, changed(c.Digests(), other.Digests()), "a promise is a setting")
}

// TestEachRuleOfSemiAlone: a single break gives a single message.
func TestEachRuleOfSemiAlone(t *testing.T) {
	const at = "schema.attributes[4]."
	for attribute, want := range map[string]string{
		"type: categorical":                                       at + "promise: needs one of l and t",
		"type: categorical, promise: {l: 2, t: 0.1}":              at + "promise: needs one of l and t",
		"type: categorical, promise: {l: 1}":                      at + `promise.l: "1" is below 2`,
		"type: categorical, promise: {l: 2, distance: equal}":     at + "promise: has a distance or reference, which belong to t",
		"type: categorical, promise: {t: 1}":                      at + "promise.t: is not between 0 and 1",
		"type: categorical, promise: {t: 0.1, distance: ordered}": at + "promise.distance: is ordered, but the values have no order",
		"type: categorical, promise: {t: 0.1, distance: hierarchical}": at + "promise.distance: is hierarchical, but the attribute has no " +
			"hierarchy",
		"hierarchy: h.csv, promise: {l: 3}": at +
			`promise.l: is 3, above the 2 values of attribute "x": no bucket can satisfy it`,
		"hierarchy: h.csv, promise: {t: 0.1, reference: {c: 1}}": at +
			`promise.reference: has "c", which is not a value of attribute "x" (value_not_in_hierarchy)`,
		"type: integer, promise: {t: 0.1, reference: {1: 0.5, 01: 0.5}}": at + `promise.reference: has "1" twice`,
		"type: integer, promise: {t: 0.1, reference: {1: 0.5, 2: 0.4}}":  at + "promise.reference: has shares that sum to 0.9, not to 1",
		"type: integer, promise: {t: 0.1, reference: {1: 0, 2: 1}}":      at + "promise.reference[0]: is not a share above 0 and at most 1",
		"type: integer, promise: {t: 0.1, reference: 5}": at + "promise.reference: is an integer, must be a section of " +
			"value: share",
		"type: categorical, flag: age, promise: {l: 2}":             at + "flag: names an attribute that is listed",
		"type: categorical, flag: f, promise: {l: 2}, buckets: [1]": at + "buckets: belong to a numeric sensitive attribute",
		"promise: {l: 2}": at + "type: is missing for an attribute of role semi",
	} {
		_, said := loadSemi(t, "name: x, role: semi, "+attribute)
		assert.Equal(t, []string{want}, said, attribute)
	}
}

// TestLGBIsAppend: nothing of a release by lgb changes later.
func TestLGBIsAppend(t *testing.T) {
	for policy, want := range map[string][]string{
		"republication: append":  nil,
		"republication: regroup": {"policy.republication: is regroup, but release.recoding is lgb, whose classes and buckets never change"},
	} {
		_, said := loadChanged(t, "l: 5}\ninitial: {max_records: 0}\nrelease: {dir: out}",
			"l: 5, "+policy+"}\nrelease: {dir: out, recoding: lgb, trigger: {on: records, every: 5}}")
		assert.Equal(t, want, said, policy)
	}
}

// TestSlices: each quasi-identifier in one slice, the sensitive attribute alone.
func TestSlices(t *testing.T) {
	const warned = "warning: release.recoding: is slicing: quasi-identifiers are published exactly, which reveals who is in the data, but " +
		"not their sensitive values"
	for slices, want := range map[string]string{
		"":                                   "release.slices: is missing, but release.recoding is slicing",
		", slices: [[age]]":                  "release.slices: lacks city",
		", slices: [[age, age], [city]]":     `release.slices[0]: has "age", which is already in a slice`,
		", slices: [[age, patient], [city]]": `release.slices[0]: has "patient", which is not a quasi-identifier`,
		", slices: [[age, diagnosis],[city]]": `release.slices[0]: has the sensitive attribute "diagnosis" together with others: ` +
			`rows would then show which of their values go with a sensitive value`,
		", slices: [[], [age, city]]": "release.slices[0]: is empty",
		", slices: [age, city]":       "release.slices[0]: is a text, must be a list",
		`, slices: "age+city"`:        "release.slices: is a text, must be a list",
	} {
		_, said := loadChanged(t, "{dir: out}", "{dir: out, recoding: slicing"+slices+"}")
		assert.Contains(t, said, want, slices)
	}
	c, said := loadChanged(t, "{dir: out}", "{dir: out, recoding: slicing, slices: [[age, city], [diagnosis]]}")
	require.Equal(t, []string{warned}, said)
	assert.Equal(t, [][]string{{"age", "city"}}, c.Release.Slices, "its own slice goes without saying")
	other, _ := loadChanged(t, "{dir: out}", "{dir: out, recoding: slicing, slices: [[age], [city]]}")
	assert.Equal(t, []string{"release.slices"}, changed(c.Digests(), other.Digests()))
}

// TestLoadOneOffKnowsSemi: a single table needs no block release.
func TestLoadOneOffKnowsSemi(t *testing.T) {
	const file = "schema: {attributes: [{name: age, role: quasi, type: integer}, {name: pay, role: semi, type: integer, flag: p, promise: " +
		"{l: 3}}, {name: d, role: sensitive, type: categorical}]}"
	one, _, err := config.LoadOneOff("a.yaml", testEnvironment, func(name string) ([]byte, error) {
		if name != "a.yaml" {
			return nil, os.ErrNotExist
		}
		return []byte(file), nil
	})
	require.NoError(t, err)
	assert.Equal(t, []int{1}, one.Schema.Semi())
	assert.Equal(t, 3, one.Schema.FlagIndex(1))
}
