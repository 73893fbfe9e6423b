package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"anond/lake/internal/folder"
	"anond/lake/internal/source"
	"anond/snapshot"
)

func newParquetCommand(stdout io.Writer) *cobra.Command {
	var number uint32
	c := &cobra.Command{
		Use: "parquet RELEASES OUT", Short: "Write a release as a directory of Parquet files", Args: exactly(2),
		Long: `parquet writes OUT/000042 with a directory for each data file of the recoding, a
Parquet file for each part in it, and lake.json, which names them with their hashes and
with the hash of the release's manifest. Files of parts that an earlier release in OUT
has are hard links. A release that is there already is left as it is.`,
		Example: "  anond-lake parquet releases lake\n  anond-lake parquet releases lake --release 7",
		RunE: func(_ *cobra.Command, args []string) error {
			chain, err := source.Open(snapshot.OS(), args[0])
			if err != nil {
				return err
			}
			out, err := filepath.Abs(args[1])
			if err != nil {
				return err
			}
			unlock, err := lock(out)
			if err != nil {
				return err
			}
			defer unlock()
			r, err := folder.Export(snapshot.OS(), chain, out, number)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(stdout, sentence(r))
			return err
		},
	}
	c.Flags().Uint32Var(&number, "release", 0, "the `number` of the release (default the current one)")
	return c
}

func sentence(r *folder.Result) string {
	if r.Already {
		return fmt.Sprintf("release %d: it is there already", r.Release)
	}
	return fmt.Sprintf("release %d: %d records; files written %d, linked %d", r.Release, r.Records, r.Written, r.Linked)
}
