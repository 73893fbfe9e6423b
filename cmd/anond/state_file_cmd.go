package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"anond/cmd/anond/internal/daemon"
	"anond/config"
	"anond/incremental/boltstore"
)

func newStateBackupCommand(env *environment) *cobra.Command {
	var path, out string
	c := &cobra.Command{
		Use: "backup", Short: "Copy the state of a stopped daemon (private)",
		Long: "Copies the state, consistent and checked, to a file that must not exist. The daemon must be stopped (otherwise exit 4).\n" +
			"A copy is useful until the next release: anond refuses a state older than the releases (exit 5).\n" +
			"The copy of an encrypted state is encrypted under the same key.",
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, options, err := env.stateOptions(c.Context(), path)
			if err != nil {
				return err
			}
			if err := boltstore.BackupFile(cfg.State.Path, out, options); err != nil {
				return err
			}
			info, err := os.Stat(out)
			if err != nil {
				return err
			}
			advice := "It holds persons' values: protect it like the state"
			if options.Key.Set() {
				advice = "It is encrypted, its key has the ID " + options.Key.ID()
			}
			_, err = fmt.Fprintf(env.stdout, "%s: %d bytes. %s\n", out, info.Size(), advice)
			return err
		},
	}
	configFlag(c, &path)
	c.Flags().StringVar(&out, "out", "", "`file` to write, mode 0600; it must not exist (required)")
	_ = c.MarkFlagRequired("out")
	return c
}

// stateOptions loads the configuration and what its state is opened with.
func (e *environment) stateOptions(ctx context.Context, path string) (*config.Config, boltstore.Options, error) {
	cfg, err := e.loadConfig(path)
	if err != nil {
		return nil, boltstore.Options{}, err
	}
	options, err := daemon.StateOptions(ctx, cfg)
	return cfg, options, err
}

func newStateCompactCommand(env *environment) *cobra.Command {
	var path string
	c := &cobra.Command{
		Use: "compact", Short: "Remove the free pages from the state of a stopped daemon",
		Long: "Writes the state anew without free pages, checks the copy and replaces the old file with it. The daemon must be stopped\n" +
			"(otherwise exit 4). The disk must hold both files for a moment.",
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, options, err := env.stateOptions(c.Context(), path)
			if err != nil {
				return err
			}
			before, err := os.Stat(cfg.State.Path)
			if err != nil {
				return err
			}
			if err := boltstore.CompactFile(cfg.State.Path, options); err != nil {
				return err
			}
			after, err := os.Stat(cfg.State.Path)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(env.stdout, "%s: %d bytes, %d before\n", cfg.State.Path, after.Size(), before.Size())
			return err
		},
	}
	configFlag(c, &path)
	return c
}
