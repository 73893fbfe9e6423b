package warehouse

import (
	"path/filepath"
	"strings"

	"github.com/apache/iceberg-go"

	"anond/lake/internal/source"
)

// held are the parts whose files are live, by the names that nameOf gave them.
func held(live map[string]iceberg.ManifestEntry) (out []source.Held) {
	for uri, e := range live {
		name := strings.TrimSuffix(uri[strings.LastIndexByte(uri, '/')+1:], ".parquet")
		out = append(out, source.Held{Label: name[:strings.LastIndexByte(name, '-')], Rows: e.DataFile().Count()})
	}
	return out
}

// withdraw removes the files of rows that no snapshot has any more. A run that was stopped before leaves it to the next one:
// the newest snapshot says that something left.
func (t *table) withdraw() error {
	if t.meta == nil || t.meta.newest().Summary[keyLeft] == "" {
		return nil
	}
	named := map[string]bool{}
	for i := range t.meta.Snapshots {
		live, err := t.liveIn(&t.meta.Snapshots[i])
		if err != nil {
			return err
		}
		for uri := range live {
			named[filepath.Base(uri)] = true
		}
	}
	dir := filepath.Join(t.dir, dataDir)
	files, err := t.files.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, name := range files {
		if !named[name] {
			if err := t.files.RemoveAll(filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	return t.files.Sync(dir)
}
