package warehouse

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/apache/iceberg-go"

	"anond/lake/internal/parquetfile"
	"anond/snapshot"
)

// next is the metadata with the release as its newest snapshot.
func (c *commit) next() (*metadata, error) {
	created, err := time.Parse(time.RFC3339, c.release.Manifest.CreatedAt)
	if err != nil {
		return nil, fmt.Errorf("%w: release %d: created_at is not a time", snapshot.ErrDamaged, c.number)
	}
	at := created.UnixMilli()
	m := c.fresh()
	if c.meta != nil {
		copied := *c.meta
		m = &copied
		at = max(at, m.LastUpdatedMS+1) // the clock of the publisher may have been set back
		log := append(slices.Clone(m.MetadataLog), metadataLogEntry{m.LastUpdatedMS, c.uri(metadataDir + "/" + versionName(c.version))})
		m.MetadataLog = log[max(0, len(log)-keptMetadata+1):]
	}
	s := state{SnapshotID: c.number, Parent: c.parent(), SequenceNumber: c.sequence(), TimestampMS: at, ManifestList: c.uri(c.listName()),
		Summary: c.summary()}
	if c.left > 0 {
		m.forget(c.left)
	}
	m.LastSequenceNumber, m.LastUpdatedMS, m.CurrentSnapshotID = s.SequenceNumber, at, c.number
	m.Snapshots = append(slices.Clone(m.Snapshots), s)
	m.SnapshotLog = append(slices.Clone(m.SnapshotLog), snapshotLogEntry{at, c.number})
	m.Refs = maps.Clone(m.Refs)
	m.Refs["main"] = ref{c.number, "branch"}
	m.Refs[fmt.Sprintf("release-%06d", c.number)] = ref{c.number, "tag"}
	return m, nil
}

func (c *commit) fresh() *metadata {
	return &metadata{
		FormatVersion: 2,
		UUID:          identifier(c.of.Dataset(), c.of.Name, c.release.SHA256),
		Location:      c.location(),
		LastColumnID:  len(c.of.Columns),
		Schemas:       []*iceberg.Schema{c.schema},
		// Without fields: the table is neither partitioned nor sorted.
		PartitionSpecs:  []spec{{Fields: []any{}}},
		LastPartitionID: 999,
		SortOrders:      []sortOrder{{Fields: []any{}}},
		Properties: map[string]string{"write.format.default": "parquet", "anond.dataset": c.of.Dataset(), "anond.recoding": c.of.Recoding(),
			"anond.format": strconv.Itoa(parquetfile.Format)},
		Refs:        map[string]ref{},
		MetadataLog: []metadataLogEntry{},
	}
}

// summary says what the snapshot is, for people and for the next attempt.
func (c *commit) summary() map[string]string {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	out := map[string]string{
		keyOperation: "append",
		keyRelease:   number(c.number),
		keyManifest:  c.release.SHA256,
		keyCreated:   c.release.Manifest.CreatedAt,

		"added-data-files": number(int64(len(c.added))),
		"added-records":    number(rowsOf(c.added)),
		"added-files-size": number(bytesOf(c.added)),
		"total-data-files": number(int64(len(c.added) + len(c.kept))),
		"total-records":    number(rowsOf(c.added) + rowsOf(c.kept)),
		"total-files-size": number(bytesOf(c.added) + bytesOf(c.kept)),
	}
	for _, none := range []string{"total-delete-files", "total-position-deletes", "total-equality-deletes"} {
		out[none] = "0"
	}
	if c.left > 0 {
		out[keyLeft] = number(c.left)
	}
	if len(c.removed) > 0 {
		out[keyOperation] = "overwrite"
		out["deleted-data-files"] = number(int64(len(c.removed)))
		out["deleted-records"] = number(rowsOf(c.removed))
		out["removed-files-size"] = number(bytesOf(c.removed))
	}
	return out
}

func rowsOf(list []iceberg.ManifestEntry) (n int64) {
	for _, e := range list {
		n += e.DataFile().Count()
	}
	return n
}

func bytesOf(list []iceberg.ManifestEntry) (n int64) {
	for _, e := range list {
		n += e.DataFile().FileSizeBytes()
	}
	return n
}
