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
	hash := strings.Repeat("ab", 32)
	sum := hash + " parts " + hash + " algorithm 10 people 5 digests 7"
	for _, text := range []string{"x " + sum + "\n", "1 " + sum + "\n3 " + sum + "\n", "1  " + sum + "\n", "01 " + sum + "\n",
		"0 " + sum + "\n",
		"1 " + sum[2:] + "\n", "1 " + strings.ToUpper(hash) + sum[64:] + "\n", "1 " + hash + "\n",
		"1 " + sum + " \n", "1 " + sum[:len(sum)-1] + "\n",
		strings.Replace("1 "+sum+"\n", "people 5", "people -5", 1), strings.Replace("1 "+sum+"\n", "people 5", "people 05", 1),
		"1 " + sum + "\r\n", "\n", "1 " + sum + "\n1 " + sum + "\n"} {
		path := filepath.Join(t.TempDir(), "ledger")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		_, err := snapshot.ReadLedger(snapshot.OS(), path)
		require.ErrorIs(t, err, snapshot.ErrDamaged, text)
	}
}
