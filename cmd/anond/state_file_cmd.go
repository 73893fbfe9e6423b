package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"anond/config"
	"anond/incremental/boltstore"
	"anond/internal/cli"
	"anond/internal/control"
	"anond/internal/dataset"
	"anond/internal/upkeep"
)

func newStateBackupCommand(env *environment) *cobra.Command {
	var path, out string
	var asJSON bool
	c := &cobra.Command{
		Use: "backup", Short: "Copy the state (private), also that of a running daemon",
		Long: "Copies the state, consistent and checked, to a file that must not exist. A running daemon is asked for the copy over\n" +
			"control.socket, and goes on reading; without that socket it must be stopped (otherwise exit 4).\n" +
			"A copy is useful until the next release: anond refuses a state older than the releases (exit 5).\n" +
			"The copy of an encrypted state is encrypted under the same key. FILE.json describes it, with its SHA-256.\n" +
			"A running daemon makes backups after its releases, too: state.backup.dir.",
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := env.loadConfig(path)
			if err != nil {
				return err
			}
			made, err := makeBackup(c.Context(), cfg, out)
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(env.Stdout, made)
			}
			advice := "It holds persons' values: protect it like the state"
			if made.KeyID != "" {
				advice = "It is encrypted, its key has the ID " + made.KeyID
			}
			_, err = fmt.Fprintf(env.Stdout, "%s: %d bytes, release %d, sha256 %s. %s\n", out, made.Bytes, made.Release, made.SHA256, advice)
			return err
		},
	}
	cli.ConfigFlag(c, &path)
	cli.JSONFlag(c, &asJSON)
	c.Flags().StringVar(&out, "out", "", "`file` to write, mode 0600; it must not exist (required)")
	_ = c.MarkFlagRequired("out")
	return c
}

// makeBackup copies the state, or has the daemon that holds it do so.
func makeBackup(ctx context.Context, cfg *config.Config, out string) (made upkeep.Backup, err error) {
	if cfg.Control.Socket == "" {
		return upkeep.MakeBackup(ctx, cfg, out, time.Now())
	}
	to, err := filepath.Abs(out)
	if err != nil {
		return made, err
	}
	text, err := control.NewClient(cfg.Control.Socket).Backup(ctx, to)
	switch {
	case errors.Is(err, control.ErrNobody):
		return upkeep.MakeBackup(ctx, cfg, out, time.Now())
	case err != nil:
		return made, err
	}
	return made, json.Unmarshal(text, &made)
}

// stateOptions loads the configuration and what its state is opened with.
func (e *environment) stateOptions(ctx context.Context, path string) (*config.Config, boltstore.Options, error) {
	cfg, err := e.loadConfig(path)
	if err != nil {
		return nil, boltstore.Options{}, err
	}
	options, err := dataset.StateOptions(ctx, cfg)
	return cfg, options, err
}

func newStateCompactCommand(env *environment) *cobra.Command {
	var path string
	c := &cobra.Command{
		Use: "compact", Short: "Remove the free pages from the state of a stopped daemon",
		Long: "Rewrites the state without free pages, checks the copy and replaces the old file with it. The daemon must be stopped\n" +
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
			show, done := env.Progressing("compaction")
			err = upkeep.CompactStopped(cfg.State.Path, options, show)
			done()
			if err != nil {
				return err
			}
			after, err := os.Stat(cfg.State.Path)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(env.Stdout, "%s: %d bytes, %d before\n", cfg.State.Path, after.Size(), before.Size())
			return err
		},
	}
	cli.ConfigFlag(c, &path)
	return c
}
