package audit

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/chain"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/table"
)

// TestEpochs: a class with a value that a later copy brought holds nobody who had
// arrived by then.
func TestEpochs(t *testing.T) {
	a := newEra(&auditor{}, &eraInput{s: &format.Schema{Sa: &format.ValueDict{Name: "ill", Text: []string{"flu", "ache"}}},
		records: &chain.Records{N: 4, Known: []bool{true, true, true, true}, Arrived: []uint32{2, 2, 3, 3}}})
	a.since = map[string]int{"ache": 3}
	rel := &chain.Release{Num: 3, Tab: &table.Table{M: 2, Start: []uint32{0, 2, 4}, Sa: []uint32{0, 1, 0, 1}}}
	a.epochs(rel, []uint32{1, 2, 1, 2})
	require.Len(t, a.f.List, 1)
	assert.Equal(t, format.Violation{Rule: "SA", Kind: format.KindBeforeValue, Release: 3, Class: 1, Attribute: "ill",
		Detail: a.f.List[0].Detail,
		Count:  2}, a.f.List[0])
	a.f.List = nil
	rel.Tab.Sa = []uint32{0, 0, 0, 1}
	a.epochs(rel, []uint32{1, 1, 2, 2})
	require.Empty(t, a.f.List)
}
