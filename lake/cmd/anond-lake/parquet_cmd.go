package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"anond/internal/fault"
	"anond/lake/internal/folder"
	"anond/lake/internal/source"
	"anond/snapshot"
)

func newParquetCommand(stdout io.Writer) *cobra.Command {
	var number uint32
	var f follow
	c := &cobra.Command{
		Use: "parquet RELEASES OUT", Short: "Write a release as a directory of Parquet files", Args: exactly(2),
		Long: `parquet writes OUT/000042 with a directory for each data file of the recoding, a
Parquet file for each part in it, and lake.json, which names them with their hashes and
with the hash of the release's manifest. Files of parts that an earlier release in OUT
has are hard links. A release that is there already is left as it is. With --follow it
writes each release that becomes the current one, until it is ended.`,
		Example: "  anond-lake parquet releases lake\n  anond-lake parquet releases lake --release 7\n" +
			"  anond-lake parquet releases /srv/lake --follow --every 1m",
		RunE: func(c *cobra.Command, args []string) error {
			if f.on && number > 0 {
				return fault.Errorf(fault.Usage, "leave --release out", "--follow writes the current release each time")
			}
			if err := f.check(); err != nil {
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
			return f.run(c.Context(), args[0], func() error { return export(stdout, args[0], out, number) })
		},
	}
	f.flags(c)
	c.Flags().Uint32Var(&number, "release", 0, "the `number` of the release (default the current one)")
	return c
}

func export(stdout io.Writer, releases, out string, number uint32) error {
	chain, err := source.Open(snapshot.OS(), releases)
	if err != nil {
		return err
	}
	r, err := folder.Export(snapshot.OS(), chain, out, number)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, sentence(r))
	return err
}

func sentence(r *folder.Result) string {
	if r.Already {
		return fmt.Sprintf("release %d: it is there already", r.Release)
	}
	return fmt.Sprintf("release %d: %d records; files written %d, linked %d", r.Release, r.Records, r.Written, r.Linked)
}
