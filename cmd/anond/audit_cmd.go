package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"anond/config"
	"anond/internal/cli"
	"anond/internal/fault"
	"anond/internal/upkeep"
	"anond/snapshot/audit"
)

// auditFlags is what the command line says.
type auditFlags struct {
	audit.Options
	config string
	json   bool
	out    string
	worlds int
	given  func(flag string) bool
	until  bool // leave out releases that the state does not know: it is a copy
}

func newAuditCommand(env *environment) *cobra.Command {
	var f auditFlags
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
and in N worlds in which people exchange values such that no class, bucket,
release time or skipped cut may change, and no byte of what is published. Only
this certifies level L2, and recoding permutation at all. It takes as long as
N+1 runs of the state machine, and renders each part N+1 times.

The releases directory of a union (anond union) is audited together with the chain
of each shard, below its directory shards. --exports names a directory that has
shard-I/members.csv and shard-I/records.csv of each shard I; with all of them the
union can be certified. With the ledger of the shard as shard-I/ledger, releases of
it that are gone are sealed.

--view names the directory of a view of the releases (release.views): it is audited as
a chain of its own, and each of its releases has to be the function of the release of
its number that its manifest says. A configuration names its views itself.

--others names the export of anond state records of another dataset of the same
subject.ledger: nobody may have records in both.

At level L1 the report of an audit with exports is private: it tells the share of
a value among people who wait. --out writes it to a file of mode 0600.

Where a daemon runs, it makes a private copy of its state for this command, over
control.socket, and goes on reading. Releases that it publishes meanwhile are
left out.

A replay that finds no difference is noted next to the ledger. Where files of old
releases are gone, or an earlier version decided them, the verdict is "sealed" if
the ledger says that all of that passed when it was made.

Exit 0: certified, sealed or consistent. Exit 3: violated. Exit 1: unreadable, also where
the directory holds files that nothing names (a name with a leading dot is ignored).
With --require-certified, also exit 3 if the verdict is neither certified nor sealed, or
--replay is given and level L2 is neither, and exit 1 if it is sealed and the ledger
lacks a release.`,
		Example: "  anond audit\n  anond audit -c anond.yaml\n  anond audit -c anond.yaml --replay 10\n" +
			"  anond audit --releases ./releases --members members.csv --records records.csv",
		RunE: cli.Answering(func(c *cobra.Command, _ []string) error {
			f.given = c.Flags().Changed
			if err := f.check(); err != nil {
				return err
			}
			return env.auditAsTold(c.Context(), &f)
		}),
	}
	cli.ConfigFlag(c, &f.config)
	cli.JSONFlag(c, &f.json)
	c.Flags().StringVar(&f.Releases, "releases", "", "releases `directory`")
	c.Flags().StringVar(&f.Ledger, "ledger", "", "ledger `file`")
	c.Flags().StringVar(&f.Members, "members", "", "private export of anond state members")
	c.Flags().StringVar(&f.Records, "records", "", "private export of anond state records")
	c.Flags().StringVar(&f.Exports, "exports", "", "of a union: `directory` with the private exports of each shard")
	c.Flags().StringArrayVar(&f.Views, "view", nil, "`directory` of a view of the releases; may be repeated")
	c.Flags().StringArrayVar(&f.Others, "others", nil, "records `export` of another dataset of the same subject.ledger; may be repeated")
	c.Flags().IntVar(&f.worlds, "replay", 0, "make all decisions again, also in `N` worlds with exchanged values (level L2)")
	c.Flags().StringVar(&f.out, "out", "", "write the report to a `file` of mode 0600 that does not exist yet")
	c.Flags().BoolVar(&f.RequireCertified, "require-certified", false, "exit 3 unless the verdict is certified or sealed")
	return c
}

// files reports whether flags name the files to audit, so that no configuration does.
func (f *auditFlags) files() bool {
	return slices.ContainsFunc([]string{"releases", "ledger", "members", "records", "exports", "view"}, f.given)
}

// check refuses flags that contradict each other.
func (f *auditFlags) check() error {
	switch files := f.files(); {
	case f.given("config") && files:
		return cli.Usage("anond audit -c FILE alone, or --releases DIR with the others", "with -c the configuration names the files to audit, "+
			"and the exports are made from the state: --releases, --ledger, --members, --records, --exports and --view would be ignored")
	case f.given("replay") && files:
		return cli.Usage("anond audit -c FILE --replay N", "--replay needs the state that a configuration names, not --releases")
	case f.given("replay") && f.worlds < 1:
		return cli.Usage("anond audit -c FILE --replay 10", "--replay is the number of worlds, at least 1")
	case f.Exports != "" && (f.Members != "" || f.Records != ""):
		return cli.Usage("--exports for a union, --members and --records for one publisher", "--exports has the exports of all shards")
	case files && f.Releases == "":
		return cli.Usage("anond audit --releases DIR with the others, or anond audit -c FILE",
			"--ledger, --members, --records, --exports and --view belong to --releases")
	}
	return nil
}

// auditAsTold audits the files that flags name, else what a configuration names.
func (e *environment) auditAsTold(ctx context.Context, f *auditFlags) error {
	if f.Releases != "" {
		_, err := e.audit(ctx, f.Options, f)
		return err
	}
	cfg, err := e.loadConfig(f.config)
	if err != nil {
		return err
	}
	if f.given("replay") {
		return e.auditReplayed(ctx, cfg, f)
	}
	return e.auditConfigured(ctx, cfg, f)
}

// audit runs the auditor and prints its report, or writes it to a file. The report comes back with the error that its verdict is.
func (e *environment) audit(ctx context.Context, o audit.Options, f *auditFlags) (*audit.Report, error) {
	show, done := e.Progressing("audit")
	o.Others = f.Others
	o.Progress = func(at, all int) { show(int64(at), int64(all)) }
	report, err := audit.Dir(o)
	done()
	if err != nil {
		return nil, err
	}
	write := report.Text
	if f.json {
		write = func(w io.Writer) error { return cli.WriteJSON(w, report) }
	}
	if f.out == "" {
		err = write(e.Stdout)
	} else {
		err = writePrivate(ctx, f.out, write)
	}
	if err != nil {
		return nil, err
	}
	return report, verdictError(report)
}

// verdictError is the error that a verdict is; nil: none.
func verdictError(r *audit.Report) error {
	code := r.ExitCode()
	switch passed := r.Verdict == audit.VerdictCertified || r.Verdict == audit.VerdictSealed; {
	case code == cli.OK:
		return nil
	case !passed:
		return fault.Errorf(fault.Kind(code), "", "the verdict is %s", r.Verdict)
	case code == cli.Failed:
		return fault.Errorf(fault.Kind(code), "start anond run, which completes the ledger",
			"the verdict is sealed, and the ledger lacks a release")
	case r.Replay.Outcome == audit.ReplayNone:
		return fault.Errorf(fault.Kind(code), "", "level L2 is not certified: %s; not replayed: %s", r.Level.L2, r.Replay.Reason)
	}
	return fault.Errorf(fault.Kind(code), "", "level L2 is not certified: %s", r.Level.L2)
}

// auditConfigured audits what a configuration names.
func (e *environment) auditConfigured(ctx context.Context, cfg *config.Config, f *auditFlags) error {
	whole, err := withExports(ctx, cfg, f.until)
	if err != nil {
		return err
	}
	whole.RequireCertified = f.RequireCertified
	_, err = e.audit(ctx, whole, f)
	return err
}

// withExports says how to audit the releases of a configuration with fresh
// exports of its state. They hold persons' values and are kept in memory only: a
// file would outlive a process that is killed.
func withExports(ctx context.Context, cfg *config.Config, until bool) (audit.Options, error) {
	return besideOf(ctx, cfg, func(cfg *config.Config, copied bool) (audit.Options, error) {
		exporter, err := upkeep.OpenExporter(cfg)
		if err != nil {
			return audit.Options{}, err
		}
		return exported(cfg, exporter, copied || until)
	})
}

// exported says how to audit the releases of a configuration with the exports of an
// exporter. Of a copy: what a daemon publishes meanwhile is left out.
func exported(cfg *config.Config, exporter *upkeep.Exporter, copied bool) (audit.Options, error) {
	var members, records bytes.Buffer
	if err := exporter.Members(&members, 1, exporter.Releases()); err != nil {
		return audit.Options{}, err
	}
	if err := exporter.Records(&records); err != nil {
		return audit.Options{}, err
	}
	o := audit.Options{Releases: cfg.Release.Dir, Ledger: cfg.Release.Ledger, Views: viewsOf(cfg),
		Private: &audit.Exports{Members: members.Bytes(), Records: records.Bytes()}}
	if copied {
		o.Until = int(exporter.Releases())
	}
	return o, nil
}

// viewsOf are the directories of the views of a configuration that are there.
func viewsOf(cfg *config.Config) (out []string) {
	for _, v := range cfg.Release.Views {
		if _, err := os.Stat(filepath.Join(v.Dir, "CURRENT")); err == nil {
			out = append(out, v.Dir)
		}
	}
	return out
}
