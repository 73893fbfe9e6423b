package filesrc

import (
	"anond/incremental/state"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReread: single records of several files, packed or not, by the place that
// state knows them by; what is not wanted, or of no file that is there, is left out.
func TestReread(t *testing.T) {
	dir := t.TempDir()
	text := func(name string) string {
		return "id,x\n" + name + ",1\n" + strings.Repeat(name+",2\n", 3000) + name + ",3\n"
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.csv"), []byte(text("a")), 0o600))
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte(text("b")))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.csv.gz"), packed.Bytes(), 0o600))

	digest := func(b []byte) state.Digest { s := sha256.Sum256(b); return state.Digest(s[:16]) }
	part := func(name string) state.Partition {
		n := min(mostBeginning, len(text(name)))
		sum := digest([]byte(text(name)[:n]))
		return state.Partition{Source: fmt.Sprintf("file:%x:%d:", sum[:], n)}
	}
	last := int64(len(text("a")) - 4)
	var got []string
	cfg := Config{Paths: []string{filepath.Join(dir, "*")}, Layout: CSV}
	err = Reread(cfg, digest)(context.Background(), map[state.Partition][]int64{part("a"): {5, last}, part("b"): {9, 10, last},
		part("c"): {5}},
		func(p state.Partition, offset int64, _, value []byte, header []string) error {
			require.Equal(t, []string{"id", "x"}, header)
			require.Equal(t, part(string(value[:1])), p)
			got = append(got, string(value))
			return nil
		})
	require.NoError(t, err)
	require.Equal(t, []string{"a,1", "a,3", "b,2", "b,3"}, got, "9 is where a record starts, 10 is not")
}
