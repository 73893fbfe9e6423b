package format

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
			manifest := func(release int, file, content string) *Manifest {
				require.NoError(t, os.WriteFile(filepath.Join(dir, "hierarchies", file), []byte(content), 0o600))
				return &Manifest{Release: release, Schema: []Column{{Name: "place", Role: "quasi",
					Hierarchy: &Hierarchy{File: "hierarchies/" + file, SHA256: HexSHA([]byte(content))}}}}
			}
			before, after := manifest(1, "t.csv", old), manifest(2, "t-2.csv", c.now)
			f := &Faults{}
			require.NoError(t, CheckGrowth(dir, before, after, f))
			if c.lost == 0 {
				require.Empty(t, f.List)
				return
			}
			require.Len(t, f.List, 1)
			assert.Equal(t, c.lost, f.List[0].Count)
			assert.Equal(t, KindHierarchyMismatch, f.List[0].Kind)
			assert.True(t, SameSchema(before.Schema, after.Schema), "found by its paths")
			require.NoError(t, os.WriteFile(filepath.Join(dir, "hierarchies", "t.csv"), []byte(old+"d;y;*\n"), 0o600))
			require.NoError(t, CheckGrowth(dir, before, after, f))
			assert.Greater(t, len(f.List), 1, "a copy that was changed is found too")
		})
	}
}
