package boltstore_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/incremental/boltstore"
	"anond/incremental/state"
)

// TestFlippedFreelistIsSeen turns each bit of the list of free pages, one at a time. How many
// pages it has made a commit run without end and take all memory; a page on it that is in
// use would be written over.
func TestFlippedFreelistIsSeen(t *testing.T) {
	tier.NotShort(t, "it opens a state for each flipped byte")
	path := filepath.Join(t.TempDir(), "anond.db")
	images := history(t, path, 5)
	image := images[len(images)-1]
	at, entries := freelistOf(image)
	require.Positive(t, entries)
	seen := 0
	for bit := range 8 * (16 + 8*entries) {
		flipped := bytes.Clone(image)
		flipped[at+bit/8] ^= 1 << (bit % 8)
		require.NoError(t, os.WriteFile(path, flipped, 0o600))
		s, err := boltstore.Open(path, fast)
		if err == nil { // a shorter list, or another page that is not used: nothing is lost
			require.True(t, bit/8 == 10 || bit/8 == 11 || bit/8 >= 16, "bit %d of byte %d is not seen", bit%8, bit/8)
			require.NoError(t, s.Close())
			continue
		}
		seen++
		require.ErrorIs(t, err, state.ErrCorrupt)
		faults, err := boltstore.Check(path, boltstore.Options{})
		require.NoError(t, err)
		require.NotEmpty(t, faults)
	}
	require.Greater(t, seen, 8*16-16)
}

// freelistOf is where the newest list of free pages begins, and how many it names.
func freelistOf(image []byte) (at, entries int) {
	newest := uint64(0)
	for meta := range 2 {
		b := image[4096*meta+16:]
		if txid := binary.NativeEndian.Uint64(b[48:]); txid > newest {
			newest, at = txid, 4096*int(binary.NativeEndian.Uint64(b[32:]))
		}
	}
	return at, int(binary.NativeEndian.Uint16(image[at+10:]))
}
