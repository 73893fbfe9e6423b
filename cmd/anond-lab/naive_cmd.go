package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"anond/internal/cli"
	"anond/lab/naive"
)

func newNaiveCommand(env *environment) *cobra.Command {
	var o naive.Options
	var asJSON bool
	c := &cobra.Command{
		Use:   "naive --releases DIR --members FILE --records FILE",
		Short: "Show whom common ways of refreshing a table expose",
		Long: `naive refreshes the table of a dataset in two common ways, with the same people at
the same releases. Each of their releases is safe by itself. The audit then counts
the people who are exposed to someone who keeps every release. A last line says what
someone learns about the classes of level L1 who has read its program.

It reads releases of anond and the exports of anond state members and state records.
What it writes into --out is for this comparison alone: it must not be published.`,
		Example: "  anond-lab naive --releases anond-demo/releases --members members.csv --records records.csv",
		RunE: func(c *cobra.Command, _ []string) error {
			if o.Releases == "" || o.Members == "" || o.Records == "" {
				return cli.Usage("anond state members --from 1 --out FILE and anond state records --out FILE write the exports",
					"naive needs --releases, --members and --records")
			}
			if err := checkEmpty(o.Out); err != nil {
				return err
			}
			found, err := naive.Compare(c.Context(), o)
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(env.Stdout, found)
			}
			if err := printExposures(env.Stdout, found.Naive, found.L); err != nil {
				return err
			}
			printReader(env.Stdout, found.Reader)
			return nil
		},
	}
	c.Flags().StringVar(&o.Releases, "releases", "", "`directory` of the releases")
	c.Flags().StringVar(&o.Members, "members", "", "`file` of anond state members --from 1")
	c.Flags().StringVar(&o.Records, "records", "", "`file` of anond state records")
	c.Flags().StringVar(&o.Out, "out", "naive", "`directory` for the unsafe releases; must be empty or not exist")
	c.Flags().Uint64Var(&o.Seed, "seed", 1, "seed of the attack on level L1")
	cli.JSONFlag(c, &asJSON)
	return c
}

func printExposures(w io.Writer, all []naive.Exposure, l int) error {
	fmt.Fprintf(w, `
The same stream, refreshed in two common ways. Each of their releases alone is as k-anonymous and l-diverse as anond's.
The table shows what someone learns who keeps all of them. exposed: people for whom some value has a proven probability
above 1/%d. The other columns count, for several attackers, the people left with fewer than %d candidate values / with one.

`, l, l)
	columns := []cli.Column{cli.Left("method", 39), cli.Right("published", 9), cli.Right("loss", 6), cli.Right("exposed", 7)}
	for _, a := range all[0].Attackers {
		columns = append(columns, cli.Right(a.Name, 10))
	}
	t := cli.NewTable(w, columns...)
	t.Header()
	for _, e := range all {
		cells := []string{e.Method, strconv.Itoa(e.Published), fmt.Sprintf("%.4f", e.NCP), strconv.Itoa(e.Exposed)}
		for _, a := range e.Attackers {
			cells = append(cells, fmt.Sprintf("%d / %d", a.BelowL, a.ExactlyOne))
		}
		t.Row(cells...)
	}
	return t.Err
}

// printReader says what level L1 tells someone who has read its program.
func printReader(w io.Writer, r *naive.Reader) {
	fmt.Fprintf(w, `
Level L1 (%s) against someone who has read the program and knows who is in which class, the same people at once: of %d
people, the values of %d are told with more than .9, %d of them rightly; %.1f %% are guessed (%.1f %% by the published shares).
`, r.Method, r.Published, r.Told, r.Right, 100*r.Guess, 100*r.Share)
}
