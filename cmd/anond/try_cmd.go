package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"anond/internal/cli"
	"anond/internal/disk"
	"anond/internal/fault"
	"anond/internal/ops/trialpage"
	"anond/internal/trial"
)

// mostSettings bounds what is compared: each costs a run, and has a column.
const mostSettings = 6

func newTryCommand(env *environment) *cobra.Command {
	o := trial.Options{Lookup: env.Lookup, Stdin: env.Stdin, AtKill: cli.AtKill, Progress: func(string) {}}
	var page string
	var ks, ls []int
	var promises []string
	var asJSON bool
	c := &cobra.Command{
		Use:   "try DATA",
		Short: "Publish a table on trial, say what came of it, and keep nothing",
		Args:  cobra.ExactArgs(1),
		Long: `try reads DATA, a CSV or NDJSON file or - for standard input, publishes it with the
configuration as anond run --once would, in a temporary directory that is removed
again, and says what would be refused and why, what the first release loses by
attribute and by view, how large classes and buckets are, how far random counts are off, what
becomes of strong relations between attributes, and how many people the next pool
needs. Only the blocks schema, policy, subject, initial and release of the
configuration count, and how the source is decoded.

--k, --l and --promise set what the configuration says to something else; several
values give as many settings side by side. --page writes one page with pictures.

What it writes compares the release with the records themselves: it is private.
The page gets mode 0600, and so does a file that standard output is. Settings that
are chosen by it reveal something about its people: try records of other people.
docs/CHOOSING.md reads it line by line.`,
		Example: "  anond try last-year.csv\n  anond try last-year.csv --k 5,10 --per-day 200 --page try.html\n" +
			"  anond try last-year.csv --promise 'income: {l: 2}' --promise 'income: {gain: 2}'",
		RunE: func(c *cobra.Command, args []string) error {
			o.Data = args[0]
			for _, k := range orNone(ks) {
				for _, l := range orNone(ls) {
					for _, promise := range orNone(promises) {
						o.Settings = append(o.Settings, trial.Setting{K: k, L: l, Promise: promise})
					}
				}
			}
			switch n := len(o.Settings); {
			case slices.ContainsFunc(slices.Concat(ks, ls), func(n int) bool { return n < 2 }):
				return cli.Usage("--k 5,10 --l 3,5", "k and l are at least 2")
			case o.PerDay < 0:
				return cli.Usage("--per-day 200", "--per-day is no negative number")
			case n > mostSettings:
				return cli.Usage("give fewer of --k, --l and --promise", "%d settings are too many to compare; %d are the most", n, mostSettings)
			}
			if _, working := withWork(env.Stderr); working != nil {
				o.Progress = working
				defer working("")
			}
			if err := keepPrivate(env.Stdout); err != nil {
				return err
			}
			r, err := trial.Run(c.Context(), o)
			if err != nil {
				return err
			}
			if page != "" {
				err = disk.Replace(page, 0o600, func(w io.Writer) error { return trialpage.Write(w, r) })
			}
			if asJSON {
				err = errors.Join(err, cli.WriteJSON(env.Stdout, r))
			} else {
				err = errors.Join(err, r.Text(env.Stdout))
			}
			if err == nil && r.Released() == nil {
				return fault.Errorf(fault.Privacy, r.Outcomes[0].Hint, "nothing would be published: %s", r.Outcomes[0].Why)
			}
			return err
		},
	}
	cli.ConfigFlag(c, &o.Config)
	cli.JSONFlag(c, &asJSON)
	f := c.Flags()
	f.StringVar(&page, "page", "", "write a page with pictures to this `file`, which only its owner may read")
	f.IntSliceVar(&ks, "k", nil, "policy.k: one or more, such as 5,10")
	f.IntSliceVar(&ls, "l", nil, "policy.l: one or more")
	f.StringArrayVar(&promises, "promise", nil, "`'attribute: {gain: 2}'` as in the configuration; each use is one more setting")
	f.Float64Var(&o.PerDay, "per-day", 0, "new people in a day, for how long a pool takes")
	return c
}

// orNone is what was given of an option, or that nothing was.
func orNone[T any](given []T) []T {
	if len(given) == 0 {
		return make([]T, 1)
	}
	return given
}

// keepPrivate takes the right to read from others, if the output is a file.
func keepPrivate(w io.Writer) error {
	if f, ok := w.(*os.File); ok {
		if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o077 == 0 {
			return err
		}
		if err := f.Chmod(0o600); err != nil {
			return fmt.Errorf("standard output is a file that others may read: %w", err)
		}
	}
	return nil
}
