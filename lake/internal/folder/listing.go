package folder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"anond/lake/internal/parquetfile"
	"anond/lake/internal/source"
	"anond/snapshot"
)

// listingName is the file that says what the files of a release were made from.
const listingName = "lake.json"

// listing is lake.json.
type listing struct {
	Format         int     `json:"format"`
	Dataset        string  `json:"dataset"`
	Release        uint32  `json:"release"`
	ManifestSHA256 string  `json:"manifest_sha256"` // of the release: it names the hash of every file that these were made from
	Records        int     `json:"records"`
	Files          []entry `json:"files"`
}

// entry is one Parquet file.
type entry struct {
	Path   string `json:"path"` // table/part.parquet
	Source string `json:"source"`
	Rows   int64  `json:"rows"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// tables are the parts of each table.
func (l *listing) tables() map[string][]source.Held {
	out := map[string][]source.Held{}
	for _, e := range l.Files {
		table, part := path.Split(e.Path)
		table = path.Clean(table)
		out[table] = append(out[table], source.Held{Label: strings.TrimSuffix(part, ".parquet"), Rows: e.Rows})
	}
	return out
}

func dirName(release uint32) string { return fmt.Sprintf("%06d", release) }

// readListing reads lake.json of a release; nil if there is no such release.
func readListing(files snapshot.FS, out string, release uint32) (*listing, error) {
	path := filepath.Join(out, dirName(release), listingName)
	data, err := files.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := files.Stat(filepath.Dir(path)); err == nil {
			return nil, fmt.Errorf("%s was not written by anond-lake: it has no %s", filepath.Dir(path), listingName)
		}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	l, err := decodeListing(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}

func decodeListing(data []byte) (*listing, error) {
	l := &listing{}
	if json.Unmarshal(data, l) != nil || l.Release == 0 {
		return nil, errors.New("it is no list of files")
	}
	for _, e := range l.Files {
		if !filepath.IsLocal(filepath.FromSlash(e.Path)) {
			return nil, errors.New("it names a file outside its directory")
		}
	}
	return l, nil
}

// newestBelow is the listing of the newest release before one, whose files were made in
// the same way; nil if there is none.
func newestBelow(files snapshot.FS, out string, release uint32) (*listing, error) {
	names, err := files.ReadDir(out)
	if err != nil {
		return nil, err
	}
	newest := uint32(0)
	for _, name := range names {
		n, err := strconv.ParseUint(name, 10, 32)
		if err == nil && dirName(uint32(n)) == name && uint32(n) < release {
			newest = max(newest, uint32(n))
		}
	}
	if newest == 0 {
		return nil, nil
	}
	l, err := readListing(files, out, newest)
	if err != nil || l == nil || l.Format != parquetfile.Format {
		return nil, err
	}
	return l, nil
}
