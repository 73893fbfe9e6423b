package upkeep

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/config"
)

// TestBackupsOfEarlierProcesses: what a start knows of them, so that a metric of their age
// does not begin anew.
func TestBackupsOfEarlierProcesses(t *testing.T) {
	c := &config.Config{Dataset: "hospital"}
	require.Nil(t, foundBackup(c))
	c.State.Backup.Dir = t.TempDir()
	require.True(t, foundBackup(c).Made.IsZero())
	at := time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)
	for i, name := range []string{"hospital-20260228T020000Z-r000006.db", "hospital-20260301T020000Z-r000007.db", "hospital-x.db",
		"clinic-20260401T020000Z-r000009.db"} {
		b := Backup{Made: at.AddDate(0, 0, i-1), Release: uint32(6 + i)}
		require.NoError(t, b.write(descriptionOf(filepath.Join(c.State.Backup.Dir, name))))
	}
	b := foundBackup(c)
	require.Equal(t, at, b.Made)
	require.Equal(t, at, b.Verified)
	require.EqualValues(t, 7, b.Release)
}
