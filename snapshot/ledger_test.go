package snapshot_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot"
)

func TestDamagedLedger(t *testing.T) {
	sum := strings.Repeat("ab", 32)
	for _, text := range []string{"x " + sum + "\n", "1 " + sum + "\n3 " + sum + "\n", "1  " + sum + "\n", "01 " + sum + "\n",
		"0 " + sum + "\n",
		"1 " + sum[2:] + "\n", "1 " + strings.ToUpper(sum) + "\n", "1 " + sum + "\r\n", "\n", "1 " + sum + "\n1 " + sum + "\n"} {
		path := filepath.Join(t.TempDir(), "ledger")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		_, err := snapshot.ReadLedger(snapshot.OS(), path)
		require.ErrorIs(t, err, snapshot.ErrDamaged, text)
	}
}
