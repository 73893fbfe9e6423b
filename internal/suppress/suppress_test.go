package suppress

import (
	"anond/incremental/state"
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	key    = []byte("a key that follows from a seed")
	people = []state.Digest{{0: 1, 15: 2}, {7: 0xab}}
)

// golden is version 1 as every later version must read it.
const golden = `anond forgotten 1
01000000000000000000000000000002
00000000000000ab0000000000000000
hmac-sha256 5d2e0b6f
`

func TestGoldenList(t *testing.T) {
	want, err := os.ReadFile(filepath.Join("testdata", "version1.txt"))
	require.NoError(t, err)
	require.Equal(t, string(want), string(encode(people, key)))
	list, err := decode(want, key)
	require.NoError(t, err)
	require.Equal(t, people, list)
}

// TestChangedLists: no byte of a list can be changed, added or removed unnoticed.
func TestChangedLists(t *testing.T) {
	data := encode(people, key)
	for i := range data {
		changed := bytes.Clone(data)
		changed[i] ^= 1
		_, err := decode(changed, key)
		require.Error(t, err, "byte %d", i)
		_, err = decode(data[:i], key)
		require.Error(t, err, "cut off at %d", i)
	}
	_, err := decode(append(bytes.Clone(data), '\n'), key)
	require.ErrorIs(t, err, ErrDamaged)
	_, err = decode(data, []byte("another"))
	require.ErrorIs(t, err, ErrForeign)
	_, err = decode([]byte("anond forgotten 2\n"), key)
	require.ErrorIs(t, err, errNewer)
	_, err = decode([]byte(golden), key)
	require.ErrorIs(t, err, ErrForeign)
	_, err = decode(bytes.Replace(data, []byte("00000000000000ab"), []byte("00000000000000a"), 1), key)
	require.ErrorContains(t, err, "line 3")
}

func TestReadAndWrite(t *testing.T) {
	path := Path(filepath.Join(t.TempDir(), "deep", "ledger"))
	list, err := Read(path, key)
	require.NoError(t, err)
	require.Empty(t, list)
	require.NoError(t, Write(path, people[:1], key))
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), ".ledger.forgotten.tmp"), []byte("of a killed process"), 0o600))
	require.NoError(t, Write(path, people, key))
	list, err = Read(path, key)
	require.NoError(t, err)
	assert.Equal(t, people, list)
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
	_, err = Read(path, nil)
	require.ErrorIs(t, err, ErrForeign)
	require.ErrorContains(t, err, path)
}

// FuzzDecode: whatever a file holds, decode neither panics nor accepts what encode does not write.
func FuzzDecode(f *testing.F) {
	f.Add(encode(people, key))
	f.Add(encode(nil, key))
	f.Add([]byte(golden))
	f.Add([]byte("anond forgotten 2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if list, err := decode(data, key); err == nil {
			require.Equal(t, string(encode(list, key)), string(data))
		}
	})
}
