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
	open, seen, newest := map[string]*table{}, map[string]bool{}, uint32(0)
	err = chain.Each(func(r *source.Release, of *source.Table, p *source.Part) error {
		dir := filepath.Join(w.Dir, of.Dataset(), of.Name)
		path := filepath.Join(dir, nameOf(p))
		if _, err := w.Files.Stat(dir); errors.Is(err, fs.ErrNotExist) || seen[path] {
			return nil
		}
		t, err := w.table(chain, of, open)
		if err != nil || t.meta == nil || !t.meta.has(r.Manifest.Release) {
			return err
		}
		if seen[path] = true; r.Manifest.Release > newest {
			newest = r.Manifest.Release
			releases++
		}
		return parquetfile.Compare(w.Files, path, of, p)
	})
	return releases, err
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
