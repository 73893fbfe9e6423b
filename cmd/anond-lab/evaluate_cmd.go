package main

import (
	"context"

	"github.com/spf13/cobra"

	"anond/internal/cli"
	"anond/internal/fault"
	"anond/lab/anonymize"
)

func newEvaluateCommand(env *environment) *cobra.Command {
	var in anonymize.Input
	var w anonymize.Workload
	var path string
	var asJSON bool
	c := &cobra.Command{
		Use:   "evaluate RELEASE_DIR --original IN",
		Short: "Measure a release against its source table",
		Long: `evaluate reads a release of anond, or plain files of anond-lab anonymize, and the
source table, and reports the achieved
k, l and other principles, the information loss, and the relative error of random
COUNT queries. RELEASE_DIR is the directory of one release, or a directory of
releases, of which the current one is read, or one of plain files, which need -c.
The manifest of a release describes the columns;
other columns of the table are ignored. With -c the schema of a configuration is
used instead of the manifest's, for instance for its missing_values. A release with
histories of people is not measured: no file says which records they are of.

The report needs the original: it is for the owner of the data, not for
publication.`,
		Example: "  anond-lab evaluate ./release --original patients.csv",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case in.Name == "":
				return cli.Usage("add --original FILE", "evaluate needs the source table of the release")
			case w.Queries < 1 || w.Dims < 2 || !(w.Volume > 0 && w.Volume <= 1):
				return cli.Usage("--queries 1000 --dims 3 --volume 0.05 are the defaults", "a workload needs at least one query, at least two "+
					"attributes (the sensitive one and another), and a volume above 0 and at most 1")
			}
			in.Stdin = env.Stdin
			e, err := env.evaluate(c.Context(), args[0], in, path, w)
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(env.Stdout, e)
			}
			return e.Text(env.Stdout)
		},
	}
	cli.JSONFlag(c, &asJSON)
	flags := c.Flags()
	in.Register(flags)
	flags.StringVar(&in.Name, "original", "", "the table, a CSV or NDJSON `file`, or - for standard input")
	flags.StringVarP(&path, "config", "c", "", "configuration `file` whose schema describes the original; default: the manifest")
	flags.IntVar(&w.Queries, "queries", 1000, "number of random queries")
	flags.IntVar(&w.Dims, "dims", 3, "number of attributes that a query restricts, including the sensitive one")
	flags.Float64Var(&w.Volume, "volume", 0.05, "approximate share of the whole space that a query covers")
	flags.Uint64Var(&w.Seed, "seed", 1, "seed of the random queries")
	return c
}

func (e *environment) evaluate(ctx context.Context, dir string, in anonymize.Input, path string,
	w anonymize.Workload) (*anonymize.Evaluation, error) {
	r, err := anonymize.Open(dir)
	if err != nil {
		return nil, err
	}
	schema := r.Release.Schema
	in.DropOthers = true
	if r.About != nil {
		if in.Semi = r.About.Semi; path == "" {
			return nil, cli.Usage("add -c CONFIG, the one that it was made with", "the table in %s does not describe its columns", dir)
		}
	}
	if path != "" {
		cfg, err := e.loadOneOff(path)
		if err != nil {
			return nil, err
		}
		if err := r.CheckSchema(cfg.Schema); err != nil {
			return nil, fault.With(fault.Config, "use the configuration that the release was made with", err)
		}
		schema, in.DropOthers = cfg.Schema, false
	}
	t, err := anonymize.Read(ctx, in, schema)
	if err != nil {
		return nil, err
	}
	t.WriteRefused(e.Stderr, in.Name, anonymize.Corrections)
	return anonymize.Evaluate(ctx, r, t, w)
}
