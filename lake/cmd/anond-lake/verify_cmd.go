package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"anond/lake/internal/folder"
	"anond/lake/internal/source"
	"anond/lake/internal/warehouse"
	"anond/snapshot"
)

func newVerifyCommand(stdout io.Writer) *cobra.Command {
	return &cobra.Command{
		Use: "verify RELEASES PLACE", Short: "Compare each row of Parquet files or Iceberg tables with the releases", Args: exactly(2),
		Long: `verify reads what parquet or iceberg has written to a place, and compares each row with the
releases, whose files are compared with their hashes. parquet and iceberg themselves look at
each start whether files are missing or have another size.`,
		Example: "  anond-lake verify releases lake\n  anond-lake verify releases /srv/warehouse",
		RunE: func(_ *cobra.Command, args []string) error {
			place, err := filepath.Abs(args[1])
			if err != nil {
				return err
			}
			chain, err := source.Open(snapshot.OS(), args[0])
			if err != nil {
				return err
			}
			n, err := folder.Verify(snapshot.OS(), chain, place)
			if err == nil && n == 0 {
				n, err = (&warehouse.Warehouse{Files: snapshot.OS(), Dir: place}).Verify(chain)
			}
			if err == nil && n == 0 {
				err = fmt.Errorf("%s has none of the releases of %s", args[1], args[0])
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(stdout, "%s: each row of %d releases is that of the releases\n", args[1], n)
			return err
		},
	}
}
