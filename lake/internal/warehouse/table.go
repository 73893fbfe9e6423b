package warehouse

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"

	"anond/lake/internal/durable"
	"anond/lake/internal/source"
	"anond/snapshot"
)

// Names in the directory of a table.
const (
	dataDir     = "data"
	metadataDir = "metadata"
	hintName    = "version-hint.text"
	suffix      = ".metadata.json"
)

// keptMetadata is how many metadata files stay: the newest has all snapshots, the others
// are for readers that have begun with them.
const keptMetadata = 20

// table is an Iceberg table in a directory.
type table struct {
	files   snapshot.FS
	dir     string
	version int       // of the newest metadata file; 0: there is none yet
	meta    *metadata // of it
}

// openTable reads the newest metadata file. Its name was made by a rename, so it is whole.
func openTable(files snapshot.FS, dir string) (*table, error) {
	t := &table{files: files, dir: dir}
	names, err := files.ReadDir(filepath.Join(dir, metadataDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, name := range names {
		if n, ok := parseVersion(name); ok {
			t.version = max(t.version, n)
		} else if strings.HasSuffix(name, suffix) && !durable.Temporary(name) {
			return nil, fmt.Errorf("%s: %w: it names its metadata otherwise", filepath.Join(dir, metadataDir, name), errForeign)
		}
	}
	if t.version == 0 {
		return t, nil
	}
	path := t.metadataPath(t.version)
	data, err := files.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if t.meta, err = decodeMetadata(data); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if t.meta.Location != t.location() {
		return nil, fmt.Errorf("%s: the table was made at %s and cannot be moved: its files are named by their paths", path, t.meta.Location)
	}
	return t, t.repairHint()
}

func versionName(n int) string { return fmt.Sprintf("v%d%s", n, suffix) }

func parseVersion(name string) (int, bool) {
	digits, ok := strings.CutSuffix(strings.TrimPrefix(name, "v"), suffix)
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n > 0 && versionName(n) == name
}

func (t *table) metadataPath(n int) string { return filepath.Join(t.dir, metadataDir, versionName(n)) }

// location is how metadata names the directory.
func (t *table) location() string { return "file://" + filepath.ToSlash(t.dir) }

func (t *table) uri(below string) string { return t.location() + "/" + below }

// path is the path of a file that metadata names.
func (t *table) path(uri string) (string, error) {
	below, ok := strings.CutPrefix(uri, t.location()+"/")
	if !ok || !filepath.IsLocal(filepath.FromSlash(below)) {
		return "", fmt.Errorf("%s: %w: it names a file outside the table", t.dir, errForeign)
	}
	return filepath.Join(t.dir, filepath.FromSlash(below)), nil
}

// newest is the newest release of the table, 0 if there is none.
func (t *table) newest() uint32 {
	if t.meta == nil {
		return 0
	}
	return uint32(t.meta.newest().SnapshotID)
}

// check holds the releases of the table against those of the directory.
func (t *table) check(chain *source.Chain) error {
	if t.meta == nil {
		return nil
	}
	if n := t.newest(); n > chain.Newest() {
		return fmt.Errorf("%s holds release %d: %w: their newest is %d", t.dir, n, errBehind, chain.Newest())
	}
	for _, s := range t.meta.Snapshots {
		sum, known := chain.SHA256(uint32(s.SnapshotID))
		if !known || sum != s.Summary[keyManifest] {
			return fmt.Errorf("%s: release %d: %w: the table was made of a manifest with SHA-256 %s", t.dir, s.SnapshotID, errOther,
				s.Summary[keyManifest])
		}
	}
	return nil
}

// live are the entries of the files that the newest snapshot has, by URI.
func (t *table) live() (map[string]iceberg.ManifestEntry, error) {
	if t.meta == nil {
		return map[string]iceberg.ManifestEntry{}, nil
	}
	return t.liveIn(t.meta.newest())
}

// liveIn are those of a snapshot.
func (t *table) liveIn(s *state) (map[string]iceberg.ManifestEntry, error) {
	out := map[string]iceberg.ManifestEntry{}
	list, err := t.read(s.ManifestList)
	if err != nil {
		return nil, err
	}
	manifests, err := iceberg.ReadManifestList(bytes.NewReader(list))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.ManifestList, err)
	}
	for _, m := range manifests {
		data, err := t.read(m.FilePath())
		if err != nil {
			return nil, err
		}
		entries, err := iceberg.ReadManifest(m, bytes.NewReader(data), true)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.FilePath(), err)
		}
		for _, e := range entries {
			out[e.DataFile().FilePath()] = e
		}
	}
	return out, nil
}

func (t *table) read(uri string) ([]byte, error) {
	path, err := t.path(uri)
	if err != nil {
		return nil, err
	}
	return t.files.ReadFile(path)
}
