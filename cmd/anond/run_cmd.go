package main

import (
	"context"
	"errors"
	"log/slog"

	"github.com/spf13/cobra"

	"anond/config"
	"anond/incremental"
	"anond/ingest"
	"anond/internal/cli"
	"anond/internal/control"
	"anond/internal/daemon"
	"anond/internal/dataset"
	"anond/internal/fault"
	"anond/internal/ops/logs"
)

func newRunCommand(env *environment) *cobra.Command {
	var path string
	var once, again, dry, trust, asJSON bool
	c := &cobra.Command{
		Use:   "run",
		Short: "Run the daemon: read, place, publish",
		Long: `run reads records from the configured source, places them into equivalence
classes and publishes releases until it is stopped. The first SIGINT or
SIGTERM drains: what was read is committed, and a release in progress is
finished or parked. The second ends the process at once. In both cases the next
start needs no repair. SIGHUP reads the configuration again, as anond reload does.

While it runs, metrics, health and a dashboard are served at http.listen:
http://127.0.0.1:9464 unless the configuration says otherwise.

With --once the command always ends. If the source does not answer for a minute,
or a release cannot be published in five attempts, it ends with exit code 1. If
the dead-letter sink is unavailable, the dead letters stay in the state. If somebody
waits it ends with 0, and the log's last line says for what, how many are missing, and until
when at the latest; if a pool was refused, or no pool can be large enough, with 3. At the end
standard output gets a summary for people (unless it is where a log of JSON goes): what was
read, published, refused and why, who waits and for what, and the next command.

With --once --dry-run nothing is written: no state, no release, no dead letter, and no
position of a consumer group. The command reads what --once would read, from the position
of the state. It says which records are refused, and what one release of all waiting records
would publish. (A run may make several, by release.trigger and initial.max_records.) It works
next to a running daemon that has control.socket. At level L2 it shows counts and losses
only, as anond release plan does.

A file with shard.run or shard.group is of several shards, and all that are this process's run in it; the variable SHARD names one
that is run alone, and whose state and releases the other commands look at.

Standard input that begins with exactly what was committed of an earlier one is resumed behind
that, so that an input that is fed again counts nobody twice. --again says that it is another
input, of other people, all the same.`,
		Example: "  anond run -c anond.yaml\n  cat records.csv | anond run -c anond.yaml\n  anond run --once --dry-run",
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case dry && !once:
				return cli.Usage("anond run --once --dry-run", "--dry-run needs --once")
			case asJSON && !dry:
				return cli.Usage("anond run --once --dry-run --json", "--json is for --dry-run")
			case dry:
				return env.rehearse(c.Context(), path, again, asJSON)
			}
			cfg, warnings, err := cli.LoadConfig(c.Context(), &env.Env, path)
			if err != nil {
				cli.Warn(&env.Env, warnings)
				return err
			}
			if cfg.Shard.Open {
				return env.runShards(c.Context(), path, cfg, warnings, once, trust)
			}
			caught, stop := hangups()
			defer stop()
			if again && cfg.Source.Type != config.FromStdin {
				return cli.Usage("cat records.csv | anond run --again", "--again is for source.type stdin")
			}
			journal, level := control.NewJournal(), new(slog.LevelVar)
			out, working := withWork(env.Stderr)
			log := logs.NewSteered(out, cfg.Log, cli.IsTerminal(env.Stderr), level, journal)
			shown, err := openSurfaces(c.Context(), &env.Env, cfg, log, once)
			if err != nil {
				return err
			}
			defer shown.End()
			warned(shown.Log, warnings)
			if cfg.Source.Type != config.FromStdin {
				running, ended := context.WithCancel(c.Context())
				defer ended()
				go func() {
					if env.BytesWait(running) {
						shown.Log.Warn("bytes come on standard input and are not read: source.type stdin reads them", "event", "stdin_ignored",
							"source_type", string(cfg.Source.Type))
					}
				}()
			}
			load := func() (*config.Config, error) {
				c, warnings, err := env.load(path)
				warned(shown.Log, warnings)
				return c, err
			}
			var last *ingest.Report
			err = daemon.Run(c.Context(), cfg, dataset.Options{Log: shown.Log, Level: level, Journal: journal, Load: load, Reloads: caught,
				Manager: shown.Manager, Prepare: shown.prepare, Lookup: env.Lookup, Working: working, Once: once, Again: again, TrustClock: trust,
				Stdin: env.Stdin, Monitor: shown.monitor, Meter: shown.metrics, Observe: func(r ingest.Report) { last = &r },
				StandIns: dataset.StandIns{Forgetting: afterForgetStep, Owners: aroundOwners}})
			failed(shown.Log, err)
			if !once || last == nil {
				return err
			}
			if err == nil && c.Context().Err() == nil {
				peopleWait(shown.Log, reported(cfg, last))
			}
			if err != nil && last.Machine.Sent == last.Before.Sent {
				return err // nothing was read, and the error says why
			}
			return errors.Join(err, env.summarize(cfg, path, last, shown.monitor.Now().Events, c.Context().Err() != nil))
		},
	}
	cli.ConfigFlag(c, &path)
	cli.JSONFlag(c, &asJSON)
	c.Flags().BoolVar(&dry, "dry-run", false, "with --once: say what would be read and published; write nothing")
	c.Flags().BoolVar(&again, "again", false, "with source.type stdin: the input is another one than those read before")
	c.Flags().BoolVar(&trust, "trust-clock", false, "with release.window or subject.erasure: the clock is right, though nobody ran for so "+
		"long")
	c.Flags().BoolVar(&once, "once", false, "read to the present end of the source, publish what can be published, and stop")
	return c
}

// failed logs why a run ends with an error, so that who reads the log alone knows the cause, too.
func failed(log *slog.Logger, err error) {
	if err == nil {
		return
	}
	code, hint := fault.Of(err)
	log.Error("anond ends with an error", "event", "failed", "code", code, "error", err.Error(), "hint", hint)
}

// peopleWait is the last line of a run that has ended: who waits, how many are missing, and until when.
func peopleWait(log *slog.Logger, s *shownStatus) {
	if s.Counts.Pending.Waiting == 0 && s.Counts.FirstLoad == nil {
		return
	}
	if why := whyLine(s); why != "" {
		log.Info(why, "event", "people_wait", "waiting", s.Counts.Pending.Waiting, "missing", missing(&s.Counts))
	}
}

// missing is how many more the next release needs, as far as that is a number.
func missing(c *incremental.Status) int {
	switch {
	case c.FirstLoad != nil:
		return max(0, c.FirstLoad.Wanted-c.FirstLoad.Records)
	case c.Pool != nil:
		return max(0, c.Pool.Records-c.WaitingPlain()+c.Outdated)
	}
	return 0
}

// warned logs the warnings of a configuration: the log of a daemon has nothing but events.
func warned(log *slog.Logger, warnings []config.Warning) {
	for _, w := range warnings {
		log.Warn(w.String(), "event", "config_warning")
	}
}
