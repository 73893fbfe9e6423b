package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"anond/lake/internal/source"
	"anond/lake/internal/warehouse"
	"anond/snapshot"
)

func newIcebergCommand(stdout io.Writer) *cobra.Command {
	var f follow
	c := &cobra.Command{
		Use: "iceberg RELEASES WAREHOUSE", Short: "Keep releases as Apache Iceberg tables", Args: exactly(2),
		Long: `iceberg adds each release that the tables lack, as a snapshot whose ID is the number of
the release. There is a table for each data file of the recoding: WAREHOUSE/DATASET/data,
WAREHOUSE/DATASET/buckets. With --follow it goes on until it is ended.`,
		Example: "  anond-lake iceberg releases /srv/warehouse\n  anond-lake iceberg releases /srv/warehouse --follow --every 1m",
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			dir, err := filepath.Abs(args[1])
			if err != nil {
				return err
			}
			unlock, err := lock(dir)
			if err != nil {
				return err
			}
			defer unlock()
			w := &warehouse.Warehouse{Files: snapshot.OS(), Dir: dir, Added: func(a warehouse.Addition) { tell(stdout, a) }}
			return f.run(c.Context(), args[0], func() error { return addOnce(c.Context(), w, args[0]) })
		},
	}
	f.flags(c)
	return c
}

func tell(stdout io.Writer, a warehouse.Addition) {
	fmt.Fprintf(stdout, "release %d: %d records; files added %d, kept %d, removed %d\n", a.Release, a.Records, a.Added, a.Kept, a.Removed)
}

func addOnce(ctx context.Context, w *warehouse.Warehouse, releases string) error {
	chain, err := source.Open(w.Files, releases)
	if err != nil {
		return err
	}
	return w.Add(ctx, chain)
}
