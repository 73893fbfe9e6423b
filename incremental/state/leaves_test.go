package state

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

// TestEntriesOfLeavesKeepEveryText: the entries of a hierarchy give back its leaves, whatever their texts, also of those that are gone.
func TestEntriesOfLeavesKeepEveryText(t *testing.T) {
	text := "plain;up;*\n\"x;y\";\"u;p\";*\n\"say \"\"no\"\"\";up;*\n\"\"\"\";up;*\n\"\"\";\"\"\";up;*\n"
	tree, err := equivclass.Text{}.ParseHierarchy("h", strings.NewReader(text))
	require.NoError(t, err)
	first := newLeaves(tree)
	entries, _, _ := first.Change()
	again := newLeaves(tree)
	for _, e := range entries {
		again.Restore(e)
	}
	again.Bind()
	require.True(t, again.same)
	var leaves []string
	for code, path := range again.Paths {
		leaf, alive := LeafOf(path)
		require.True(t, alive)
		require.Equal(t, leaf, tree.Label(int(again.Now[code])))
		leaves = append(leaves, leaf)
	}
	require.ElementsMatch(t, []string{"plain", "x;y", `say "no"`, `"`, `";"`}, leaves)
	fewer, err := equivclass.Text{}.ParseHierarchy("h", strings.NewReader("plain;up;*\n"))
	require.NoError(t, err)
	again.tree = fewer
	entries, moved, lost := again.Change()
	require.Empty(t, moved)
	require.ElementsMatch(t, []string{"x;y", `say "no"`, `"`, `";"`}, lost)
	for _, e := range entries {
		again.Restore(e)
	}
	again.Bind()
	for code, leaf := range leaves {
		require.Equal(t, leaf != "plain", again.Now[code] == Gone)
	}
}
