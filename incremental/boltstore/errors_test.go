package boltstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/incremental/state"
)

func TestFullDiskIsNoSpace(t *testing.T) {
	wrapped := &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	for _, err := range []error{wrapped, fmt.Errorf("file resize error: %s", wrapped), syscall.EDQUOT} {
		require.ErrorIs(t, writeError(err), state.ErrNoSpace)
	}
	require.NotErrorIs(t, writeError(errors.New("other")), state.ErrNoSpace)
	require.NoError(t, writeError(nil))
}

// TestAnotherFormatIsRefused: the message has both numbers, and says what to do.
func TestAnotherFormatIsRefused(t *testing.T) {
	for _, other := range []uint32{0, formatNumber - 1, formatNumber + 1} {
		path := filepath.Join(t.TempDir(), "anond.db")
		s, err := Open(path, Options{})
		require.NoError(t, err)
		require.NoError(t, s.update(func(tx *transaction) error {
			return (&writer{tx: tx}).put(inMeta, keyFormat, binary.BigEndian.AppendUint32(nil, other))
		}))
		require.NoError(t, s.Close())
		for _, readOnly := range []bool{false, true} {
			_, err = Open(path, Options{ReadOnly: readOnly})
			require.ErrorAs(t, err, new(*state.FormatError))
			require.ErrorContains(t, err, fmt.Sprintf("the state has format %d, and this anond reads format %d alone: ", other, formatNumber))
		}
		_, err = Check(path, Options{})
		require.ErrorAs(t, err, new(*state.FormatError))
	}
}
