package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"anond/ingest"
	"anond/internal/cli"
	"anond/internal/demo"
	"anond/internal/fault"
	"anond/snapshot/audit"
)

func newDemoCommand(env *environment) *cobra.Command {
	o := demo.Options{Lookup: env.Lookup}
	var asJSON bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "Show anond at work in a minute: broker, feed and daemon in one process",
		Long: `demo starts a Kafka-protocol broker inside this process on loopback, feeds it a
synthetic stream of hospital admissions, and runs the daemon of anond run against
it over TCP. It prints a row for each release, audits all releases, and says what
is promised and what not. All people in the stream are synthetic.

The directory keeps the configuration, the releases, the state and the dead
letters, so that every other command works with -c DIR/anond.yaml.

anond-lab naive refreshes the same table in two common ways, and counts the people
who are exposed then.`,
		RunE: func(c *cobra.Command, _ []string) error {
			if o.Records < 1000 {
				return cli.Usage("", "--records %d is too few for a demo; the minimum is 1000", o.Records)
			}
			if o.Rate < 1 {
				return cli.Usage("", "--rate %d: a stream needs at least one record per second", o.Rate)
			}
			o.Seeded = c.Flags().Changed("seed")
			v := newDemoView(env, asJSON)
			o.Release, o.Progress = v.release, v.progress
			v.start(o)
			result, err := demo.Run(c.Context(), o)
			if err != nil {
				return demoError(err, o.Out)
			}
			return v.finish(c.Context(), result, o)
		},
	}
	c.Flags().StringVar(&o.Out, "out", "anond-demo", "`directory` of the demo; an earlier demo in it is replaced")
	c.Flags().Uint64Var(&o.Seed, "seed", 1,
		"seed of the stream; if given, also of the daemon's draws (the releases then do not claim level L2)")
	c.Flags().IntVar(&o.Records, "records", 15000, "messages to send")
	c.Flags().IntVar(&o.Rate, "rate", 1000, "messages per second, after the first load")
	cli.JSONFlag(c, &asJSON)
	return c
}

func demoError(err error, dir string) error {
	var taken *demo.DirError
	switch {
	case errors.As(err, &taken):
		return cli.Usage("choose another directory with --out", "%v", err)
	case errors.Is(err, context.Canceled):
		return fault.With(fault.Failed, fmt.Sprintf("what was published until then is in %s: anond audit -c %[1]s/anond.yaml", dir), err)
	}
	return err
}

// demoView prints a demo as it goes.
type demoView struct {
	env     *environment
	asJSON  bool
	live    bool // a terminal: show progress between the rows
	table   *cli.Table
	began   time.Time
	lineErr error
}

func newDemoView(env *environment, asJSON bool) *demoView {
	return &demoView{env: env, asJSON: asJSON, live: !asJSON && cli.IsTerminal(env.Stdout), began: time.Now(),
		table: cli.NewTable(env.Stdout, cli.Right("release", 7), cli.Right("records", 8), cli.Right("pending", 8),
			cli.Right("classes", 8), cli.Right("k", 4),
			cli.Right("top share", 9), cli.Right("loss", 7), cli.Right("newcomers", 9), cli.Right("ms", 6))}
}

func (v *demoView) start(o demo.Options) {
	if v.asJSON {
		return
	}
	fmt.Fprintf(v.env.Stdout, "%d admissions of a synthetic hospital go through Kafka into anond (k 10, l 5).\n"+
		"release: number of the table; records: people in it; pending: arrived, but not yet safe or useful to publish;\n"+
		"classes: groups with equal quasi-identifier cells; k: smallest class; top share: largest share of a diagnosis in a bucket\n"+
		"of one or more classes; loss: information loss, 0 to 1; newcomers: in no release before; ms: to decide, write, check, publish.\n\n",
		o.Records)
	v.table.Header()
}

func (v *demoView) release(n ingest.Latest) {
	l := demo.LineOf(n)
	if v.asJSON {
		v.lineErr = errors.Join(v.lineErr, json.NewEncoder(v.env.Stdout).Encode(l))
		return
	}
	v.clear()
	v.table.Row(strconv.Itoa(int(l.Release)), strconv.Itoa(l.Records), strconv.Itoa(l.Pending), strconv.Itoa(l.Classes), strconv.Itoa(l.K),
		fmt.Sprintf("%.1f %%", 100*l.MaxFrequency), fmt.Sprintf("%.4f", l.NCP), strconv.Itoa(l.Newcomers), strconv.FormatInt(l.Millis, 10))
}

func (v *demoView) progress(r ingest.Report) {
	if v.live {
		s := r.Machine
		fmt.Fprintf(v.env.Stdout, "\r\x1b[2K%d read, %d published, %d pending, %d refused", s.Sent, s.Published, s.Pending.Total(), s.DeadLetter)
	}
}

func (v *demoView) clear() {
	if v.live {
		fmt.Fprint(v.env.Stdout, "\r\x1b[2K")
	}
}

// demoEnd is the last object of demo --json.
type demoEnd struct {
	Sent       uint64        `json:"sent"`
	Published  int           `json:"published"`
	Pending    int           `json:"pending"`
	DeadLetter uint64        `json:"dead_letter"`
	Beyond     int           `json:"beyond"`
	Seconds    float64       `json:"seconds"`
	Audit      *audit.Report `json:"audit"`
}

// finish audits the chain and prints the verdict.
func (v *demoView) finish(ctx context.Context, result *demo.Result, o demo.Options) error {
	v.clear()
	s := result.Final.Counts
	end := demoEnd{Sent: s.Sent, Published: s.Published, Pending: s.Pending.Total(), DeadLetter: s.DeadLetter, Beyond: s.Beyond,
		Seconds: time.Since(v.began).Seconds()}
	whole, err := withExports(ctx, result.Config, false)
	if err != nil {
		return err
	}
	if end.Audit, err = audit.Dir(whole); err != nil {
		return err
	}
	if v.asJSON {
		err = json.NewEncoder(v.env.Stdout).Encode(end)
	} else {
		err = v.conclude(end, o)
	}
	if err := errors.Join(err, v.lineErr, v.table.Err); err != nil {
		return err
	}
	if code := end.Audit.ExitCode(); code != cli.OK {
		return fault.Errorf(fault.Kind(code), "", "the verdict is %s", end.Audit.Verdict)
	}
	return nil
}

func (v *demoView) conclude(end demoEnd, o demo.Options) error {
	w := v.env.Stdout
	fmt.Fprintf(w, "\nsent %d = published %d + pending %d + dead-letter %d + beyond %d, in %.0f s\n\n", end.Sent, end.Published,
		end.Pending, end.DeadLetter, end.Beyond, end.Seconds)
	if err := end.Audit.Text(w); err != nil {
		return err
	}
	return nextSteps(w, o.Out)
}

func nextSteps(w io.Writer, dir string) error {
	_, err := fmt.Fprintf(w, "\nEverything is in %s. Next:\n"+
		"  anond release list -c %[1]s/anond.yaml\n"+
		"  anond audit        -c %[1]s/anond.yaml\n"+
		"  anond state info   -c %[1]s/anond.yaml\n", dir)
	return err
}
