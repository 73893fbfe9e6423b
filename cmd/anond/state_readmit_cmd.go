package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"anond/equivclass"
	"anond/internal/cli"
	"anond/internal/dataset"
	"anond/internal/ops/logs"
	"anond/internal/upkeep"
)

func newStateReadmitCommand(env *environment) *cobra.Command {
	var path, attribute, letters string
	var asJSON bool
	c := &cobra.Command{
		Use: "readmit", Short: "Accept records that were refused because a hierarchy lacked their value",
		Long: `readmit reads records again that were refused because the value of a
quasi-identifier was not in its hierarchy (value_not_in_hierarchy), and accepts
those whose value is in the hierarchy now. They count as pending from then on,
and no longer as dead letters; a later run does not change them. The daemon must
be stopped (otherwise exit 4). The source must still have the records, or the
dead letters must contain them (dead_letter.payload; not those of a CSV file or
standard input, which lack the header). Each record is compared with the digest
in its dead letter.

Records refused for their sensitive value are not accepted: their late arrival
would reveal the value.`,
		Example: "  anond state readmit -c anond.yaml --attribute postcode",
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := env.loadConfig(path)
			if err != nil {
				return err
			}
			log := logs.New(env.Stderr, cfg.Log, cli.IsTerminal(env.Stderr))
			out, err := upkeep.Readmit(c.Context(), cfg, dataset.Options{Log: log},
				upkeep.Readmission{Reason: string(equivclass.ReasonHierarchy), Attribute: attribute, File: letters})
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(env.Stdout, out)
			}
			_, err = fmt.Fprintf(env.Stdout, "%s: %d accepted, %d still refused, %d changed in the source, %d no longer there\n",
				cli.Count(out.Letters, "dead letter"), out.Admitted, out.Refused, out.Changed, out.Gone)
			if err == nil && out.More {
				_, err = fmt.Fprintln(env.Stdout, "there are more: run it again")
			}
			return err
		},
	}
	cli.ConfigFlag(c, &path)
	cli.JSONFlag(c, &asJSON)
	c.Flags().StringVar(&attribute, "attribute", "", "only records refused for this `attribute`")
	c.Flags().StringVar(&letters, "letters", "", "`file` of dead letters, one per line, if they were sent to a topic")
	return c
}
