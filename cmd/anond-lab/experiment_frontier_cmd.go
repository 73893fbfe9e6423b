package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"anond/internal/cli"
	"anond/internal/disk"
	"anond/internal/fault"
	"anond/lab/figures/frontier"
)

func newFrontierCommand(env *environment) *cobra.Command {
	o := frontier.Options{Queries: frontier.Queries}
	var out string
	var asJSON bool
	c := &cobra.Command{
		Use:   "frontier",
		Short: "Measure utility against waiting time, for each policy",
		Long: `frontier sends the people of a public dataset, shuffled by the seed, through the
daemon's state machine: 15,000 records at once, 30 batches of 500 (fewer if the
dataset is smaller), then empty ticks until nothing more is publishable. It
measures each policy at several values of max_hold. For comparison it also
measures a Mondrian re-run per batch (unsafe: must not be published) and a
partition of all records at once. Finally it compares level L2 with level L1
at equal waiting times. lab/docs/FRONTIER.md explains the measure. It takes
about two minutes for each seed.

The program contains adult (UCI Adult's training part, the default) and acs (the
American Community Survey). diabetes130 (UCI Diabetes 130-US hospitals, the first
encounter of each patient) is too large: the environment variable ANOND_DATA
names the directory with diabetes130.csv.gz.`,
		Example: `  anond-lab experiment frontier --k 10 --l 5 --out ./frontier
  anond-lab experiment frontier --dataset acs --k 5 --l 2 --policy L2,append --seeds 3`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checkFrontier(o); err != nil {
				return err
			}
			if cli.IsTerminal(env.Stderr) {
				o.Progress = env.frontierProgress
			}
			o.Bare = o.Policies != nil
			r, err := frontier.Measure(c.Context(), o)
			if err != nil {
				return absentData(err)
			}
			if err := writeFrontier(r, out); err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(env.Stdout, r)
			}
			return env.printFrontier(r)
		},
	}
	c.Flags().StringVar(&o.Dataset, "dataset", frontier.DatasetNames()[0], "`name` of the dataset: "+
		strings.Join(frontier.DatasetNames(), ", "))
	c.Flags().StringVar(&o.Data, "data", "", "CSV `file` of the dataset with a header, also as .gz; default: the copy in the program, or "+
		"below $"+frontier.Elsewhere)
	c.Flags().IntVar(&o.K, "k", 10, "k")
	c.Flags().IntVar(&o.L, "l", 5, "l")
	c.Flags().Uint64Var(&o.Seed, "seed", 1, "seed of the shuffle")
	c.Flags().IntVar(&o.Seeds, "seeds", 1, "how many seeds to measure, from --seed on")
	c.Flags().StringSliceVar(&o.Policies, "policy", nil, "`names` of policies, without references for comparison; default: all")
	c.Flags().Int64SliceVar(&o.MaxHolds, "hold", nil, "`values` of max_hold, in batches; default: those of each level")
	c.Flags().Lookup("hold").DefValue = "" // the help would show an empty list
	c.Flags().StringVar(&out, "out", "", "`directory` for frontier.json and frontier.svg")
	cli.JSONFlag(c, &asJSON)
	return c
}

// checkFrontier finds faults of the command line; policies that are named are measured
// alone.
func checkFrontier(o frontier.Options) error {
	if o.L < 2 || o.K < o.L {
		return cli.Usage("l is at least 2, k at least l", "k = %d and l = %d make no promise", o.K, o.L)
	}
	if o.Seeds < 1 {
		return cli.Usage("1 is the least", "--seeds %d", o.Seeds)
	}
	if !slices.Contains(frontier.DatasetNames(), o.Dataset) {
		return cli.Usage("the datasets are "+strings.Join(frontier.DatasetNames(), ", "), "there is no dataset %q", o.Dataset)
	}
	for _, p := range o.Policies {
		if !slices.Contains(frontier.PolicyNames, p) {
			return cli.Usage("the policies are "+strings.Join(frontier.PolicyNames, ", "), "there is no policy %q", p)
		}
	}
	return nil
}

// absentData adds the way out to an error about a dataset that is not there.
func absentData(err error) error {
	var absent *frontier.AbsentError
	if errors.As(err, &absent) {
		return fault.With(fault.Usage, fmt.Sprintf("set %s to the directory of %s, or name the file with --data", frontier.Elsewhere,
			absent.File), err)
	}
	return err
}

func (e *environment) frontierProgress(done, all int, name string) {
	fmt.Fprintf(e.Stderr, "\r\x1b[K%d/%d %s", done, all, name)
	if done == all {
		fmt.Fprint(e.Stderr, "\r\x1b[K")
	}
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
	err = disk.Replace(filepath.Join(dir, "frontier.json"), 0o644, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
	if err != nil {
		return err
	}
	return disk.Replace(filepath.Join(dir, "frontier.svg"), 0o644, r.WriteSVG)
}

func (e *environment) printFrontier(r *frontier.Result) error {
	t := cli.NewTable(e.Stdout, cli.Left("policy", 28), cli.Right("seed", 0),
		cli.Right("max_hold", 0), cli.Right("hold", 5),
		cli.Right("streamed", 0), cli.Right("ncp_interval", 0), cli.Right("ncp", 6),
		cli.Right("never", 7), cli.Right("seconds", 0), cli.Left("", 0))
	t.Header()
	for _, row := range r.Rows {
		note := ""
		if row.Unsafe {
			note = "unsafe: breaks the promise across releases"
		}
		t.Row(row.Policy, strconv.FormatUint(row.Seed, 10), strconv.FormatInt(row.MaxHold, 10), fmt.Sprintf("%.2f", row.MeanHold),
			fmt.Sprintf("%.2f", row.MeanHoldStreamed), fmt.Sprintf("%.4f", row.NCPInterval), fmt.Sprintf("%.4f", row.NCPEngine),
			fmt.Sprintf("%.2f %%", 100*row.Never), fmt.Sprintf("%.1f", row.Seconds), note)
	}
	if t.Err != nil {
		return t.Err
	}
	for _, most := range []float64{1, 2} {
		if err := e.printComparison(r, most); err != nil {
			return err
		}
	}
	return nil
}

// printComparison prints level L2 against level L1 at most so long a hold.
func (e *environment) printComparison(r *frontier.Result, most float64) error {
	spreads := r.Spreads(most)
	if len(spreads) == 0 {
		return nil
	}
	fmt.Fprintf(e.Stdout, "\nlevel L2, mean hold of streamed records at most %g, against level L1 (append) at the same hold:\n", most)
	t := cli.NewTable(e.Stdout, cli.Left("", 24), cli.Right("mean", 7),
		cli.Right("least", 7), cli.Right("most", 7))
	t.Header()
	for _, s := range spreads {
		t.Row(s.Name, fmt.Sprintf("%.4f", s.Mean), fmt.Sprintf("%.4f", s.Low), fmt.Sprintf("%.4f", s.High))
	}
	return t.Err
}
