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

// TestAHistoryIsAsYoungAsItsYoungestValue: people share a bucket if each of them arrived when all values of all histories were valid.
func TestAHistoryIsAsYoungAsItsYoungestValue(t *testing.T) {
	tree, err := equivclass.ParseHierarchy("h", strings.NewReader("new;*\nold;*\n"))
	require.NoError(t, err)
	s, err := equivclass.NewSchema([]equivclass.Attribute{{Name: "x", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "ill", Role: equivclass.Sensitive, Type: equivclass.Categorical, Hierarchy: tree}}, equivclass.RefuseMissing)
	require.NoError(t, err)
	c := NewColumns(s)
	c.Sequences(2)
	require.NoError(t, c.Restore(c.PathsOf(1), "old;*"))
	require.NoError(t, c.Restore(c.PathsOf(1), "new;*"))
	c.BindLeaves()
	for _, h := range []string{"old", "old\x1fold", "old\x1fnew", "new\x1fold", "new", "old"} {
		why, _ := c.Append(equivclass.Row{[]byte("1"), []byte(h)})
		require.Equal(t, equivclass.Accepted, why)
	}
	why, _ := c.Append(equivclass.Row{[]byte("1"), []byte("old\x1fother")})
	require.Equal(t, equivclass.ReasonCategory, why, "each value is a leaf")
	c.FindEpochs(map[int][]HierarchyVersion{1: {{Leaves: 1}, {Leaves: 2, Records: 2}}})
	for r := range RecordID(6) {
		require.NoError(t, c.OneEpoch([]RecordID{r}))
		mixed := c.OneEpoch([]RecordID{1, r})
		require.Equal(t, r >= 2 && r < 5, mixed != nil, "record %d", r)
	}
}
