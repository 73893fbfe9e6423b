package shards

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	cellPeople = flag.Int("cell", 0, "people of the hospital whose loss is measured; 0: none")
	cellShards = flag.Int("cell-shards", 2, "shards of the people of -cell")
)

// TestCell measures one cell of the tables of shards/SCALING.md, with the people of the whole experiment: each of them
// takes minutes at a million people.
func TestCell(t *testing.T) {
	if *cellPeople == 0 {
		t.Skip("it is for single cells of a table: -cell says how many people")
	}
	everybody, err := wards(sizes[len(sizes)-1], 1)
	require.NoError(t, err)
	for _, every := range []int{1, *cellShards} {
		at, err := divide(t.Context(), everybody.first(*cellPeople), settings[0], *cellShards, every)
		require.NoError(t, err)
		t.Logf("%d people, k=%d, l=%d, %d shards, releases %d times rarer: loss %.5f, never published %.5f, median bucket %d, quarantined %d",
			at.people, at.k, at.l, at.shards, at.every, at.loss, at.never, at.medianBucket, at.quarantined)
	}
}
