package warehouse

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"github.com/apache/iceberg-go"

	"anond/internal/disk"
	"anond/lake/internal/durable"
	"anond/lake/internal/parquetfile"
	"anond/lake/internal/source"
	"anond/snapshot"
)

// commit makes a release the newest snapshot of a table, in steps of which each is durable
// before the next:
//
//  1. the Parquet files of the parts that the table lacks,
//  2. the manifest, with what is added, kept and removed, and the list that names it,
//  3. the metadata file under its name: from here on the release is in the table,
//  4. the hint that names it,
//  5. what no snapshot names any more is removed, where parts have left (rule W): then the metadata of 3 has lost the
//     snapshots with rows of theirs.
//
// All names follow from the release, so an attempt after a crash writes the same files.
type commit struct {
	*table
	release  *source.Release
	of       *source.Table
	schema   *iceberg.Schema
	number   int64
	added    []iceberg.ManifestEntry
	kept     []iceberg.ManifestEntry
	removed  []iceberg.ManifestEntry
	manifest iceberg.ManifestFile
	left     int64 // the oldest release with rows of parts that left; 0: none did
}

func (t *table) commit(r *source.Release, of *source.Table) (*commit, error) {
	c := &commit{table: t, release: r, of: of, schema: schemaOf(of.Columns), number: int64(r.Manifest.Release)}
	if t.meta != nil && len(of.Columns) == 0 { // it has no parts
		c.schema = t.meta.Schemas[0]
	}
	if t.meta != nil && !t.meta.Schemas[0].Equals(c.schema) {
		return nil, fmt.Errorf("%s: release %d has other columns than the table: write to another warehouse", t.dir, c.number)
	}
	for _, step := range []func() error{c.data, c.lists, c.publish, t.writeHint, t.forgetOld, t.withdraw} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// data decides which files the snapshot has, and writes those that are not there.
func (c *commit) data() error {
	if err := disk.MakeDir(c.files, filepath.Join(c.dir, dataDir)); err != nil {
		return err
	}
	live, err := c.live()
	if err != nil {
		return err
	}
	before, rows := held(live), int64(0)
	for i := range c.of.Parts {
		p := &c.of.Parts[i]
		name := nameOf(p)
		e, there := live[c.uri(name)]
		delete(live, c.uri(name))
		if there {
			c.kept = append(c.kept, e)
		} else if e, err = c.write(name, p); err != nil {
			return err
		} else {
			c.added = append(c.added, e)
		}
		rows += e.DataFile().Count()
	}
	if c.of.Records >= 0 && rows != int64(c.of.Records) {
		return fmt.Errorf("%w: the parts of release %d have %d records, its manifest says %d", snapshot.ErrDamaged, c.number, rows, c.of.Records)
	}
	for _, uri := range slices.Sorted(maps.Keys(live)) {
		c.removed = append(c.removed, live[uri])
	}
	now := map[string]iceberg.ManifestEntry{}
	for _, e := range slices.Concat(c.added, c.kept) {
		now[e.DataFile().FilePath()] = e
	}
	c.left = int64(c.release.Left(before, held(now)))
	return c.files.Sync(filepath.Join(c.dir, dataDir))
}

func (c *commit) write(name string, p *source.Part) (iceberg.ManifestEntry, error) {
	var rows int64
	size, err := durable.Put(c.files, filepath.Join(c.dir, filepath.FromSlash(name)), func(to io.Writer) (err error) {
		rows, err = parquetfile.Write(to, c.of, p)
		return err
	})
	if err != nil {
		return nil, err
	}
	b, err := iceberg.NewDataFileBuilder(*iceberg.UnpartitionedSpec, iceberg.EntryContentData, c.uri(name), iceberg.ParquetFile, nil, nil, nil,
		rows, size)
	if err != nil {
		return nil, err
	}
	return iceberg.NewManifestEntryBuilder(iceberg.EntryStatusADDED, &c.number, b.Build()).Build(), nil
}

// lists writes the manifest and the list. One manifest names all files: a release has
// fewer than a hundred parts.
func (c *commit) lists() error {
	if err := disk.MakeDir(c.files, filepath.Join(c.dir, metadataDir)); err != nil {
		return err
	}
	name := fmt.Sprintf("%s/release-%06d-m0.avro", metadataDir, c.number)
	var w *iceberg.ManifestWriter
	size, err := c.put(name, func(to io.Writer) (err error) {
		if w, err = iceberg.NewManifestWriter(2, to, *iceberg.UnpartitionedSpec, c.schema, c.number); err != nil {
			return err
		}
		return c.entries(w)
	})
	if err != nil {
		return err
	}
	if c.manifest, err = w.ToManifestFile(c.uri(name), size); err != nil {
		return err
	}
	sequence := c.sequence()
	_, err = c.put(c.listName(), func(to io.Writer) error {
		return iceberg.WriteManifestList(2, to, c.number, c.parent(), &sequence, 0, []iceberg.ManifestFile{c.manifest})
	})
	if err != nil {
		return err
	}
	return c.files.Sync(filepath.Join(c.dir, metadataDir))
}

func (c *commit) entries(w *iceberg.ManifestWriter) error {
	for _, group := range []struct {
		list []iceberg.ManifestEntry
		add  func(iceberg.ManifestEntry) error
	}{{c.added, w.Add}, {c.kept, w.Existing}, {c.removed, w.Delete}} {
		for _, e := range group.list {
			if err := group.add(e); err != nil {
				return err
			}
		}
	}
	return w.Close()
}

func (c *commit) put(name string, write func(io.Writer) error) (int64, error) {
	return durable.Put(c.files, filepath.Join(c.dir, filepath.FromSlash(name)), write)
}

func (c *commit) listName() string { return fmt.Sprintf("%s/snap-%06d.avro", metadataDir, c.number) }

func (c *commit) sequence() int64 {
	if c.meta == nil {
		return 1
	}
	return c.meta.LastSequenceNumber + 1
}

func (c *commit) parent() *int64 {
	if c.meta == nil {
		return nil
	}
	id := c.meta.CurrentSnapshotID
	return &id
}

// publish writes the next metadata file.
func (c *commit) publish() error {
	next, err := c.next()
	if err != nil {
		return err
	}
	if _, err := c.put(metadataDir+"/"+versionName(c.version+1), next.encode); err != nil {
		return err
	}
	c.meta, c.version = next, c.version+1
	return c.files.Sync(filepath.Join(c.dir, metadataDir))
}
