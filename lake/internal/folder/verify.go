package folder

import (
	"fmt"
	"path/filepath"

	"anond/lake/internal/parquetfile"
	"anond/lake/internal/source"
	"anond/snapshot"
)

// Verify compares each row of the releases below out with the releases, and returns how many there are.
func Verify(files snapshot.FS, chain *source.Chain, out string) (releases int, err error) {
	for _, n := range chain.Readable() {
		there, err := readListing(files, out, n)
		if err != nil {
			return releases, err
		}
		if there == nil {
			continue
		}
		r, err := chain.Release(n)
		if err != nil {
			return releases, err
		}
		dir := filepath.Join(out, dirName(n))
		if there.ManifestSHA256 != r.SHA256 {
			return releases, fmt.Errorf("%s: %w", dir, ErrOther)
		}
		tables, err := r.Tables()
		if err != nil {
			return releases, err
		}
		for _, t := range tables {
			for i := range t.Parts {
				if err := parquetfile.Compare(files, filepath.Join(dir, pathOf(t, &t.Parts[i])), t, &t.Parts[i]); err != nil {
					return releases, err
				}
			}
		}
		releases++
	}
	return releases, nil
}

// pathOf is where the directory of a release has a part.
func pathOf(t *source.Table, p *source.Part) string { return t.Name + "/" + p.Label + ".parquet" }
