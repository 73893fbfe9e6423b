package format

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestKeysOfWindowsHaveOneOrder: who may choose the order of keys tells something by it.
func TestKeysOfWindowsHaveOneOrder(t *testing.T) {
	assert.True(t, Canonical([]byte("{\n  \"pending\": 0,\n  \"erasure\": {\n    \"every\": 9,\n    \"count\": 2\n  },\n"+
		"  \"window\": \"3\",\n  \"expired\": 2,\n  \"people_ever\": 9\n}\n")))
	assert.False(t, Canonical([]byte("{\n  \"erasure\": {\n    \"count\": 2,\n    \"every\": 9\n  }\n}\n")))
	assert.False(t, Canonical([]byte("{\n  \"pending\": 0,\n  \"expired\": 2,\n  \"window\": \"3\",\n  \"people_ever\": 9\n}\n")))
}
