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

	"anond/incremental"
)

func TestFullDiskIsNoSpace(t *testing.T) {
	wrapped := &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	for _, err := range []error{wrapped, fmt.Errorf("file resize error: %s", wrapped), syscall.EDQUOT} {
		require.ErrorIs(t, writeError(err), incremental.ErrNoSpace)
	}
	require.NotErrorIs(t, writeError(errors.New("other")), incremental.ErrNoSpace)
	require.NoError(t, writeError(nil))
}

func TestNewerFormatIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anond.db")
	s, err := Open(path, Options{})
	require.NoError(t, err)
	require.NoError(t, s.update(func(tx *transaction) error {
		return (&writer{tx: tx}).put(inMeta, keyFormat, binary.BigEndian.AppendUint32(nil, formatNewest+1))
	}))
	require.NoError(t, s.Close())
	for _, readOnly := range []bool{false, true} {
		_, err = Open(path, Options{ReadOnly: readOnly})
		require.ErrorIs(t, err, incremental.ErrNewerFormat)
	}
	_, err = Check(path, Options{})
	require.ErrorIs(t, err, incremental.ErrNewerFormat)
}
