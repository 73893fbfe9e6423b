package warehouse

import (
	"crypto/sha256"
	"fmt"

	"github.com/apache/iceberg-go"

	"anond/lake/internal/source"
)

var types = map[source.Kind]iceberg.Type{
	source.Text:   iceberg.PrimitiveTypes.String,
	source.Long:   iceberg.PrimitiveTypes.Int64,
	source.Double: iceberg.PrimitiveTypes.Float64,
	source.Date:   iceberg.PrimitiveTypes.Date,
}

// schemaOf is the schema of the Parquet files: field n has ID n, from 1.
func schemaOf(columns []source.Column) *iceberg.Schema {
	fields := make([]iceberg.NestedField, len(columns))
	for i, c := range columns {
		fields[i] = iceberg.NestedField{ID: i + 1, Name: c.Name, Type: types[c.Kind], Required: !c.Optional}
	}
	return iceberg.NewSchema(0, fields...)
}

// identifier is the UUID of a table (RFC 9562, version 8): the same table of the same
// releases has the same, so that there is nothing random in the metadata.
func identifier(dataset, table, firstManifest string) string {
	h := sha256.Sum256(fmt.Appendf(nil, "anond-lake\x00%s\x00%s\x00%s", dataset, table, firstManifest))
	h[6] = h[6]&0x0f | 0x80
	h[8] = h[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[:4], h[4:6], h[6:8], h[8:10], h[10:16])
}
