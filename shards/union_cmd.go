package shards

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"anond/config"
	"anond/internal/cli"
	"anond/internal/clock"
	"anond/internal/fault"
	"anond/internal/ops/duty"
	"anond/internal/ops/logs"
	"anond/internal/ops/metrics"
	"anond/internal/ops/serve"
	"anond/shards/union"
	"anond/snapshot"
	"anond/snapshot/publish"
)

// AfterUnionStep is called behind each durable step of a union. Tests kill the process
// there; nil in operation.
var AfterUnionStep func(publish.Step) error

// unionFlags is what the command line says.
type unionFlags struct {
	union.Options
	json      bool
	logFormat string
	serve.Flags
}

// unionListen is where a union serves if nothing else is said: next to a daemon.
const unionListen = "127.0.0.1:9465"

func newUnionCommand(env *cli.Env) *cobra.Command {
	f := unionFlags{Flags: serve.Flags{Fallback: unionListen}}
	c := &cobra.Command{
		Use:   "union",
		Short: "Combine the newest releases of all shards into one",
		Long: `union publishes releases that combine the newest release of each shard. Shard
I publishes in DIR/shards/I (its release.dir); the releases of the union are in
DIR. Parts are linked, so a union is complete by itself and costs no space. Any
number of processes may do this at once on one directory, and each may be killed
at any time: one of them decides what a release consists of, and all write
the same bytes.

The first release waits until every shard has one, unless --without names it. A
shard that is late keeps its old part. With --stale-after the log warns of a
shard whose newest release is older than that (event shard_stale), and with
--once the command then ends with exit code 1, after it has published.

Without --once it serves metrics, health and its status at --listen. It takes
the block http of the file --http alone: it needs no key and no broker.

Exit 0: done, also if there was nothing new. Exit 3: a shard has a second
history, or the auditor refused the release. Exit 5: a shard or the releases are
older than what was published. Exit 78: the shards have different settings.`,
		Example: "  anond union --dir ./releases --shards 8 --once\n" +
			"  anond union --dir ./releases --shards 8 --ledger ./union.ledger --every 1m --stale-after 2h\n" +
			"  curl -s http://127.0.0.1:9465/status    # its status",
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.check(c.Flags().Changed("every")); err != nil {
				return err
			}
			f.FS, f.Now, f.Hook = snapshot.OS(), time.Now, AfterUnionStep
			f.Log = logs.New(env.Stderr, config.Log{Level: "info", Format: unionLogs[f.logFormat]}, cli.IsTerminal(env.Stderr))
			if f.Once {
				out, err := union.Run(c.Context(), f.Options)
				if err != nil {
					return err
				}
				return united(env, &f, out)
			}
			return unionOnDuty(c.Context(), env, &f)
		},
	}
	f.flags(c)
	return c
}

// unionOnDuty unites again and again, and shows how it stands.
func unionOnDuty(ctx context.Context, env *cli.Env, f *unionFlags) error {
	f.Duty, f.Board = duty.NewDuty(cli.Release, clock.System()), &union.Board{StaleAfter: f.StaleAfter}
	f.Log = f.Duty.Log(f.Log)
	var now atomic.Pointer[union.Status]
	defer duty.Watch(f.Duty, f.StatusFile(), f.Log, f.Board.Look(f.Duty), &now)()
	shown := serve.Of(f.Duty, f.Log, metrics.Handler(metrics.Of(f.Duty, union.Metrics, now.Load,
		func(s *union.Status) string { return s.Dataset })), func() any { return now.Load() },
		func() []duty.Part { return now.Load().Parts() }, func() string { return now.Load().Line() })
	shown.HTTP = f.Load(ctx, env)
	served, err := shown.Begin(ctx, env, false)
	if err != nil {
		return err
	}
	served.Renew(ctx)
	defer served.End()
	_, err = union.Run(ctx, f.Options)
	return err
}

// unionLogs are the formats of the log.
var unionLogs = map[string]config.LogFormat{"auto": config.AutoLog, "text": config.TextLog, "json": config.JSONLog}

func (f *unionFlags) flags(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.Dir, "dir", "", "releases `directory` of the union; shard I publishes in shards/I below it")
	flags.IntVar(&f.Shards, "shards", 0, "`number` of shards")
	flags.StringVar(&f.Ledger, "ledger", "", "ledger `file` of the union, best on another disk; none is kept without it")
	flags.BoolVar(&f.Once, "once", false, "make one attempt and end")
	flags.DurationVar(&f.Every, "every", time.Minute, "time between attempts")
	flags.IntVar(&f.Keep, "keep", 0, "`number` of newest releases that keep their files; older ones keep only the manifest (0: all keep them)")
	flags.DurationVar(&f.StaleAfter, "stale-after", 0, "warn of a shard whose newest release is older than this")
	flags.IntSliceVar(&f.Without, "without", nil, "`shards` for whose first release the first union does not wait, such as 3,5")
	f.Flags.Add(c, "without --once")
	flags.StringVar(&f.logFormat, "log-format", "auto", "auto, text or json")
	cli.JSONFlag(c, &f.json)
}

// check finds faults of the command line.
func (f *unionFlags) check(every bool) error {
	switch {
	case f.Dir == "" || f.Shards < 1:
		return cli.Usage("anond union --dir ./releases --shards 8",
			"--dir and --shards are needed: nothing in the directory says how many shards there are")
	case f.Ledger != "" && config.Inside(f.Dir, f.Ledger):
		return cli.Usage("keep it outside of --dir, best on another disk", "--ledger is inside --dir, where it belongs to no release")
	case f.Once && f.Asked():
		return cli.Usage("leave one of them out", "--once makes one attempt, and --listen, --http and --status show how a union goes on")
	case f.Once && every:
		return cli.Usage("leave one of them out", "--once makes one attempt, and --every says how long to wait between attempts")
	case f.Every < time.Second || f.StaleAfter < 0 || f.Keep < 0:
		return cli.Usage("--every 1m --stale-after 2h --keep 100", "--every is at least 1s, and --stale-after and --keep are not negative")
	}
	if shards := filepath.Join(f.Dir, "shards"); f.Once {
		if _, err := os.Stat(shards); errors.Is(err, fs.ErrNotExist) {
			return fault.Errorf(fault.Failed, "no shard has published in shards/I below --dir yet; is the path right?",
				"%s is not there", shards)
		}
	}
	for _, n := range f.Without {
		if n < 0 || n >= f.Shards {
			return cli.Usage(fmt.Sprintf("shards are 0 to %d", f.Shards-1), "--without names shard %d, which there is not", n)
		}
	}
	if _, known := unionLogs[f.logFormat]; !known {
		return cli.Usage("--log-format auto, text or json", "%q is no format of the log", f.logFormat)
	}
	return nil
}

// united prints what the last attempt left.
func united(env *cli.Env, f *unionFlags, out *union.Outcome) error {
	switch {
	case out == nil || !f.Once:
		return nil
	case f.json:
		if err := cli.WriteJSON(env.Stdout, out); err != nil {
			return err
		}
	case out.Release == 0:
		fmt.Fprintln(env.Stdout, "no release yet: shards without a release are waited for")
	case !out.Published:
		fmt.Fprintf(env.Stdout, "release %d is the newest: no shard has a newer release\n", out.Release)
	default:
		fmt.Fprintf(env.Stdout, "release %d: %s of %s\n", out.Release, cli.Count(out.Records, "record"), cli.Count(f.Shards, "shard"))
	}
	if late := out.Late(); len(late) > 0 {
		return fault.Errorf(fault.Failed, "look at the shards; what the union has of them stays published",
			"late by --stale-after: shards %s", strings.Trim(fmt.Sprint(late), "[]"))
	}
	return nil
}
