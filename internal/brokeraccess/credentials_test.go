package brokeraccess

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTokens: files and programs give tokens, bounded, and their faults name the key.
func TestTokens(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	_, err := tokenFile("source.kafka", path)(t.Context())
	require.ErrorContains(t, err, "source.kafka.sasl.token_file: open "+path)
	require.NoError(t, os.WriteFile(path, []byte("abc\n"), 0o600))
	text, err := tokenFile("source.kafka", path)(t.Context())
	require.NoError(t, err)
	require.Equal(t, "abc\n", text)
	text, err = tokenCommand("source.kafka", []string{"cat", path})(t.Context())
	require.NoError(t, err)
	require.Equal(t, "abc\n", text)
	_, err = tokenCommand("source.kafka", []string{"sh", "-c", "echo secret; echo secret >&2; exit 3"})(t.Context())
	require.EqualError(t, err, "source.kafka.sasl.token_command sh: exit status 3")
	_, err = tokenCommand("source.kafka", []string{"head", "-c", "70000", "/dev/zero"})(t.Context())
	require.ErrorContains(t, err, "more than")
}
