package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"anond/lake/internal/source"
	"anond/lake/internal/warehouse"
	"anond/snapshot"
)

func newIcebergCommand(stdout io.Writer) *cobra.Command {
	var follow bool
	var every time.Duration
	c := &cobra.Command{
		Use: "iceberg RELEASES WAREHOUSE", Short: "Keep releases as Apache Iceberg tables", Args: exactly(2),
		Long: `iceberg adds each release that the tables lack, as a snapshot whose ID is the number of
the release. There is a table for each data file of the recoding: WAREHOUSE/DATASET/data,
WAREHOUSE/DATASET/buckets. With --follow it goes on until it is ended.`,
		Example: "  anond-lake iceberg releases /srv/warehouse\n  anond-lake iceberg releases /srv/warehouse --follow --every 1m",
		RunE: func(c *cobra.Command, args []string) error {
			if every <= 0 {
				return usageError{errors.New("--every: a duration above zero, such as 10s")}
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
			if !follow {
				return addOnce(c.Context(), w, args[0])
			}
			return addAlways(c.Context(), w, args[0], every)
		},
	}
	c.Flags().BoolVar(&follow, "follow", false, "wait for further releases")
	c.Flags().DurationVar(&every, "every", 10*time.Second, "with --follow: how often to look")
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

// addAlways looks again and again. No release yet is no fault. As long as CURRENT is the
// same there is nothing to do, so the manifests of all releases are not read each time.
func addAlways(ctx context.Context, w *warehouse.Warehouse, releases string, every time.Duration) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	seen := ""
	for {
		now, _ := w.Files.ReadFile(filepath.Join(releases, "CURRENT")) // addOnce says what is wrong with it
		if len(now) == 0 || string(now) != seen {
			if err := addOnce(ctx, w, releases); err != nil && !errors.Is(err, source.ErrNone) {
				return err
			}
			seen = string(now)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
