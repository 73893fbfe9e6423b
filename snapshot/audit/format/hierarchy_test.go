package format

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHierarchyOfUnevenLines: a line may leave levels out; the lowest common
// ancestor counts from the root.
func TestHierarchyOfUnevenLines(t *testing.T) {
	h, err := ParseHierarchy("h.csv", []byte("flu;lung;infection;*\ncold;lung;infection;*\nhepatitis;infection;*\n\nburn;*\r\n"))
	require.NoError(t, err)
	at := func(leaves ...string) string {
		var ids []int32
		for _, l := range leaves {
			ids = append(ids, h.Leaf[l])
		}
		return h.Common(ids)
	}
	require.Equal(t, "lung", at("flu", "cold"))
	require.Equal(t, "infection", at("cold", "hepatitis"))
	require.Equal(t, "*", at("burn", "hepatitis"))
	require.Equal(t, "burn", at("burn"))
	require.InDelta(t, 2.0/3, measure(testClose(t, DistanceTree, &Column{}, h, ValueCount{Value: "hepatitis",
		Count: 1}), "flu"), 1e-12)
}
