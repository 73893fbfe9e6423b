package warehouse

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"anond/lake/internal/parquetfile"
	"anond/lake/internal/source"
)

// Verify compares each row of the tables with the releases, and returns how many releases the tables have.
func (w *Warehouse) Verify(chain *source.Chain) (releases int, err error) {
	open, seen := map[string]*table{}, map[string]bool{}
	for _, n := range chain.Readable() {
		r, err := chain.Release(n)
		if err != nil {
			return releases, err
		}
		tables, err := r.Tables()
		if err != nil {
			return releases, err
		}
		for _, of := range tables {
			dir := filepath.Join(w.Dir, of.Dataset(), of.Name)
			if _, err := w.Files.Stat(dir); errors.Is(err, fs.ErrNotExist) {
				return releases, nil
			}
			t, err := w.table(chain, of, open)
			if err != nil {
				return releases, err
			}
			if t.newest() < n {
				return releases, nil
			}
			for i := range of.Parts {
				p := &of.Parts[i]
				if path := filepath.Join(dir, nameOf(p)); !seen[path] {
					seen[path] = true
					if err := parquetfile.Compare(w.Files, path, of, p); err != nil {
						return releases, err
					}
				}
			}
		}
		releases++
	}
	return releases, nil
}

// nameOf is where a table has a part.
func nameOf(p *source.Part) string { return dataDir + "/" + p.Label + "-" + p.Identity() + ".parquet" }

// whole demands that the files of the newest snapshot are there, with their sizes and the rows that it says.
func (t *table) whole() error {
	live, err := t.live()
	if err != nil || t.meta == nil {
		return err
	}
	rows := int64(0)
	for uri, e := range live {
		path, err := t.path(uri)
		if err == nil {
			err = parquetfile.Sized(t.files, path, e.DataFile().FileSizeBytes())
		}
		if err != nil {
			return err
		}
		rows += e.DataFile().Count()
	}
	if total := t.meta.newest().Summary["total-records"]; fmt.Sprint(rows) != total {
		return fmt.Errorf("%s: %w: its files have %d rows, its newest snapshot %s", t.dir, parquetfile.ErrLost, rows, total)
	}
	return nil
}
