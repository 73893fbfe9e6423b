package equivclass

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestParseFlag: the words of both sides in any case, and nothing else.
func TestParseFlag(t *testing.T) {
	for text, want := range map[string]bool{"true": true, "T": true, "YES": true, "y": true, "1": true, "False": false, "f": false,
		"no": false, "N": false, "0": false} {
		got, ok := parseFlag([]byte(text))
		assert.True(t, ok, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", " true", "2", "01", "maybe", "truetrue", "ja"} {
		_, ok := parseFlag([]byte(text))
		assert.False(t, ok, text)
	}
	_, ok := parseFlag(nil)
	assert.False(t, ok)
}
