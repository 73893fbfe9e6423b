package dataset

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
)

// Every value keeps its text, and near codes share a node: 12 values of four a
// node under the root, numbers in their order though "10" was seen first.
func TestHierarchiesKeepTheValues(t *testing.T) {
	d := equivclass.NewDictionary(equivclass.Attribute{Name: "x", Type: equivclass.Categorical})
	table := &equivclass.Table{Dicts: []*equivclass.Dictionary{d}, Codes: [][]equivclass.Code{{}}}
	for _, text := range []string{"10", "1", "2", "3", "4", "5", "6", "7", "8", "9", "11", "12"} {
		table.Codes[0] = append(table.Codes[0], equivtest.Code(t, d, text))
	}
	tree, err := WithHierarchies(table)
	require.NoError(t, err)
	for i, c := range tree.Codes[0] {
		require.Equal(t, d.Text(table.Codes[0][i]), tree.Dicts[0].Text(c))
	}
	h := tree.Dicts[0].Attribute().Hierarchy
	leaf := func(text string) equivclass.Code { c, _ := h.Leaf([]byte(text)); return c }
	require.Equal(t, "x-group-0", h.Label(h.LCA(leaf("1"), leaf("4"))))
	require.Equal(t, "x-group-2", h.Label(h.LCA(leaf("9"), leaf("10"))))
	require.Equal(t, "*", h.Label(h.LCA(leaf("4"), leaf("5"))))
}
