package deadletter

import (
	"anond/incremental/state"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/internal/sealed"
)

// TestSealedPayloads: the file shows no payload, a repeated delivery writes nothing
// twice, and the key, no other, gives the payload back.
func TestSealedPayloads(t *testing.T) {
	key, err := sealed.ParseKey(strings.Repeat("a", 64))
	require.NoError(t, err)
	other, err := sealed.ParseKey(strings.Repeat("b", 64))
	require.NoError(t, err)
	dir := t.TempDir()
	letters := []state.DeadLetter{letter(1), letter(2), letter(3)}
	letters[0].Payload, letters[2].Payload = []byte("Waldemar Canary"), []byte{}
	deliver := func(upTo int) {
		file, err := OpenFile(dir)
		require.NoError(t, err)
		require.NoError(t, Seal(file, key).Deliver(context.Background(), letters[:upTo]))
		require.NoError(t, file.Close())
	}
	deliver(2)
	deliver(3) // as after a crash: the first two are there
	assert.Equal(t, "Waldemar Canary", string(letters[0].Payload), "the caller's letters stay as they are")

	content, err := os.ReadFile(filepath.Join(dir, FileName))
	require.NoError(t, err)
	lines := bytes.Split(bytes.TrimSpace(content), []byte("\n"))
	require.Len(t, lines, 3)
	assert.NotContains(t, string(content), "payload\":")
	for i, line := range lines {
		got, err := Decode(line)
		require.NoError(t, err)
		assert.Equal(t, letters[i].Payload != nil, got.Sealed)
		if got.Sealed {
			_, err = OpenPayload(got, other)
			require.ErrorIs(t, err, sealed.ErrWrongKey)
			_, err = OpenPayload(got, sealed.Key{})
			require.ErrorIs(t, err, sealed.ErrNoKey)
			moved := got
			moved.Offset++
			_, err = OpenPayload(moved, key)
			require.ErrorIs(t, err, sealed.ErrTampered)
		}
		open, err := OpenPayload(got, key)
		require.NoError(t, err)
		assert.Equal(t, string(letters[i].Payload), string(open.Payload))
		assert.Equal(t, letters[i].Payload == nil, open.Payload == nil)
	}
}
