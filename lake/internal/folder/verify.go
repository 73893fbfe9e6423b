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
	have := map[uint32]*listing{}
	err = chain.Each(func(r *source.Release, t *source.Table, p *source.Part) (err error) {
		n := r.Manifest.Release
		l, read := have[n]
		if !read {
			if l, err = readListing(files, out, n); err != nil {
				return err
			}
			if have[n] = l; l != nil {
				releases++
			}
		}
		switch {
		case l == nil:
			return nil
		case l.ManifestSHA256 != r.SHA256:
			return fmt.Errorf("%s: %w", filepath.Join(out, dirName(n)), errOther)
		}
		return parquetfile.Compare(files, filepath.Join(out, dirName(n), pathOf(t, p)), t, p)
	})
	return releases, err
}

// pathOf is where the directory of a release has a part.
func pathOf(t *source.Table, p *source.Part) string { return t.Name + "/" + p.Label + ".parquet" }
