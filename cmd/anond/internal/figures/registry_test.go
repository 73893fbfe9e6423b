package figures

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEveryFigureIsDescribed(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range All() {
		assert.Regexp(t, `^(wang|zhu|sun|lgb|pa)-[1-9]$`, f.ID)
		assert.False(t, seen[f.ID], "%s stands twice", f.ID)
		seen[f.ID] = true
		assert.NotEmpty(t, f.Paper, f.ID)
		assert.Regexp(t, `^[A-Z]`, f.Title, f.ID)
		assert.NotEmpty(t, f.Data, f.ID)
		require.NotNil(t, f.Run, f.ID)
		found, ok := Find(f.ID)
		assert.True(t, ok)
		assert.Equal(t, f.ID, found.ID)
	}
	_, ok := Find("pa-9")
	assert.False(t, ok)
}
