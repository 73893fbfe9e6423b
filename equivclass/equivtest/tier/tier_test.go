package tier

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestTiers: each tier gets its own count, and a misspelt one ends the run.
func TestTiers(t *testing.T) {
	plain := 2
	if testing.Short() {
		plain = 1
	}
	t.Setenv(Variable, "")
	assert.Equal(t, plain, Of(t, 1, 2, 3))
	assert.True(t, t.Run("heavy", func(t *testing.T) {
		Heavy(t, "it is the test of tiers")
		t.Error("a heavy test runs")
	}))
	t.Setenv(Variable, "full")
	assert.Equal(t, 3, Of(t, 1, 2, 3))
	ran := false
	t.Run("full", func(t *testing.T) {
		Heavy(t, "")
		NotShort(t, "")
		ran = true
	})
	assert.True(t, ran)
	t.Setenv(Variable, "ful")
	assert.Panics(t, func() { Full() })
}
