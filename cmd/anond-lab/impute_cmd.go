package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"anond/equivclass"
	"anond/equivclass/query"
	"anond/internal/cli"
	"anond/internal/disk"
	"anond/lab/estimate"
	"anond/snapshot/readback"
)

// imputed is the end of the name of each column of drawn values.
const imputed = "_imputed"

func newImputeCommand(env *environment) *cobra.Command {
	var n int
	var seed uint64
	var out string
	c := &cobra.Command{
		Use:   "impute RELEASE_DIR",
		Short: "Write complete tables that a model draws from a release, for multiple imputation",
		Long: `impute makes tables with one value in each cell, as statistics programs want them,
from the files of a release alone. Each table is a draw from the model of
anond-lab query: every bucket keeps its counts of each sensitive attribute, every
class its cells, and who has which value inside a bucket is drawn. Analyse each
table, and join the results by Rubin's rules: the spread between the tables is what
the release does not tell.

Columns: imputation (0 is what is certain, with empty cells; 1 to N are complete),
row (the same person in each table), class and bucket (over all parts), and each
attribute as NAME_imputed. No value in them is known to be anybody's.

  Stata  mi import flong, m(imputation) id(row) imputed(*_imputed)
  R      mitools::imputationList(split(d[d$imputation > 0, ], d$imputation[d$imputation > 0]))
  SPSS   RENAME VARIABLES (imputation = Imputation_). SPLIT FILE BY Imputation_.

Two sensitive attributes are drawn apart, each from its own model: use query for what
they have together.`,
		Example: "  anond-lab impute ./release -n 5 > imputed.csv",
		Args:    cobra.ExactArgs(1),
		RunE: cli.Answering(func(_ *cobra.Command, args []string) error {
			if n < 1 || n > estimate.Replicates {
				return cli.Usage("-n 5", "-n is the number of tables, 1 to %d", estimate.Replicates)
			}
			r, err := readback.Open(args[0])
			if err == nil {
				err = r.Load(nil)
			}
			if err != nil {
				return err
			}
			joint, ok := r.Joint()
			if !ok {
				return cli.Usage("publish generalization, buckets, anatomy or permutation", "no model reads a release by %s", r.Manifest.Recoding)
			}
			write := func(to io.Writer) error { return writeImputed(to, joint, n, seed) }
			if out != "" {
				err = disk.Replace(out, 0o644, write)
			} else {
				err = write(env.Stdout)
			}
			if err == nil {
				fmt.Fprintf(env.Stderr, "note: values of %d tables are drawn by a model: no row of them is a record, and no value is known to be "+
					"anybody's\n", n)
			}
			return err
		}),
	}
	flags := c.Flags()
	flags.IntVarP(&n, "number", "n", 5, "number of tables")
	flags.Uint64Var(&seed, "seed", 1, "seed of the draws: the same gives the same tables")
	flags.StringVar(&out, "out", "", "replace this `path` in one step instead of writing to standard output")
	return c
}

// writeImputed writes the tables one after the other. A history has a column for each record.
func writeImputed(to io.Writer, r *query.JointRelease, n int, seed uint64) error {
	w := csv.NewWriter(to)
	header := []string{"imputation", "row", "class", "bucket"}
	for _, d := range r.Dicts {
		name := d.Attribute().Name
		header = append(header, name+imputed)
		for record := 2; record <= d.Records(); record++ {
			header = append(header, name+"_"+strconv.Itoa(record)+imputed)
		}
	}
	if err := w.Write(header); err != nil {
		return err
	}
	err := estimate.NewJoint(r).Impute(n, seed, func(imputation, row int, class, bucket int32, values []string) error {
		out := []string{strconv.Itoa(imputation), strconv.Itoa(row + 1), strconv.Itoa(int(class) + 1), strconv.Itoa(int(bucket) + 1)}
		for i, d := range r.Dicts {
			parts := equivclass.Parts(values[i])
			out = append(append(out, parts...), make([]string, max(0, d.Records()-len(parts)))...)
		}
		return w.Write(out)
	})
	w.Flush()
	return errors.Join(err, w.Error())
}
