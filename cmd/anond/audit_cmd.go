package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"anond/cmd/anond/internal/daemon"
	"anond/config"
	"anond/snapshot/audit"
)

func newAuditCommand(env *environment) *cobra.Command {
	var o audit.Options
	var path string
	var asJSON bool
	c := &cobra.Command{
		Use:   "audit",
		Short: "Examine a whole chain of releases from the files alone",
		Long: `audit checks every release and all of them together, with code that shares
nothing with the publisher. With the private exports (anond state members,
anond state records) it can certify the promise; from the public files alone it
says what it could check and what not. With -c it takes the paths from a
configuration and makes the exports itself, in a private directory that it removes.

Exit 0: certified or consistent. Exit 3: violated. Exit 1: unreadable.`,
		Example: "  anond audit -c anond.yaml\n  anond audit --releases ./releases --members members.csv --records records.csv",
		RunE: func(c *cobra.Command, _ []string) error {
			given := c.Flags().Changed
			switch {
			case given("config") && (given("releases") || given("ledger") || given("members") || given("records")):
				return usage("anond audit -c FILE alone, or --releases DIR with the others", "with -c the configuration names the files to audit, and the exports are made from state: --releases, --ledger, --members and --records would not be read")
			case o.Releases != "":
				return env.audit(o, asJSON)
			case given("config"):
				cfg, err := env.loadConfig(path)
				if err != nil {
					return err
				}
				return env.auditConfigured(cfg, o, asJSON)
			default:
				return usage("anond audit --releases DIR, or anond audit -c FILE", "audit needs to know where the releases are")
			}
		},
	}
	configFlag(c, &path)
	jsonFlag(c, &asJSON)
	c.Flags().StringVar(&o.Releases, "releases", "", "releases `directory`")
	c.Flags().StringVar(&o.Ledger, "ledger", "", "ledger `file`")
	c.Flags().StringVar(&o.Members, "members", "", "private export of anond state members")
	c.Flags().StringVar(&o.Records, "records", "", "private export of anond state records")
	c.Flags().BoolVar(&o.RequireCertified, "require-certified", false, "exit 3 unless the verdict is certified")
	return c
}

// audit runs the auditor and prints its report.
func (e *environment) audit(o audit.Options, asJSON bool) error {
	report, err := audit.Dir(o)
	if err != nil {
		return err
	}
	if asJSON {
		err = writeJSON(e.stdout, report)
	} else {
		err = report.Text(e.stdout)
	}
	if err != nil {
		return err
	}
	if code := report.ExitCode(); code != exitOK {
		return failure(code, fmt.Errorf("the verdict is %s", report.Verdict), "")
	}
	return nil
}

// auditConfigured exports from state, audits, and removes the exports.
func (e *environment) auditConfigured(cfg *config.Config, o audit.Options, asJSON bool) error {
	return withExports(cfg, func(exported audit.Options) error {
		exported.RequireCertified = o.RequireCertified
		return e.audit(exported, asJSON)
	})
}

// withExports runs work over the releases of a configuration and fresh private
// exports of its state, which are removed afterwards.
func withExports(cfg *config.Config, work func(audit.Options) error) (err error) {
	exporter, err := daemon.OpenExporter(cfg)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "anond-audit-") // mode 0700
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	o := audit.Options{Releases: cfg.Release.Dir, Ledger: cfg.Release.Ledger, Members: filepath.Join(dir, "members.csv"), Records: filepath.Join(dir, "records.csv")}
	e := &environment{}
	if err := e.writePrivate(o.Members, func(w io.Writer) error { return exporter.Members(w, 1, exporter.Releases()) }); err != nil {
		return err
	}
	if err := e.writePrivate(o.Records, exporter.Records); err != nil {
		return err
	}
	return work(o)
}
