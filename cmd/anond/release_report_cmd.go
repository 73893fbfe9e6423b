package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"anond/config"
	"anond/internal/cli"
	"anond/internal/ops/dpo"
	"anond/internal/upkeep"
	"anond/snapshot"
	"anond/snapshot/audit"
	"anond/snapshot/readback"
	"anond/snapshot/replay"
)

// reportFlags is what the command line says.
type reportFlags struct {
	releasesFlags
	exports, model, population string
	private, recipients        bool
	worlds                     int
}

func newReleaseReportCommand(env *environment) *cobra.Command {
	var f reportFlags
	c := &cobra.Command{
		Use: "report [NUMBER]", Short: "Write the report that a data-protection officer signs; without NUMBER on the current release",
		Args: cobra.MaximumNArgs(1),
		Long: `report writes one HTML page that needs nothing else and prints well: what was
published under which promise, and what the promise does not bound; how people are
distributed over classes, buckets and shares; what someone with all versions can learn
(Article 29 Working Party: singling out, linkability, inference); what waits, what
became of every record; what WP 216, ISO/IEC 27559, NIST SP 800-188, the ICO and HIPAA
ask; and what only the owner can fill in, such as recipients and the signature.

Its figures are those of the published files, their manifests and an audit of all
releases. With --with-state the audit has the private exports, too, all decisions of
level L2 are made again, also in --replay worlds with exchanged values, and the report
says what became of every record that was read. The exports are made in memory; a
running daemon makes a copy of its state for them, over control.socket.

--model FILE prints what anond-lab audit-model --public --json counted: how many people
a model that is trained on the release believes to have a value. --population FILE is a
CSV file of the owner, with columns that are quasi-identifiers of the release, exact
values, and a column count: how many people of the population have them.

--recipients writes a short version for those who receive the release, from public
files alone.`,
		Example: "  anond release report 42 --with-state --model model.json > report.html\n  anond release report 42 --recipients > about.html",
		RunE: cli.Answering(func(c *cobra.Command, args []string) error {
			number, err := releaseNumber(args)
			if err != nil {
				return err
			}
			switch {
			case f.dir != "" && f.private || f.dir == "" && f.exports != "":
				return cli.Usage("--dir DIR --exports DIR, or -c FILE --with-state", "--exports belongs to --dir, and --with-state to a configuration")
			case f.recipients && (f.private || f.exports != "" || f.population != ""):
				return cli.Usage("leave out --recipients, or --with-state, --exports and --population", "recipients get figures of public files alone")
			case c.Flags().Changed("replay") && !f.private:
				return cli.Usage("add --with-state", "--replay needs the state")
			}
			return env.report(c.Context(), number, &f)
		}),
	}
	f.flags(c)
	c.Flags().StringVar(&f.ledger, "ledger", "", "with --dir: ledger `file`")
	c.Flags().StringVar(&f.exports, "exports", "", "with --dir of a union: `directory` with the private exports of each shard")
	c.Flags().BoolVar(&f.private, "with-state", false, "audit with the private exports of the state, made in memory, and replay")
	c.Flags().IntVar(&f.worlds, "replay", 3, "with --with-state: make all decisions again, also in `N` worlds; 0: none")
	c.Flags().StringVar(&f.model, "model", "", "`file` of anond-lab audit-model --public --json")
	c.Flags().StringVar(&f.population, "population", "", "CSV `file` of the owner: quasi-identifiers and count")
	c.Flags().BoolVar(&f.recipients, "recipients", false, "the short version for those who receive the release")
	return c
}

func (e *environment) report(ctx context.Context, number uint32, f *reportFlags) error {
	dir, ledger, err := f.find(e)
	if err != nil {
		return err
	}
	o := audit.Options{Releases: dir, Ledger: ledger, Exports: f.exports}
	var counts *dpo.Counts
	if f.private {
		cfg, err := e.loadConfig(f.config)
		if err != nil {
			return err
		}
		if o, counts, err = e.withCounts(ctx, cfg, f.worlds); err != nil {
			return err
		}
	}
	facts, err := factsOf(o, number, f.private || f.exports != "")
	if err != nil {
		return err
	}
	facts.Counts = counts
	if err := f.add(facts, dir); err != nil {
		return err
	}
	if f.recipients {
		return dpo.WriteRecipients(e.Stdout, facts)
	}
	return dpo.Write(e.Stdout, facts)
}

// add adds what the files of the release and of the owner say.
func (f *reportFlags) add(facts *dpo.Facts, dir string) error {
	if f.model != "" {
		err := readFrom(f.model, func(in io.Reader) (err error) {
			facts.Beliefs, err = dpo.ReadBeliefs(in, facts.SHA256)
			return err
		})
		if err != nil {
			return err
		}
	}
	eras, err := readback.OpenErasOf(dir, facts.Manifest.Release)
	if errors.Is(err, snapshot.ErrPruned) && f.population == "" {
		return nil
	}
	for i := 0; err == nil && i < len(eras); i++ {
		err = eras[i].Load(nil)
	}
	if err != nil {
		return err
	}
	facts.Shape = dpo.ShapeOf(eras)
	if f.population == "" {
		return nil
	}
	if len(eras) > 1 {
		return cli.Usage("leave out --population", "the parts of release %d show columns under several settings", facts.Manifest.Release)
	}
	return readFrom(f.population, func(in io.Reader) (err error) {
		facts.Population, err = dpo.PopulationOf(eras[0], in)
		return err
	})
}

// readFrom lets a function read a file.
func readFrom(path string, read func(io.Reader) error) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(read(in), in.Close())
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

// withCounts is withExports, with what became of the records of the same state, and at level L2 with a replay in so many worlds.
func (e *environment) withCounts(ctx context.Context, cfg *config.Config, worlds int) (o audit.Options, counts *dpo.Counts, err error) {
	var recording *replay.Recording
	err = beside(ctx, cfg, func(cfg *config.Config, copied bool) error {
		var exporter *upkeep.Exporter
		if worlds > 0 && cfg.Policy.Level == config.L2 {
			exporter, recording, err = upkeep.OpenReplay(ctx, cfg)
		} else {
			exporter, err = upkeep.OpenExporter(cfg)
		}
		if err != nil {
			return err
		}
		s := exporter.Machine().Status()
		counts = &dpo.Counts{Sent: s.Sent, Published: uint64(s.Published), Expired: uint64(s.Expired),
			Withdrawn: uint64(s.Withdrawn), Pending: uint64(s.Pending.Total()), DeadLetter: s.DeadLetter,
			Forgotten: s.Forgotten, Beyond: uint64(s.Beyond), Due: s.ForgetDue, Refused: s.Refused}
		o, err = exported(cfg, exporter, copied)
		return err
	})
	if err != nil || recording == nil {
		return o, counts, err
	}
	progress, done := e.replaying(worlds, recording.Records())
	found, err := recording.Run(worlds, progress)
	done()
	if err != nil {
		return o, nil, fmt.Errorf("replay: %w", err)
	}
	o.Replay = replayOf(found)
	return o, counts, nil
}
