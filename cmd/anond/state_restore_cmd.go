package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"anond/internal/cli"
	"anond/internal/upkeep"
)

func newStateRestoreCommand(env *environment) *cobra.Command {
	var path, from string
	var missing, asJSON bool
	c := &cobra.Command{
		Use: "restore", Short: "Put a backup in place of the state of a stopped daemon",
		Long: "Checks the backup, compares it with its description, with the releases, with the ledger and with the state in place, and\n" +
			"replaces the state. A backup is refused if any of them is ahead of it (exit 5): it would decide releases again, and the two\n" +
			"histories could be compared. The state that was in place is kept next to it.\n\n" +
			"With --missing it takes the newest backup of state.backup.dir, and does nothing where there is a state or no backup: for\n" +
			"what runs before each start of a shard with a journal, whose volume may have been lost.",
		Example: "  anond state restore -c anond.yaml --from /mnt/backup/anond/hospital-20261122T020003Z-r000042.db",
		RunE: cli.Answering(func(c *cobra.Command, _ []string) error {
			cfg, err := env.loadConfig(path)
			if err != nil {
				return err
			}
			var out upkeep.Restored
			if missing {
				out, err = upkeep.RestoreMissing(c.Context(), cfg, time.Now())
			} else {
				out, err = upkeep.Restore(c.Context(), cfg, from, time.Now())
			}
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(env.Stdout, out)
			}
			if out.Nothing != "" {
				_, err = fmt.Fprintf(env.Stdout, "%s: nothing to do, %s\n", out.Path, out.Nothing)
				return err
			}
			kept := ""
			if out.Aside != "" {
				kept = ". The state before it: " + out.Aside
			}
			_, err = fmt.Fprintf(env.Stdout, "%s: %d records, release %d%s\n", out.Path, out.Records, out.Release, kept)
			return err
		}),
	}
	cli.ConfigFlag(c, &path)
	cli.JSONFlag(c, &asJSON)
	c.Flags().StringVar(&from, "from", "", "backup `file`")
	c.Flags().BoolVar(&missing, "missing", false, "put the newest backup in place if there is no state")
	c.MarkFlagsMutuallyExclusive("from", "missing")
	c.MarkFlagsOneRequired("from", "missing")
	return c
}
