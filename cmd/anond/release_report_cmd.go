package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"anond/config"
	"anond/internal/cli"
	"anond/internal/ops/dpo"
	"anond/internal/upkeep"
	"anond/snapshot"
	"anond/snapshot/audit"
)

func newReleaseReportCommand(env *environment) *cobra.Command {
	var of releasesFlags
	var exports string
	var private bool
	c := &cobra.Command{
		Use: "report [NUMBER]", Short: "Write a report for the data-protection officer; without NUMBER on the current release",
		Args: cobra.MaximumNArgs(1),
		Long: `report writes one HTML page that needs nothing else and prints well: what was
published under which promise, what someone with all versions can learn (by the
criteria of the Article 29 Working Party: singling out, linkability, inference),
how utility developed, what waits and why, settings and hashes.

Its figures are those of the published files, their manifests and an audit of all
releases. With --with-state the audit has the private exports, too, and the report
says what became of every record that was read. The exports are made in memory; a
running daemon makes a copy of its state for them, over control.socket.`,
		Example: "  anond release report 42 > report.html",
		RunE: cli.Answering(func(c *cobra.Command, args []string) error {
			number, err := releaseNumber(args)
			if err != nil {
				return err
			}
			if of.dir != "" && private || of.dir == "" && exports != "" {
				return cli.Usage("--dir DIR --exports DIR, or -c FILE --with-state", "--exports belongs to --dir, and --with-state to a configuration")
			}
			dir, ledger, err := of.find(env)
			if err != nil {
				return err
			}
			o := audit.Options{Releases: dir, Ledger: ledger, Exports: exports}
			var counts *dpo.Counts
			if private {
				cfg, err := env.loadConfig(of.config)
				if err != nil {
					return err
				}
				if o, counts, err = withCounts(c.Context(), cfg); err != nil {
					return err
				}
			}
			facts, err := factsOf(o, number, private || exports != "")
			if err != nil {
				return err
			}
			facts.Counts = counts
			return dpo.Write(env.Stdout, facts)
		}),
	}
	of.flags(c)
	c.Flags().StringVar(&of.ledger, "ledger", "", "with --dir: ledger `file`")
	c.Flags().StringVar(&exports, "exports", "", "with --dir of a union: `directory` with the private exports of each shard")
	c.Flags().BoolVar(&private, "with-state", false, "audit with the private exports of the state, made in memory")
	return c
}

// factsOf gathers what a report is made of.
func factsOf(o audit.Options, number uint32, private bool) (*dpo.Facts, error) {
	m, err := snapshot.Show(snapshot.OS(), o.Releases, number)
	if err != nil {
		return nil, err
	}
	f := &dpo.Facts{Manifest: m, Private: private}
	if f.Releases, err = snapshot.List(snapshot.OS(), o.Releases); err != nil {
		return nil, err
	}
	for _, r := range f.Releases {
		if r.Release == m.Release {
			f.SHA256 = r.SHA256
		}
	}
	if f.Audit, err = audit.Dir(o); err != nil {
		return nil, fmt.Errorf("audit the releases: %w", err)
	}
	return f, nil
}

// withCounts is withExports, with what became of the records of the same state.
func withCounts(ctx context.Context, cfg *config.Config) (o audit.Options, counts *dpo.Counts, err error) {
	err = beside(ctx, cfg, func(cfg *config.Config, copied bool) error {
		exporter, err := upkeep.OpenExporter(cfg)
		if err != nil {
			return err
		}
		s := exporter.Machine().Status()
		counts = &dpo.Counts{Sent: s.Sent, Published: uint64(s.Published), Pending: uint64(s.Pending.Total()), DeadLetter: s.DeadLetter,
			Forgotten: s.Forgotten, Beyond: uint64(s.Beyond), Due: s.ForgetDue, Refused: s.Refused}
		o, err = exported(cfg, exporter, copied)
		return err
	})
	return o, counts, err
}
