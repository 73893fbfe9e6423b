package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"anond/cmd/anond/internal/daemon"
	"anond/config"
	"anond/snapshot/audit"
)

func newAuditCommand(env *environment) *cobra.Command {
	var o audit.Options
	var path string
	var asJSON bool
	var worlds int
	var earlier, earlierExports []string
	c := &cobra.Command{
		Use:   "audit",
		Short: "Check a whole chain of releases from the files alone",
		Long: `audit checks every release and all of them together, with code that shares
nothing with the publisher. With the private exports (anond state members,
anond state records) it can certify the promise. From the public files alone it
reports what it could check and what not. Without --releases it takes the paths
from a configuration and creates the exports itself, in memory, without a file.

Files cannot show all of level L2. With --replay N and a configuration, the
program makes all decisions again from the records of the state: as they are,
and in N worlds in which others have the values, drawn so that no class, bucket,
release time or skipped cut may change. Only then level L2 is certified. That
costs N+1 runs of the machine, without its files.

The releases directory of a union (anond union) is audited together with the chain
of each shard, below its directory shards. --exports names a directory that has
shard-I/members.csv and shard-I/records.csv of each shard I; with all of them the
union can be certified.

The releases of an earlier epoch (anond epoch) are audited together with those that
follow it: --earlier, as often as there are earlier epochs. Its exports are below
--earlier-exports: members.csv and records.csv, of a union those of each shard.

Where a daemon runs, it makes a private copy of its state for this command, over
control.socket, and goes on reading. Releases that it publishes meanwhile are
left out.

Exit 0: certified or consistent. Exit 3: violated. Exit 1: unreadable.
With --require-certified, also exit 3 if the verdict is less than certified, or
--replay is given and level L2 is not certified.`,
		Example: "  anond audit\n  anond audit -c anond.yaml\n  anond audit -c anond.yaml --replay 10\n" +
			"  anond audit --releases ./releases --members members.csv --records records.csv",
		RunE: answering(func(c *cobra.Command, _ []string) error {
			given := c.Flags().Changed
			files := given("releases") || given("ledger") || given("members") || given("records") || given("exports")
			switch {
			case given("config") && files:
				return usage("anond audit -c FILE alone, or --releases DIR with the others", "with -c the configuration names the files to audit, "+
					"and the exports are made from the state: --releases, --ledger, --members, --records and --exports would be ignored")
			case given("replay") && files:
				return usage("anond audit -c FILE --replay N", "--replay needs the state that a configuration names, not --releases")
			case given("replay") && worlds < 1:
				return usage("anond audit -c FILE --replay 10", "--replay is the number of worlds, at least 1")
			case len(earlierExports) > 0 && len(earlierExports) != len(earlier):
				return usage("--earlier OLD --earlier-exports DIR, as often as there are earlier epochs, the oldest first",
					"--earlier-exports belongs to --earlier: one for each")
			case o.Exports != "" && (o.Members != "" || o.Records != ""):
				return usage("--exports for a union, --members and --records for one publisher", "--exports has the exports of all shards")
			case len(earlier) > 0 && o.Releases == "":
				return usage("anond audit --releases DIR --earlier OLD with their exports", "--earlier belongs to --releases")
			case o.Releases != "":
				o.Earlier = epochsBefore(earlier, earlierExports)
				return env.audit(o, asJSON)
			case files:
				return usage("anond audit --releases DIR with the others, or anond audit -c FILE",
					"--ledger, --members, --records and --exports belong to --releases")
			}
			cfg, err := env.loadConfig(path)
			if err != nil {
				return err
			}
			if given("replay") {
				return env.auditReplayed(c.Context(), cfg, o, worlds, asJSON)
			}
			return env.auditConfigured(c.Context(), cfg, o, asJSON)
		}),
	}
	configFlag(c, &path)
	jsonFlag(c, &asJSON)
	c.Flags().StringVar(&o.Releases, "releases", "", "releases `directory`")
	c.Flags().StringVar(&o.Ledger, "ledger", "", "ledger `file`")
	c.Flags().StringVar(&o.Members, "members", "", "private export of anond state members")
	c.Flags().StringVar(&o.Records, "records", "", "private export of anond state records")
	c.Flags().StringVar(&o.Exports, "exports", "", "of a union: `directory` with the private exports of each shard")
	c.Flags().StringArrayVar(&earlier, "earlier", nil, "releases `directory` of an earlier epoch; again for each, the oldest first")
	c.Flags().StringArrayVar(&earlierExports, "earlier-exports", nil, "`directory` with the private exports of that epoch")
	c.Flags().IntVar(&worlds, "replay", 0, "make all decisions again, also in `N` worlds with exchanged values (level L2)")
	c.Flags().BoolVar(&o.RequireCertified, "require-certified", false, "exit 3 unless the verdict is certified")
	return c
}

// epochsBefore are the earlier epochs that the command line names.
func epochsBefore(releases, exports []string) (out []audit.Earlier) {
	for i, dir := range releases {
		e := audit.Earlier{Releases: dir}
		if i < len(exports) {
			e.Exports = exports[i]
		}
		out = append(out, e)
	}
	return out
}

// audit runs the auditor and prints its report.
func (e *environment) audit(o audit.Options, asJSON bool) error {
	show, done := e.progressing("audit")
	o.Progress = func(at, all int) { show(int64(at), int64(all)) }
	report, err := audit.Dir(o)
	done()
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
		if report.Verdict == audit.VerdictCertified {
			return failure(code, fmt.Errorf("level L2 is not certified: %s", report.Level.L2), "")
		}
		return failure(code, fmt.Errorf("the verdict is %s", report.Verdict), "")
	}
	return nil
}

// auditConfigured audits what a configuration names.
func (e *environment) auditConfigured(ctx context.Context, cfg *config.Config, o audit.Options, asJSON bool) error {
	whole, err := withExports(ctx, cfg)
	if err != nil {
		return err
	}
	whole.RequireCertified = o.RequireCertified
	return e.audit(whole, asJSON)
}

// withExports says how to audit the releases of a configuration with fresh
// exports of its state. They hold persons' values and are kept in memory only: a
// file would outlive a process that is killed.
func withExports(ctx context.Context, cfg *config.Config) (audit.Options, error) {
	return besideOf(ctx, cfg, func(cfg *config.Config, copied bool) (audit.Options, error) {
		exporter, err := daemon.OpenExporter(cfg)
		if err != nil {
			return audit.Options{}, err
		}
		return exported(cfg, exporter, copied)
	})
}

// exported says how to audit the releases of a configuration with the exports of an
// exporter. Of a copy: what a daemon publishes meanwhile is left out.
func exported(cfg *config.Config, exporter *daemon.Exporter, copied bool) (audit.Options, error) {
	var members, records bytes.Buffer
	if err := exporter.Members(&members, 1, exporter.Releases()); err != nil {
		return audit.Options{}, err
	}
	if err := exporter.Records(&records); err != nil {
		return audit.Options{}, err
	}
	o := audit.Options{Releases: cfg.Release.Dir, Ledger: cfg.Release.Ledger,
		Private: &audit.Exports{Members: members.Bytes(), Records: records.Bytes()}}
	if copied {
		o.Until = int(exporter.Releases())
	}
	return o, nil
}
