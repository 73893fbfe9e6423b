package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"anond/internal/cli"
	"anond/internal/disk"
	"anond/snapshot"
)

// catFlags is what the command line says.
type catFlags struct {
	config, dir, format, file, out string
	json, long                     bool
}

func newReleaseCatCommand(env *environment) *cobra.Command {
	var f catFlags
	c := &cobra.Command{
		Use: "cat [NUMBER]", Short: "Write a release as one table; without NUMBER the current one", Args: cobra.MaximumNArgs(1),
		Long: `cat reads the parts of a release and writes them as one table: one header, then
the rows of each part whose classes are alive. The first column, part, names the
part of a row. Classes and buckets are numbered in each part, so part and class
name a class, and part and bucket a bucket. Each file is compared with its hash
before a row of it is written.

Each file of a part is a table: --file says which. --format ndjson
writes one JSON object per row: the numbers of classes, groups, buckets, pools and counts
are numbers, all cells are texts as in CSV. --out FILE replaces FILE in one step,
once all of it is written, so that a reader of FILE sees one complete release.

--long joins the files of a release of level L2: a row for each person and each value
that the person's bucket shows, with its share in the bucket as weight. The weights of a
person sum to 1 for each sensitive attribute, those of a value to its count. Columns
NAME_lo, NAME_hi and NAME_mid have the ends and the middle of each cell of numbers or
dates. With histories a row has a whole one, record by record in value, value_2 and so on.
Use weights as weights; a row is no record.`,
		Example: "  anond release cat 42 > data.csv\n  anond release cat --dir ./releases --file st.csv --format ndjson --out st.ndjson",
		RunE: cli.Answering(func(_ *cobra.Command, args []string) error {
			if f.json && f.format == "csv" {
				return cli.Usage("leave one of them out", "--json is --format ndjson, but --format says csv")
			}
			if !slices.Contains([]string{"", "csv", "ndjson"}, f.format) {
				return cli.Usage("--format csv or --format ndjson", "%q is no format of a table", f.format)
			}
			number, err := releaseNumber(args)
			if err != nil {
				return err
			}
			if f.long && f.file != "" {
				return cli.Usage("leave one of them out", "--long joins files, and --file names one")
			}
			return env.catRelease(&f, number)
		}),
	}
	cli.ConfigFlag(c, &f.config)
	flags := c.Flags()
	flags.StringVar(&f.dir, "dir", "", "read the releases in this `directory`; no configuration is needed")
	flags.StringVar(&f.format, "format", "", "csv or ndjson (default csv)")
	flags.StringVar(&f.file, "file", "", "the `file` of the recoding to write, such as st.csv; default: the one with one row per record")
	flags.StringVar(&f.out, "out", "", "replace this `path` in one step instead of writing to standard output")
	flags.BoolVar(&f.long, "long", false, "write a row for each person and value, with a weight")
	flags.BoolVar(&f.json, "json", false, "the same as --format ndjson")
	return c
}

func (e *environment) catRelease(f *catFlags, number uint32) error {
	dir := f.dir
	if dir == "" {
		cfg, err := e.loadConfig(f.config)
		if err != nil {
			return err
		}
		dir = cfg.Release.Dir
	}
	m, err := snapshot.Show(snapshot.OS(), dir, number)
	if err == nil {
		err = snapshot.NotPruned(snapshot.OS(), dir, m.Release)
	}
	if err != nil {
		return err
	}
	names := m.Names()
	file, lines := f.file, f.json || f.format == "ndjson"
	if file == "" {
		file = names[0]
	}
	if !slices.Contains(names, file) {
		return cli.Usage("--file "+strings.Join(names, " or --file "), "release %d, recoding %s, has no file %q", m.Release,
			m.Recoding, file)
	}
	stream := func(file string, to io.Writer) error {
		none := snapshot.NotPublished
		if lines {
			none = "" // null
		}
		return m.Stream(file, none, func(path string) (io.ReadSeekCloser, error) {
			return os.Open(filepath.Join(dir, fmt.Sprintf("%06d", m.Release), filepath.FromSlash(path)))
		}, to)
	}
	write := func(to io.Writer) error {
		if f.long {
			return writeLong(to, m, stream, lines)
		}
		return writeTable(to, m, file, lines, stream)
	}
	if f.out != "" {
		return disk.Replace(f.out, 0o644, write)
	}
	return write(e.Stdout)
}

// writeTable writes one file of a release, over all parts.
func writeTable(to io.Writer, m *snapshot.Manifest, file string, lines bool, stream func(string, io.Writer) error) error {
	if lines {
		numbers, lacking := m.NumberColumns(file), m.Lacking(file)
		for _, columns := range [][]int{numbers, lacking} {
			for i, n := range columns {
				if n >= 0 {
					columns[i] = n + 1 // behind the part
				}
			}
		}
		to = &jsonLines{to: to, numbers: numbers, lacking: lacking}
	}
	return stream(file, to)
}
