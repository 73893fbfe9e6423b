package format

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHierarchyColumnsInQuotes: a column that holds a semicolon or a quote is in quotes; what is no column is unreadable.
func TestHierarchyColumnsInQuotes(t *testing.T) {
	h, err := ParseHierarchy("h.csv", []byte("\"a;b\";g;*\n\"say \"\"c\"\"\";g;*\r\nd;;*\n"))
	require.NoError(t, err)
	assert.Equal(t, [][]string{{"a;b", "g", "*"}, {`say "c"`, "g", "*"}, {"d", "", "*"}}, h.Paths)
	for _, bad := range []string{"\"a;*\n", "\"a\"b;*\n", "a\"b;*\n", "a;b\"\n"} {
		_, err := ParseHierarchy("h.csv", []byte(bad))
		assert.Error(t, err, "%q", bad)
	}
}
