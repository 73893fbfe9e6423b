package warehouse

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/parquet-go/parquet-go"

	"anond/snapshot"
)

// tableRows reads a table as an engine does: from a metadata file to the list of a
// snapshot, its manifest, and the Parquet files. It returns the rows of each snapshot,
// sorted, as texts.
func tableRows(files snapshot.FS, dir string) (map[int64][]string, error) {
	t, err := openTable(files, dir)
	if err != nil || t.meta == nil {
		return nil, err
	}
	out := map[int64][]string{}
	for i := range t.meta.Snapshots {
		s := &t.meta.Snapshots[i]
		if out[s.SnapshotID], err = snapshotRows(t, s); err != nil {
			return nil, fmt.Errorf("snapshot %d: %w", s.SnapshotID, err)
		}
	}
	return out, nil
}

func snapshotRows(t *table, s *state) (rows []string, err error) {
	list, err := t.read(s.ManifestList)
	if err != nil {
		return nil, err
	}
	manifests, err := iceberg.ReadManifestList(bytes.NewReader(list))
	if err != nil {
		return nil, err
	}
	for _, m := range manifests {
		data, err := t.read(m.FilePath())
		if err != nil {
			return nil, err
		}
		if int64(len(data)) != m.Length() {
			return nil, fmt.Errorf("%s has %d bytes, the list says %d", m.FilePath(), len(data), m.Length())
		}
		entries, err := iceberg.ReadManifest(m, bytes.NewReader(data), true)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			more, err := fileRows(t, e)
			if err != nil {
				return nil, err
			}
			rows = append(rows, more...)
		}
	}
	slices.Sort(rows)
	return rows, nil
}

func fileRows(t *table, e iceberg.ManifestEntry) (rows []string, err error) {
	data, err := t.read(e.DataFile().FilePath())
	if err != nil {
		return nil, err
	}
	if int64(len(data)) != e.DataFile().FileSizeBytes() {
		return nil, fmt.Errorf("%s has %d bytes, its entry says %d", e.DataFile().FilePath(), len(data), e.DataFile().FileSizeBytes())
	}
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	for _, g := range f.RowGroups() {
		if rows, err = groupRows(g, rows); err != nil {
			return nil, err
		}
	}
	if int64(len(rows)) != e.DataFile().Count() {
		return nil, fmt.Errorf("%s has %d rows, its entry says %d", e.DataFile().FilePath(), len(rows), e.DataFile().Count())
	}
	return rows, nil
}

func groupRows(g parquet.RowGroup, rows []string) ([]string, error) {
	r := g.Rows()
	buf := make([]parquet.Row, 1)
	for {
		n, err := r.ReadRows(buf)
		if n == 1 {
			var texts []string
			for _, v := range buf[0] {
				texts = append(texts, v.String())
			}
			rows = append(rows, strings.Join(texts, ";"))
		}
		if err == io.EOF {
			return rows, r.Close()
		}
		if err != nil {
			return nil, err
		}
	}
}

func sameRows(a, b map[int64][]string) bool { return maps.EqualFunc(a, b, slices.Equal[[]string]) }
