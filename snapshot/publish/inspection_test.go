package publish_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/snapshot"
	"anond/snapshot/publish"
	"anond/snapshot/verify"
)

// inspection of what published made.
func inspection(p *publish.Publisher, entries []snapshot.LedgerEntry) (*verify.Inspection, *[]verify.Finding) {
	found := &[]verify.Finding{}
	return &verify.Inspection{FS: p.FS, Dir: p.Dir, Published: entries, Found: func(f verify.Finding) { *found = append(*found, f) }},
		found
}

// TestInspectionFindsWhatVerifyFinds: at each file of both releases, a flipped
// byte and its absence.
func TestInspectionFindsWhatVerifyFinds(t *testing.T) {
	p, _ := published(t)
	ledger, err := snapshot.ReadLedger(p.FS, p.Ledger)
	require.NoError(t, err)
	look, found := inspection(p, ledger.Entries)
	v, err := look.Run(context.Background())
	require.NoError(t, err)
	require.Empty(t, *found)
	assert.Equal(t, 2, v.Releases)
	assert.Equal(t, 10, v.Files)
	for _, name := range []string{"000001/manifest.json", "000002/part-000001/qit.csv", "000002/part-000002/st.csv", "000002/manifest.json",
		"000001/datapackage.json", "000002/receiver.md",
		"hierarchies/postcode.csv"} {
		path := filepath.Join(p.Dir, filepath.FromSlash(name))
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		data[len(data)/2] ^= 1
		overwrite(t, path, data)
		look, found = inspection(p, ledger.Entries)
		_, err = look.Run(context.Background())
		require.NoError(t, err)
		require.NotEmpty(t, *found, name)
		assert.Equal(t, name, (*found)[0].File)
		require.NoError(t, os.Remove(path))
		look, found = inspection(p, ledger.Entries)
		_, err = look.Run(context.Background())
		require.NoError(t, err)
		require.NotEmpty(t, *found, name)
		assert.Equal(t, name, (*found)[0].File)
		data[len(data)/2] ^= 1
		require.NoError(t, os.WriteFile(path, data, 0o600))
	}
}

// TestInspectionStops: a stop is no fault of the files.
func TestInspectionStops(t *testing.T) {
	p, _ := published(t)
	ledger, err := snapshot.ReadLedger(p.FS, p.Ledger)
	require.NoError(t, err)
	big := make([]byte, 3<<20)
	overwrite(t, filepath.Join(p.Dir, "000002", "part-000002", "qit.csv"), big)
	ctx, cancel := context.WithCancel(context.Background())
	look, found := inspection(p, ledger.Entries)
	pauses := 0
	look.Pause = func(context.Context) { pauses++; cancel() }
	_, err = look.Run(ctx)
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, *found)
	assert.Equal(t, 1, pauses)
}

// TestDamagedNewestManifestIsNoOtherHistory: as long as the ledger is on the
// state's side.
func TestDamagedNewestManifestIsNoOtherHistory(t *testing.T) {
	p, intents := published(t)
	path := filepath.Join(p.Dir, "000002", "manifest.json")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	overwrite(t, path, append(data, '\n'))
	var damaged *verify.DamageError
	err = reconcile(p, intents)
	require.ErrorAs(t, err, &damaged)
	assert.Equal(t, "000002/manifest.json", damaged.First.File)
	assert.NotErrorIs(t, err, publish.ErrBehind)
	overwrite(t, path, data[:10])
	require.NoError(t, os.Remove(p.Ledger))
	assert.ErrorAs(t, reconcile(p, intents), &damaged, "what is no manifest is no other history")
}
