package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"anond/cmd/anond/internal/dpo"
	"anond/config"
	"anond/snapshot"
	"anond/snapshot/audit"
)

func newReleaseReportCommand(env *environment) *cobra.Command {
	var path string
	var private bool
	c := &cobra.Command{
		Use: "report [NUMBER]", Short: "Write a report for the data-protection officer; without NUMBER on the current release",
		Args: cobra.MaximumNArgs(1),
		Long: `report writes one HTML page that needs nothing else and prints well: what was
published under which promise, what someone with all versions can learn (by the
criteria of the Article 29 Working Party: singling out, linkability, inference),
how utility developed, what waits and why, settings and hashes.

Its figures are those of the published files, their manifests and an audit of all
releases. With --with-state the audit has the private exports, too, which are made
in memory, beside a running daemon from a copy that it makes over control.socket.`,
		Example: "  anond release report 42 > report.html",
		RunE: answering(func(c *cobra.Command, args []string) error {
			number, err := releaseNumber(args)
			if err != nil {
				return err
			}
			cfg, err := env.loadConfig(path)
			if err != nil {
				return err
			}
			facts, err := factsOf(c.Context(), cfg, number, private)
			if err != nil {
				return err
			}
			return dpo.Write(env.stdout, facts)
		}),
	}
	configFlag(c, &path)
	c.Flags().BoolVar(&private, "with-state", false, "audit with the private exports of the state, made in memory")
	return c
}

// factsOf gathers what a report is made of.
func factsOf(ctx context.Context, cfg *config.Config, number uint32, private bool) (*dpo.Facts, error) {
	m, err := snapshot.Show(snapshot.OS(), cfg.Release.Dir, number)
	if err != nil {
		return nil, err
	}
	f := &dpo.Facts{Manifest: m, Private: private}
	if f.Releases, err = snapshot.List(snapshot.OS(), cfg.Release.Dir); err != nil {
		return nil, err
	}
	for _, r := range f.Releases {
		if r.Release == m.Release {
			f.SHA256 = r.SHA256
		}
	}
	o := audit.Options{Releases: cfg.Release.Dir, Ledger: cfg.Release.Ledger}
	if private {
		if o, err = withExports(ctx, cfg); err != nil {
			return nil, err
		}
	}
	if f.Audit, err = audit.Dir(o); err != nil {
		return nil, fmt.Errorf("audit the releases: %w", err)
	}
	return f, nil
}
