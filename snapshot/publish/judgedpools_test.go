package publish_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/incremental"
	"anond/snapshot"
	"anond/snapshot/publish"
)

// TestJudgedPoolsAreKept: what was noted once is asked of every state; nothing is written without
// somebody who was judged, and less than is known never replaces more.
func TestJudgedPoolsAreKept(t *testing.T) {
	p := publisher(unsynced{FS: snapshot.OS()}, t.TempDir())
	path := p.Ledger + ".pools"
	require.NoError(t, p.KeepJudged(incremental.Judged{}))
	assert.NoFileExists(t, path)
	require.NoError(t, p.KeepJudged(incremental.Judged{Refused: true}))
	known := incremental.Judged{Fixed: 5, Refused: true, Quarantined: 2, People: 9, Barred: 4}
	require.NoError(t, p.KeepJudged(known))
	less := func(change func(*incremental.Judged)) incremental.Judged {
		j := known
		change(&j)
		return j
	}
	for _, less := range []incremental.Judged{{}, {Refused: true}, less(func(j *incremental.Judged) { j.Quarantined, j.People = 1, 10 }),
		less(func(j *incremental.Judged) { j.Refused, j.Quarantined = false, 3 }), less(func(j *incremental.Judged) { j.People = 8 }),
		less(func(j *incremental.Judged) { j.Barred = 3 }), less(func(j *incremental.Judged) { j.Fixed = 4 })} {
		err := p.KeepJudged(less)
		require.ErrorIs(t, err, publish.ErrBehind)
		require.Equal(t, less.Fixed == 4, strings.Contains(err.Error(), "the people of 5 pools were fixed, and the state knows of 4"))
		require.ErrorIs(t, publish.CheckJudged(p.FS, p.Ledger, less), publish.ErrBehind)
	}
	content, err := p.FS.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "anond pools 3 fixed 5 quarantined 2 refused true people 9 barred 4\n", string(content))
	require.NoError(t, p.Unbar())
	require.NoError(t, p.KeepJudged(less(func(j *incremental.Judged) { j.Barred = 0 })), "it was to start over")
	require.ErrorIs(t, p.KeepJudged(less(func(j *incremental.Judged) { j.Barred, j.People = 0, 8 })), publish.ErrBehind)
	names, err := p.FS.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Contains(t, names, "ledger.pools")
	for _, name := range names {
		assert.NotContains(t, name, "tmp", "nothing temporary stays")
	}
}
