package boltstore_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/incremental"
	"anond/incremental/boltstore"
)

// TestUpgradingListsEveryFormat: docs/UPGRADING.md has each format up to the newest, with what
// this version does with it; of each that has a file from its time, that is what happens.
func TestUpgradingListsEveryFormat(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "UPGRADING.md"))
	require.NoError(t, err)
	rows := regexp.MustCompile(`(?m)^\| (\d+) \| (0\.\d+\.\d+) \| .+ \| yes.* \|$`).FindAllStringSubmatch(string(doc), -1)
	require.Len(t, rows, boltstore.FormatNewest)
	for i, row := range rows {
		require.Equal(t, strconv.Itoa(i+1), row[1])
		packed := filepath.Join("testdata", fmt.Sprintf("format%d.db.gz", i+1))
		if _, err := os.Stat(packed); errors.Is(err, fs.ErrNotExist) {
			require.Equal(t, "5", row[1], "an encrypted file is like any other of format 4: TestEncrypted and others make it")
			continue
		}
		path := filepath.Join(t.TempDir(), "anond.db")
		require.NoError(t, os.WriteFile(path, unpackFile(t, packed), 0o600))
		_, err := readFile(path)
		require.NoError(t, err, "format %s", row[1])
	}
	require.Contains(t, string(doc), "`"+incremental.ErrNewerFormat.Error()+"`", "how a newer format is refused")
}
