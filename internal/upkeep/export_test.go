package upkeep

import (
	"anond/incremental/state"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/snapshot/render"
)

// TestMembersNameTheBucket: at level L2 each row ends with the bucket; records that are
// not published have none.
func TestMembersNameTheBucket(t *testing.T) {
	e := &Exporter{names: map[uint16]state.Partition{0: {Source: "s", ID: 3}}, origin: make([]uint16, 5),
		offset: []int64{10, 11, 12, 13, 14}}
	placed := []render.Placement{{Part: "part-000001", Records: []uint32{4, 0}, Classes: []uint32{2, 1}, Buckets: []uint32{7, 8}},
		{Part: "part-000002", Records: []uint32{2, 1}, Classes: []uint32{1, 1}, Buckets: []uint32{1, 1}}}
	var text strings.Builder
	out := csv.NewWriter(&text)
	require.NoError(t, e.writeMembers(out, "2", placed, 5))
	out.Flush()
	assert.Equal(t, "2,s:3:10,part-000001,1,8\n2,s:3:11,part-000002,1,1\n2,s:3:12,part-000002,1,1\n2,s:3:14,part-000001,2,7\n", text.String())
}
