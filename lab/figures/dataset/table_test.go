package dataset

import (
	"compress/gzip"
	"encoding/csv"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file is unpacked by its name, and an error says which file it is.
func TestReadCSV(t *testing.T) {
	dir := t.TempDir()
	files := os.DirFS(dir)
	plain, packed, broken := filepath.Join(dir, "a.csv"), filepath.Join(dir, "a.csv.gz"), filepath.Join(dir, "broken.csv.gz")
	require.NoError(t, os.WriteFile(plain, []byte("a,b\n"), 0o600))
	f, err := os.Create(packed)
	require.NoError(t, err)
	z := gzip.NewWriter(f)
	_, err = z.Write([]byte("a,b\n"))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	require.NoError(t, f.Close())
	require.NoError(t, os.WriteFile(broken, []byte("a,b\n"), 0o600))

	for _, path := range []string{plain, packed} {
		var got []string
		require.NoError(t, ReadCSV(files, filepath.Base(path), func(r *csv.Reader) (err error) { got, err = r.Read(); return err }))
		require.Equal(t, []string{"a", "b"}, got)
	}
	require.ErrorContains(t, ReadCSV(files, "broken.csv.gz", nil), "broken.csv.gz")
	require.ErrorIs(t, ReadCSV(files, "none.csv", nil), os.ErrNotExist)
	require.EqualError(t, ReadCSV(files, "a.csv", func(*csv.Reader) error { return os.ErrInvalid }), "a.csv: invalid argument")
}

func TestOtherDatasetsAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "adult.csv.gz")
	f, err := os.Create(path)
	require.NoError(t, err)
	z := gzip.NewWriter(f)
	_, err = z.Write([]byte("a,b\n1,2\n"))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	require.NoError(t, f.Close())
	_, err = Source(filepath.Dir(path)).Adult(0, Column{Name: "age"})
	require.EqualError(t, err, `adult.csv.gz: no column "age": this is another dataset`)
}
