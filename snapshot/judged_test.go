package snapshot_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/incremental"
	"anond/snapshot"
)

// TestJudgedPoolsAreKept: what was noted once is asked of every state; nothing is written without a
// pool that was judged, and less than is known never replaces more.
func TestJudgedPoolsAreKept(t *testing.T) {
	p := publisher(unsynced{snapshot.OS()}, t.TempDir())
	path := p.Ledger + ".pools"
	require.NoError(t, p.KeepJudged(incremental.Judged{}))
	assert.NoFileExists(t, path)
	require.NoError(t, p.KeepJudged(incremental.Judged{Refused: true}))
	require.NoError(t, p.KeepJudged(incremental.Judged{Refused: true, Quarantined: 2}))
	for _, less := range []incremental.Judged{{}, {Refused: true}, {Refused: true, Quarantined: 1}, {Quarantined: 3}} {
		err := p.KeepJudged(less)
		require.ErrorIs(t, err, snapshot.ErrBehind)
		require.ErrorIs(t, snapshot.CheckJudged(p.FS, p.Ledger, less), snapshot.ErrBehind)
	}
	content, err := p.FS.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "anond pools 1 quarantined 2 refused true\n", string(content))
	names, err := p.FS.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Contains(t, names, "ledger.pools")
	for _, name := range names {
		assert.NotContains(t, name, "tmp", "nothing temporary stays")
	}
}
