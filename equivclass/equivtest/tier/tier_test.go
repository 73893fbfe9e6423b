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

// TestChoice: a tier runs what was chosen for it and for the tiers below.
func TestChoice(t *testing.T) {
	here := t.Name()
	for _, x := range []struct {
		c                  Choice
		short, plain, full bool
	}{
		{Choice{Short: []string{here}}, true, true, true},
		{Choice{Plain: []string{here}}, false, true, true},
		{Choice{Short: []string{"TestOther"}, Plain: []string{"TestChoices"}}, false, false, true},
	} {
		ran := func(variable string) (ran bool) {
			t.Setenv(Variable, variable)
			t.Run("subtest", func(t *testing.T) {
				x.c.Demand(t)
				ran = true
			})
			return ran
		}
		want := x.plain
		if testing.Short() {
			want = x.short
		}
		assert.Equal(t, want, ran(""), x.c)
		assert.Equal(t, x.full, ran("full"), x.c)
	}
}
