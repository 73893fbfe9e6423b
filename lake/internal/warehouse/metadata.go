package warehouse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/apache/iceberg-go"

	"anond/internal/fault"
)

// errForeign: another program has written to the table, or a newer anond-lake.
var errForeign = fault.Errorf(fault.Failed, "only anond-lake may write to its tables: write to another warehouse, and read the table "+
	"from there",
	"it is not as this anond-lake writes it")

// metadata is a file such as v7.metadata.json: all that an Iceberg table (format version 2)
// is, but for the lists of its files. The library's own type is in a package that brings
// query engines with it; docs/LAKE.md says more.
type metadata struct {
	FormatVersion      int                `json:"format-version"`
	UUID               string             `json:"table-uuid"`
	Location           string             `json:"location"`
	LastSequenceNumber int64              `json:"last-sequence-number"`
	LastUpdatedMS      int64              `json:"last-updated-ms"`
	LastColumnID       int                `json:"last-column-id"`
	CurrentSchemaID    int                `json:"current-schema-id"`
	Schemas            []*iceberg.Schema  `json:"schemas"`
	DefaultSpecID      int                `json:"default-spec-id"`
	PartitionSpecs     []spec             `json:"partition-specs"`
	LastPartitionID    int                `json:"last-partition-id"`
	DefaultSortOrderID int                `json:"default-sort-order-id"`
	SortOrders         []sortOrder        `json:"sort-orders"`
	Properties         map[string]string  `json:"properties"`
	CurrentSnapshotID  int64              `json:"current-snapshot-id"`
	Refs               map[string]ref     `json:"refs"`
	Snapshots          []state            `json:"snapshots"`
	SnapshotLog        []snapshotLogEntry `json:"snapshot-log"`
	MetadataLog        []metadataLogEntry `json:"metadata-log"`
}

type spec struct {
	ID     int   `json:"spec-id"`
	Fields []any `json:"fields"`
}

type sortOrder struct {
	ID     int   `json:"order-id"`
	Fields []any `json:"fields"`
}

type ref struct {
	SnapshotID int64  `json:"snapshot-id"`
	Type       string `json:"type"`
}

// state is a snapshot: the table as it was in one release. Its ID is the release's number.
type state struct {
	SnapshotID     int64             `json:"snapshot-id"`
	Parent         *int64            `json:"parent-snapshot-id,omitempty"`
	SequenceNumber int64             `json:"sequence-number"`
	TimestampMS    int64             `json:"timestamp-ms"`
	ManifestList   string            `json:"manifest-list"`
	Summary        map[string]string `json:"summary"`
	SchemaID       int               `json:"schema-id"`
}

type snapshotLogEntry struct {
	TimestampMS int64 `json:"timestamp-ms"`
	SnapshotID  int64 `json:"snapshot-id"`
}

type metadataLogEntry struct {
	TimestampMS  int64  `json:"timestamp-ms"`
	MetadataFile string `json:"metadata-file"`
}

// Keys of a snapshot's summary.
const (
	keyOperation = "operation"
	keyRelease   = "anond.release"
	keyManifest  = "anond.manifest-sha256"
	keyCreated   = "anond.created-at"
	keyLeft      = "anond.left" // the oldest release with rows of parts that left: no snapshot has them any more
)

// decodeMetadata reads what anond-lake has written, and nothing else: to write on behind
// another program would lose what only that program knows.
func decodeMetadata(data []byte) (*metadata, error) {
	m := &metadata{}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(m); err != nil {
		return nil, fmt.Errorf("%w: %w", errForeign, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("%w: something follows the object", errForeign)
	}
	return m, m.check()
}

func (m *metadata) check() error {
	wrong := func(what string) error { return fmt.Errorf("%w: %s", errForeign, what) }
	switch {
	case m.FormatVersion != 2:
		return wrong("its format version is not 2")
	case len(m.Schemas) != 1 || m.Schemas[0] == nil || m.CurrentSchemaID != 0 || m.Schemas[0].ID != 0:
		return wrong("it has other schemas than one")
	case len(m.PartitionSpecs) != 1 || len(m.PartitionSpecs[0].Fields) > 0 || len(m.SortOrders) != 1 || len(m.SortOrders[0].Fields) > 0:
		return wrong("it is partitioned or sorted")
	case len(m.Snapshots) == 0 || m.newest().SnapshotID != m.CurrentSnapshotID || m.Refs["main"].SnapshotID != m.CurrentSnapshotID:
		return wrong("its current snapshot is not the newest release")
	}
	before := int64(0)
	for _, s := range m.Snapshots {
		if s.SnapshotID <= before || s.SnapshotID > 1<<32-1 || s.Summary[keyRelease] != strconv.FormatInt(s.SnapshotID, 10) ||
			s.Summary[keyManifest] == "" {
			return wrong("a snapshot is no release, or out of order")
		}
		before = s.SnapshotID
	}
	return nil
}

// forget removes the snapshots of the releases from one on.
func (m *metadata) forget(oldest int64) {
	kept := func(id int64) bool { return id < oldest }
	m.Snapshots = slices.DeleteFunc(slices.Clone(m.Snapshots), func(s state) bool { return !kept(s.SnapshotID) })
	m.SnapshotLog = slices.DeleteFunc(slices.Clone(m.SnapshotLog), func(e snapshotLogEntry) bool { return !kept(e.SnapshotID) })
	m.Refs = maps.Clone(m.Refs)
	maps.DeleteFunc(m.Refs, func(_ string, r ref) bool { return !kept(r.SnapshotID) })
}

// has reports that a snapshot is of a release.
func (m *metadata) has(release uint32) bool {
	return slices.ContainsFunc(m.Snapshots, func(s state) bool { return s.SnapshotID == int64(release) })
}

func (m *metadata) newest() *state { return &m.Snapshots[len(m.Snapshots)-1] }

// encode writes the metadata; keys have a fixed order.
func (m *metadata) encode(to io.Writer) error {
	e := json.NewEncoder(to)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(m)
}
