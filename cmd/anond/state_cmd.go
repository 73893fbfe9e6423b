package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"anond/config"
	"anond/incremental/boltstore"
	"anond/internal/abandon"
	"anond/internal/cli"
	"anond/internal/disk"
	"anond/internal/fault"
	"anond/internal/upkeep"
)

func newStateCommand(env *environment) *cobra.Command {
	c := &cobra.Command{Use: "state", Short: "Inspect and maintain the state; export what an audit needs"}
	c.AddCommand(newStateInfoCommand(env), newStateBrowseCommand(env), newStateCheckCommand(env), newStateMembersCommand(env),
		newStateRecordsCommand(env),
		newStateBackupCommand(env), newStateRestoreCommand(env), newStateRehearseCommand(env), newStateCompactCommand(env),
		newStateRekeyCommand(env), newStateResetCommand(env), newStateReadmitCommand(env))
	return c
}

func newStateInfoCommand(env *environment) *cobra.Command {
	var path string
	var asJSON bool
	c := &cobra.Command{
		Use: "info", Short: "Show the content of the state in counts",
		RunE: cli.Answering(func(c *cobra.Command, _ []string) error {
			cfg, options, err := env.stateOptions(c.Context(), path)
			if err != nil {
				return err
			}
			info, err := readStateInfo(cfg, options, time.Now())
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(env.Stdout, info)
			}
			return env.printFlat(info)
		}),
	}
	cli.ConfigFlag(c, &path)
	cli.JSONFlag(c, &asJSON)
	return c
}

// printFlat writes a value as lines of dotted key and value.
func (e *environment) printFlat(value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	lines, err := flatten(data)
	if err != nil {
		return err
	}
	t := cli.NewTable(e.Stdout, cli.Left("", 32), cli.Left("", 0))
	for _, l := range lines {
		t.Row(l[0], l[1])
	}
	return t.Err
}

func newStateCheckCommand(env *environment) *cobra.Command {
	var path string
	var asJSON bool
	c := &cobra.Command{
		Use: "check", Short: "Check the whole state: pages, checksums, references, rules and counts; exit 1 if anything is wrong",
		RunE: cli.Answering(func(c *cobra.Command, _ []string) error {
			cfg, options, err := env.stateOptions(c.Context(), path)
			if err != nil {
				return err
			}
			faults, err := besideOf(c.Context(), cfg, func(cfg *config.Config, _ bool) ([]string, error) { return checkState(cfg, options) })
			if err != nil {
				return err
			}
			if asJSON {
				if err := cli.WriteJSON(env.Stdout, map[string]any{"ok": len(faults) == 0, "faults": append([]string{}, faults...)}); err != nil {
					return err
				}
			} else {
				for _, f := range faults {
					fmt.Fprintln(env.Stdout, f)
				}
			}
			if len(faults) > 0 {
				return fault.Errorf(fault.Failed, "restore the newest state; an older one would be refused (exit 5)",
					"%s in %s", cli.Count(len(faults), "fault"), cfg.State.Path)
			}
			if !asJSON {
				fmt.Fprintf(env.Stdout, "ok: %s\n", cfg.State.Path)
			}
			return nil
		}),
	}
	cli.ConfigFlag(c, &path)
	cli.JSONFlag(c, &asJSON)
	return c
}

func checkState(cfg *config.Config, options boltstore.Options) ([]string, error) {
	faults, err := boltstore.Check(cfg.State.Path, options)
	if err != nil || len(faults) > 0 {
		return faults, err
	}
	e, err := upkeep.OpenExporter(cfg)
	if err != nil {
		return nil, err
	}
	for _, f := range e.Machine().CheckInvariants() {
		faults = append(faults, f.Error())
	}
	return faults, nil
}

func newStateMembersCommand(env *environment) *cobra.Command {
	var path, out string
	var release, from uint32
	c := &cobra.Command{
		Use: "members", Short: "Export who is in which class (private): release,record,part,class, at level L2 bucket",
		RunE: func(c *cobra.Command, _ []string) error {
			e, err := env.exporter(c.Context(), path)
			if err != nil {
				return err
			}
			first, last := max(1, from), e.Releases()
			if c.Flags().Changed("release") {
				first, last = release, release
			}
			return writePrivate(c.Context(), out, func(w io.Writer) error { return e.Members(w, first, last) })
		},
	}
	cli.ConfigFlag(c, &path)
	c.Flags().Uint32Var(&release, "release", 0, "only this `release`")
	c.Flags().Uint32Var(&from, "from", 1, "from this `release` on")
	c.Flags().StringVar(&out, "out", "", "`file` to write, mode 0600; it must not exist (required)")
	_ = c.MarkFlagRequired("out")
	c.MarkFlagsMutuallyExclusive("release", "from")
	return c
}

func newStateRecordsCommand(env *environment) *cobra.Command {
	var path, out string
	c := &cobra.Command{
		Use: "records", Short: "Export all records (private): record,arrived_in_release,<attributes>",
		RunE: func(c *cobra.Command, _ []string) error {
			e, err := env.exporter(c.Context(), path)
			if err != nil {
				return err
			}
			return writePrivate(c.Context(), out, e.Records)
		},
	}
	cli.ConfigFlag(c, &path)
	c.Flags().StringVar(&out, "out", "", "`file` to write, mode 0600; it must not exist (required)")
	_ = c.MarkFlagRequired("out")
	return c
}

func (e *environment) exporter(ctx context.Context, path string) (*upkeep.Exporter, error) {
	cfg, err := e.loadConfig(path)
	if err != nil {
		return nil, err
	}
	return abandon.At(ctx, func() (*upkeep.Exporter, error) {
		return besideOf(ctx, cfg, func(cfg *config.Config, _ bool) (*upkeep.Exporter, error) { return upkeep.OpenExporter(cfg) })
	})
}

// writePrivate makes a file that only its owner may read. It follows no link and
// replaces nothing: --out may name the state by mistake. A partially
// written file is removed.
func writePrivate(ctx context.Context, path string, write func(io.Writer) error) (err error) {
	f, err := disk.Create(path, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fault.With(fault.Failed, "name a file that does not exist yet", err)
	}
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	return write(cli.Interrupted{Ctx: ctx, File: f})
}
