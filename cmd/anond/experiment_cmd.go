package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"anond/cmd/anond/internal/figures/frontier"
	"anond/cmd/anond/internal/outfile"
)

func newExperimentCommand(env *environment) *cobra.Command {
	c := &cobra.Command{Use: "experiment", Short: "Measure the methods and the engine on public data"}
	c.AddCommand(newFigureListCommand(env), newFigureRunCommand(env), newFigureAllCommand(env), newFrontierCommand(env))
	return c
}

func newFrontierCommand(env *environment) *cobra.Command {
	var o frontier.Options
	var out string
	var asJSON bool
	c := &cobra.Command{
		Use:   "frontier",
		Short: "Measure utility against waiting time, for each policy",
		Long: `frontier sends UCI Adult's training part, shuffled by the seed, through the
daemon's state machine: 15,000 records at once, 30 batches of 500, then empty
ticks until nothing more is publishable. It measures each policy at several
values of max_hold. For comparison it also measures a Mondrian re-run per batch
(unsafe: must not be published) and a partition of all records at once.
docs/BENCHMARKS.md explains the measure. It takes about two minutes.`,
		Example: "  anond experiment frontier --k 10 --l 5 --out ./frontier",
		RunE: func(c *cobra.Command, _ []string) error {
			if o.L < 2 || o.K < o.L {
				return usage("l is at least 2, k at least l", "k = %d and l = %d make no promise", o.K, o.L)
			}
			if isTerminal(env.stderr) {
				o.Progress = func(done, all int, name string) {
					fmt.Fprintf(env.stderr, "\r\x1b[K%d/%d %s", done, all, name)
					if done == all {
						fmt.Fprint(env.stderr, "\r\x1b[K")
					}
				}
			}
			o.Queries = frontier.Queries
			r, err := frontier.Measure(c.Context(), o)
			if err != nil {
				return err
			}
			if err := writeFrontier(r, out); err != nil {
				return err
			}
			if asJSON {
				return writeJSON(env.stdout, r)
			}
			return env.printFrontier(r)
		},
	}
	c.Flags().StringVar(&o.Data, "data", "", "CSV `file` of UCI Adult with a header, also as .gz; default: the copy in the program")
	c.Flags().IntVar(&o.K, "k", 10, "k")
	c.Flags().IntVar(&o.L, "l", 5, "l")
	c.Flags().Uint64Var(&o.Seed, "seed", 1, "seed of the shuffle")
	c.Flags().StringVar(&out, "out", "", "`directory` for frontier.json and frontier.svg")
	jsonFlag(c, &asJSON)
	return c
}

// writeFrontier writes the result and its chart into a directory, if one is given.
func writeFrontier(r *frontier.Result, dir string) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	err = outfile.Replace(filepath.Join(dir, "frontier.json"), 0o644, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
	if err != nil {
		return err
	}
	return outfile.Replace(filepath.Join(dir, "frontier.svg"), 0o644, r.WriteSVG)
}

func (e *environment) printFrontier(r *frontier.Result) error {
	t := newTable(e.stdout, column{title: "policy", width: 28}, column{title: "max_hold", right: true},
		column{title: "hold", width: 5, right: true},
		column{title: "streamed", right: true}, column{title: "ncp_interval", right: true}, column{title: "ncp", width: 6, right: true},
		column{title: "never", width: 7, right: true}, column{title: "seconds", right: true}, column{title: ""})
	t.header()
	for _, row := range r.Rows {
		note := ""
		if row.Unsafe {
			note = "unsafe: breaks the promise across releases"
		}
		t.row(row.Policy, strconv.FormatInt(row.MaxHold, 10), fmt.Sprintf("%.2f", row.MeanHold), fmt.Sprintf("%.2f", row.MeanHoldStreamed),
			fmt.Sprintf("%.4f", row.NCPInterval), fmt.Sprintf("%.4f", row.NCPEngine), fmt.Sprintf("%.2f %%", 100*row.Never),
			fmt.Sprintf("%.1f", row.Seconds), note)
	}
	return t.err
}
