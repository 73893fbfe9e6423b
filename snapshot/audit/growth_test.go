package audit

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/chain"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/table"
)

// TestCheckGrowth: a later copy contains the one before, leaf by leaf with its
// whole path; repeated labels and a deeper tree change nothing.
func TestCheckGrowth(t *testing.T) {
	const old = "a;x;*\nb;x;*\nc;y;*\n"
	for name, c := range map[string]struct {
		now  string
		lost int
	}{
		"same":     {old, 0},
		"grown":    {"d;z;*\na;x;*\nb2;x;*\nb;x;*\nc;y;*\n", 0},
		"deeper":   {old + "d;d;z;*\ne;w;z;*\n", 0},
		"repeated": {"a;a;x;*\nb;b;x;*\nc;c;y;*\n", 0},
		"moved":    {"a;x;*\nb;y;*\nc;y;*\n", 1},
		"renamed":  {"a;X;*\nb;X;*\nc;y;*\n", 2},
		"gone":     {"b;x;*\nc;y;*\n", 1},
		"root":     {"a;x;+\nb;x;+\nc;y;+\n", 3},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(dir, "hierarchies"), 0o700))
			manifest := func(release int, file, content string) *format.Manifest {
				require.NoError(t, os.WriteFile(filepath.Join(dir, "hierarchies", file), []byte(content), 0o600))
				return &format.Manifest{Release: release, Schema: []format.Column{{Name: "place", Role: "quasi",
					Hierarchy: &format.Hierarchy{File: "hierarchies/" + file, SHA256: format.HexSHA([]byte(content))}}}}
			}
			before, after := manifest(1, "t.csv", old), manifest(2, "t-2.csv", c.now)
			f := &format.Faults{}
			require.NoError(t, format.CheckGrowth(dir, before, after, f))
			if c.lost == 0 {
				require.Empty(t, f.List)
				return
			}
			require.Len(t, f.List, 1)
			assert.Equal(t, c.lost, f.List[0].Count)
			assert.Equal(t, format.KindHierarchyMismatch, f.List[0].Kind)
			assert.True(t, format.SameSchema(before.Schema, after.Schema), "found by its paths")
			require.NoError(t, os.WriteFile(filepath.Join(dir, "hierarchies", "t.csv"), []byte(old+"d;y;*\n"), 0o600))
			require.NoError(t, format.CheckGrowth(dir, before, after, f))
			assert.Greater(t, len(f.List), 1, "a copy that was changed is found too")
		})
	}
}

// TestEpochs: a class with a value that a later copy brought holds nobody who had
// arrived by then.
func TestEpochs(t *testing.T) {
	a := &auditor{since: map[string]int{"ache": 3}, in: &input{
		s:       &format.Schema{Sa: &format.ValueDict{Name: "ill", Text: []string{"flu", "ache"}}},
		records: &chain.Records{N: 4, Known: []bool{true, true, true, true}, Arrived: []uint32{2, 2, 3, 3}}}}
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
