package config

import (
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func loadOneOff(content string) (*OneOff, error) {
	c, _, err := LoadOneOff("one.yaml", func(string) (string, bool) { return "", false }, func(path string) ([]byte, error) {
		if path != "one.yaml" {
			return nil, os.ErrNotExist
		}
		return []byte(content), nil
	})
	return c, err
}

const oneSchema = `schema:
  attributes:
    - {name: age, role: quasi, type: integer}
    - {name: disease, role: sensitive, type: categorical}
`

// TestLoadOneOff: the schema alone is enough; name and promises are taken where
// they stand; a whole configuration is one, too.
func TestLoadOneOff(t *testing.T) {
	c, err := loadOneOff(oneSchema)
	require.NoError(t, err)
	assert.Equal(t, 1, c.Schema.D())
	assert.Zero(t, c.K)
	assert.Zero(t, c.L)
	assert.Empty(t, c.Dataset)

	c, err = loadOneOff("dataset: ward\npolicy: {k: 4, l: 2, diversity: [{distinct: 3}]}\n" + oneSchema)
	require.NoError(t, err)
	assert.Equal(t, []any{"ward", 4, 2, 1}, []any{c.Dataset, c.K, c.L, len(c.Extra)})

	c, err = loadOneOff("version: 1\nsource: {type: stdin}\npolicy: {k: 4, l: 2}\nrelease: {dir: ./r}\ndataset: ward\n" + oneSchema)
	require.NoError(t, err)
	assert.Equal(t, 4, c.K)
}

// TestLoadOneOffFaults: what is there must be right.
func TestLoadOneOffFaults(t *testing.T) {
	for content, want := range map[string]string{
		"":                                   "the file is empty",
		"dataset: ward\n":                    "schema.attributes: is missing",
		oneSchema + "polcy: {k: 4}\n":        "polcy: is an unknown key",
		oneSchema + "policy: {k: 1, l: 2}\n": "policy.k",
		"schema: {attributes: [{name: age, role: quasi, hierarchy: none.csv}, {name: d, role: sensitive, type: " +
			"categorical}]}\n": "names a file that cannot be read",
	} {
		_, err := loadOneOff(content)
		var faults *Faults
		require.True(t, errors.As(err, &faults), content)
		assert.Contains(t, err.Error(), want)
	}
}
