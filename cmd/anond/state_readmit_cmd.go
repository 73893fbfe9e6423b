package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"anond/cmd/anond/internal/daemon"
)

func newStateReadmitCommand(env *environment) *cobra.Command {
	var path, attribute, letters string
	var asJSON bool
	c := &cobra.Command{
		Use: "readmit", Short: "Take in what was refused for want of a leaf that a hierarchy has now",
		Long: `readmit reads records again that were refused since the value of a
quasi-identifier was not in its hierarchy (value_not_in_hierarchy), and takes in
those whose value is there now. They count as pending from then on, and no longer
as dead letters; a later run changes nothing about them. The daemon must be
stopped (exit 4 otherwise). The source must still hold the records, or the dead
letters carry them (dead_letter.payload; not those of a CSV file or standard
input, whose header they lack). Each is compared with the digest of its letter.

Records refused for their sensitive value are not taken in: who came late would
tell the value.`,
		Example: "  anond state readmit -c anond.yaml --attribute postcode",
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := env.loadConfig(path)
			if err != nil {
				return err
			}
			log := newLogger(env.stderr, cfg.Log, isTerminal(env.stderr))
			out, err := daemon.Readmit(c.Context(), cfg, daemon.Options{Log: log}, attribute, letters)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(env.stdout, out)
			}
			_, err = fmt.Fprintf(env.stdout, "%s: %d taken in, %d refused still, %d changed in the source, %d no longer there\n",
				count(out.Letters, "dead letter"), out.Admitted, out.Refused, out.Changed, out.Gone)
			if err == nil && out.More {
				_, err = fmt.Fprintln(env.stdout, "there are more: run it again")
			}
			return err
		},
	}
	configFlag(c, &path)
	jsonFlag(c, &asJSON)
	c.Flags().StringVar(&attribute, "attribute", "", "only records refused for this `attribute`")
	c.Flags().StringVar(&letters, "letters", "", "`file` of dead letters, one a line, where they went to a topic")
	return c
}
