package boltstore

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHeld: a file is held while a store has it open, and only then.
func TestHeld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anond.db")
	require.False(t, Held(path))
	s, err := Open(path, Options{NoSync: true})
	require.NoError(t, err)
	require.True(t, Held(path))
	require.NoError(t, s.Close())
	require.False(t, Held(path))
}

func TestFindHolder(t *testing.T) {
	locks := strings.Join([]string{
		"1: POSIX  ADVISORY  WRITE 11 fe:00:131092 0 EOF",
		"2: FLOCK  ADVISORY  WRITE 12 fe:00:131093 0 EOF",
		"3: -> FLOCK  ADVISORY  WRITE 13 fe:00:131092 0 EOF",
		"4: FLOCK  ADVISORY  WRITE -1 fe:00:131092 0 EOF",
		"5: FLOCK  ADVISORY  WRITE 4711 fe:00:131092 0 EOF",
		"broken",
	}, "\n")
	require.Equal(t, 4711, findHolder(strings.NewReader(locks), fileName(0xfe00, 131092)))
	require.Zero(t, findHolder(strings.NewReader(locks), fileName(0xfe00, 1)))
	require.Equal(t, "103:05:9", fileName(0x10305, 9))
}
