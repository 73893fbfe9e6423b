package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"anond/internal/cli"
	"anond/internal/upkeep"
)

func newStateResetCommand(env *environment) *cobra.Command {
	var path string
	var yes, asJSON bool
	c := &cobra.Command{
		Use: "reset", Short: "Start over before a release is decided",
		Long: `reset removes the records, positions and undelivered dead letters of a stopped
daemon's state (exit 4 if it runs). The next start reads the source from its
beginning, under the configuration of that time. Standard input must be fed
again; records that a topic no longer holds are lost.

It refuses once a release is decided, or if there are releases or a ledger
(exit 3 or 5): the same people must not be published in a second history. The
seed stays, and the numbering of dead letters continues.`,
		Example: "  anond state reset -c anond.yaml --yes",
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := env.loadConfig(path)
			if err != nil {
				return err
			}
			if !yes {
				return cli.Usage("anond state reset --yes", "reset removes all records of %s: confirm with --yes", cfg.State.Path)
			}
			removed, err := upkeep.Reset(c.Context(), cfg)
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(env.Stdout, removed)
			}
			_, err = fmt.Fprintf(env.Stdout, "%s: removed %s, %s and the positions of %s. The next start reads the source from its beginning\n",
				removed.Path,
				cli.Count(int(removed.Records), "record"), cli.Count(int(removed.DeadLetters), "undelivered dead letter"),
				cli.Count(int(removed.Partitions), "partition"))
			return err
		},
	}
	cli.ConfigFlag(c, &path)
	cli.JSONFlag(c, &asJSON)
	c.Flags().BoolVar(&yes, "yes", false, "remove the records (required)")
	return c
}
