package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"anond/config"
	"anond/internal/cli"
	"anond/internal/upkeep"
)

func newStateRehearseCommand(env *environment) *cobra.Command {
	var path string
	c := &cobra.Command{
		Use: "rehearse", Short: "Fetch a backup from elsewhere, and audit the releases with it",
		Long: "Has state.backup.fetch bring the newest copies back, from where state.backup.command takes them, into a private directory\n" +
			"next to the state. Compares the newest with its description, loads it, and audits the releases with it as\n" +
			"anond audit --require-certified does, at level L2 with --replay 1. Releases that the copy does not know are left out. Then it\n" +
			"removes the copy, and notes the success in state.backup.dir: the metric anond_backup_last_rehearsed_timestamp_seconds is its\n" +
			"age. State and releases do not change, and a daemon may run. For a timer; one at a time.",
		Example: "  anond state rehearse -c anond.yaml",
		RunE: cli.Answering(func(c *cobra.Command, _ []string) (err error) {
			cfg, err := env.loadConfig(path)
			if err != nil {
				return err
			}
			copied, remove, err := upkeep.Fetch(c.Context(), cfg)
			if remove != nil {
				defer func() { err = errors.Join(err, remove()) }()
			}
			if err != nil {
				return err
			}
			of := *cfg
			of.State.Path, of.Control.Socket = copied, "" // a daemon has another state
			f := &auditFlags{worlds: 1, until: true}
			f.RequireCertified = true
			audited := env.auditConfigured
			if of.Policy.Level == config.L2 {
				audited = env.auditReplayed
			}
			if err := audited(c.Context(), &of, f); err != nil {
				return err
			}
			exporter, err := upkeep.OpenExporter(&of)
			if err != nil {
				return err
			}
			now := upkeep.Rehearsal{At: time.Now().UTC(), File: filepath.Base(copied), Release: exporter.Releases()}
			if err := upkeep.NoteRehearsal(cfg, now); err != nil {
				return err
			}
			_, err = fmt.Fprintf(env.Stdout, "rehearsed %s: release %d\n", now.File, now.Release)
			return err
		}),
	}
	cli.ConfigFlag(c, &path)
	return c
}
