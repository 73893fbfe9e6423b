package ingest

import (
	"context"

	"anond/incremental"
)

// Taken is told each record that a source still holds at a wanted place. header
// is that of a CSV file, nil without one. The key is nil where there is none.
type Taken func(p incremental.Partition, offset int64, key, value []byte, header []string) error

// Reread reads single records of a source again, by partition and ascending
// offset. What the source no longer holds is left out.
type Reread func(ctx context.Context, wanted map[incremental.Partition][]int64, take Taken) error
