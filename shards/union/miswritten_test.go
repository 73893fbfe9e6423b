package union

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/snapshot/publish"
	"anond/snapshot/snapshottest"
	"anond/snapshot/verify"
)

// TestAMiswrittenUnionIsNotPublished: neither the decision nor the manifest of a union gets its name if the
// disk does not give back what was written; the next attempt decides and publishes. A turned decision would
// stay: no later attempt could change it.
func TestAMiswrittenUnionIsNotPublished(t *testing.T) {
	for _, name := range []string{"manifest.json", "intent.json"} {
		s := atOS(t)
		s.publish(0, 1)
		s.publish(1, 2)
		u := s.union(2)
		disk := &snapshottest.TurningDisk{FS: u.FS, Turn: snapshottest.OtherTime,
			Which: func(path string) bool { return filepath.Base(path) == name }}
		u.FS, u.Gate = disk, audited
		_, err := u.publish(unionTime)
		require.ErrorIs(t, err, publish.ErrMiswritten, name)
		require.ErrorContains(t, err, disk.Path)
		for _, made := range []string{"000001", "CURRENT", "intents/000001"} {
			_, err := os.Stat(filepath.Join(s.dir, made))
			require.ErrorIs(t, err, os.ErrNotExist, "%s: %s", name, made)
		}
		out := mustUnite(t, u)
		require.True(t, out.Published, name)
		assert.Equal(t, "2026-11-23T12:00:00Z", out.Manifest.CreatedAt)
		v, err := verify.Dir(s.fs, s.dir, u.Ledger)
		require.NoError(t, err)
		assert.Empty(t, v.Findings)
	}
}

// TestAMiswrittenUnionOfADecision: a union that carries out what another one has decided reads its manifest
// again, too.
func TestAMiswrittenUnionOfADecision(t *testing.T) {
	s := atOS(t)
	s.publish(0, 1)
	s.publish(1, 1)
	u := s.union(2)
	u.Hook = func(step publish.Step) error {
		if step == StepIntent {
			return snapshottest.ErrCrash
		}
		return nil
	}
	_, err := u.publish(unionTime)
	require.ErrorIs(t, err, snapshottest.ErrCrash)
	next := s.union(2)
	next.Owner, next.Gate = "second", audited
	next.FS = &snapshottest.TurningDisk{FS: next.FS, Turn: snapshottest.OtherTime, Which: func(path string) bool {
		return strings.Contains(path, ".tmp-0") && filepath.Base(path) == "manifest.json"
	}}
	_, err = next.publish(unionTime)
	require.ErrorIs(t, err, publish.ErrMiswritten)
	_, err = os.Stat(filepath.Join(s.dir, "000001"))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.True(t, mustUnite(t, next).Published)
}

// TestMiswrittenCopiesOfShardsAreNotPublished: where files cannot be linked, the gate of the union reads the
// copies.
func TestMiswrittenCopiesOfShardsAreNotPublished(t *testing.T) {
	tier.NotShort(t, "it publishes a union for each fault")
	for at := 0; ; at++ {
		s := atOS(t)
		s.publish(0, 1)
		s.publish(1, 1)
		seen := 0
		disk := &snapshottest.TurningDisk{FS: snapshottest.NoLinks{FS: s.fs, Fault: syscall.EXDEV}, Turn: snapshottest.Middle,
			Which: func(path string) bool {
				if filepath.Base(path) == "manifest.json" || filepath.Ext(path) == ".csv" && !strings.Contains(path, "hierarchies") {
					seen++
				}
				return seen == at+1
			}}
		u := s.union(2)
		u.FS, u.Gate = disk, audited
		_, err := u.publish(unionTime)
		if disk.Path == "" {
			require.NoError(t, err)
			require.Equal(t, 2*2*3+1, at, "two shards, staged and rendered, and the manifest of the union")
			return
		}
		require.Error(t, err, disk.Path)
		_, err = os.Stat(filepath.Join(s.dir, "intents", "000001"))
		require.ErrorIs(t, err, os.ErrNotExist, disk.Path)
		require.True(t, mustUnite(t, u).Published, disk.Path)
	}
}
