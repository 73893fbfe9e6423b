package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/promise"
)

const edited = `version: 1
dataset: clinic
source: {type: kafka, kafka: {brokers: ["${BROKER}"], topic: admissions}}
schema:
  attributes:
    - {name: age, role: quasi, type: integer}
    - {name: illness, role: sensitive, type: categorical}
policy: {k: 5, l: 3}
release: {dir: ./releases}
state:
`

// TestLoadEdited: keys are set, in blocks that there are or are not, and removed with what could not be read; promises go to the attribute
// with the name. What was not touched stays, with its place.
func TestLoadEdited(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anond.yaml")
	require.NoError(t, os.WriteFile(path, []byte(edited), 0o600))
	none := func(string) (string, bool) { return "", false }
	load := func(edits ...Edit) (*Config, error) {
		c, _, err := LoadEdited(path, none, os.ReadFile, edits)
		return c, err
	}
	stdin := []Edit{{[]string{"source", "type"}, "stdin"}, {[]string{"source", "kafka"}, nil}, {[]string{"http"}, nil}}
	_, err := load()
	require.ErrorContains(t, err, "BROKER", "without edits the file cannot be used here")
	c, err := load(append(stdin, Edit{[]string{"policy", "k"}, 7}, Edit{[]string{"state", "path"}, "other.db"},
		Edit{[]string{"initial", "min_pool"}, 40}, Edit{[]string{"schema", "attributes", "illness", "promise"}, map[string]int{"gain": 2}})...)
	require.NoError(t, err)
	assert.Equal(t, FromStdin, c.Source.Type)
	assert.Equal(t, 7, c.Policy.K)
	assert.Equal(t, 3, c.Policy.L)
	assert.Equal(t, 40, c.Initial.MinPool)
	assert.Equal(t, filepath.Join(filepath.Dir(path), "other.db"), c.State.Path)
	assert.Equal(t, promise.NewRatio(2, 1), c.Attributes[1].Promise.Gain)
	for fault, e := range map[string]Edit{
		"8:9: policy.k: \"1\" is below 2":         {[]string{"policy", "k"}, 1},
		"6:5: schema.attributes: has no job":      {[]string{"schema", "attributes", "job", "promise"}, map[string]int{"l": 2}},
		"9:10: release.recode: is an unknown key": {[]string{"release", "recode"}, "buckets"},
	} {
		_, err := load(append(stdin, e)...)
		require.Error(t, err, fault)
		assert.Contains(t, err.Error(), fault)
	}
}
