package format

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDocumentsAreHeldAgainstTheManifest: their bytes, their names, and which files datapackage.json speaks of.
func TestDocumentsAreHeldAgainstTheManifest(t *testing.T) {
	pack := `{"resources":[{"path":"part-000001/data.csv","bytes":3,"hash":"sha256:ab"}]}`
	for name, x := range map[string]struct {
		edit func(m *Manifest)
		pack string
		want int
	}{
		"whole":                {func(*Manifest) {}, pack, 0},
		"no documents":         {func(m *Manifest) { m.Documents = nil }, pack, 1},
		"one alone":            {func(m *Manifest) { m.Documents = m.Documents[:1] }, pack, 1},
		"other bytes":          {func(m *Manifest) { m.Documents[1].SHA256 = "00" }, pack, 1},
		"not there":            {func(m *Manifest) { m.Documents[1].Name = "readme.md" }, pack, 1},
		"a file left out":      {func(*Manifest) {}, `{"resources":[]}`, 1},
		"a file with bytes":    {func(*Manifest) {}, strings.Replace(pack, ":3", ":4", 1), 1},
		"a file of other hash": {func(*Manifest) {}, strings.Replace(pack, "ab", "ac", 1), 1},
		"a file too many":      {func(*Manifest) {}, strings.Replace(pack, "[", `[{"path":"x"},`, 1), 1},
		"no JSON":              {func(*Manifest) {}, "x", 1},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			m := &Manifest{Parts: []Part{{Name: "part-000001", Files: []File{{Name: "data.csv", SHA256: "ab", Bytes: 3}}}}}
			for i, text := range []string{x.pack, "sheet"} {
				require.NoError(t, os.WriteFile(filepath.Join(dir, documentNames[i]), []byte(text), 0o600))
				m.Documents = append(m.Documents, Document{documentNames[i], HexSHA([]byte(text)), int64(len(text))})
			}
			x.edit(m)
			f := &Faults{}
			_, err := CheckDocuments(dir, m, f)
			require.NoError(t, err)
			require.Len(t, f.Sorted(), x.want)
		})
	}
}
