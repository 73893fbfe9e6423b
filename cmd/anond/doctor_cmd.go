package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"anond/internal/cli"
	"anond/internal/fault"
	"anond/internal/ops/doctor"
	"anond/internal/profile"
)

func newDoctorCommand(env *environment) *cobra.Command {
	var path string
	var data profile.Input
	var asJSON bool
	sample := 1000
	c := &cobra.Command{
		Use: "doctor", Short: "Examine whether the dataset can run here: files, disks, clock, brokers, schema, promise",
		Long: `doctor checks the configuration, directories (it does in each what a release does), free disk and when it
will be full, the clock, the connection to the brokers and the rights on topic and group,
the schema against the first records of the source, and whether k and l can be reached.
Each line that is not ok comes with a remedy. It leaves everything as it was, and works
next to a running daemon. Exit 1 if anything has failed, 78 for a bad configuration.

Whether k and l can be reached follows from what is published, and from --data, which are
records of other people. It never follows from those who wait or from the source: at level
L2 who is published together may not depend on their values.`,
		Example: "  anond doctor\n  anond doctor --data last-year.csv",
		RunE: func(c *cobra.Command, _ []string) error {
			data.Stdin = env.Stdin
			return env.examine(c.Context(), path, data, sample, asJSON)
		},
	}
	cli.ConfigFlag(c, &path)
	cli.JSONFlag(c, &asJSON)
	c.Flags().StringVar(&data.Name, "data", "", "records of other people, a CSV or NDJSON `file`, or - for standard input")
	data.Register(c.Flags())
	c.Flags().IntVar(&sample, "sample", sample, "`number` of records of the source that are compared with the schema")
	return c
}

func (e *environment) examine(ctx context.Context, path string, data profile.Input, sample int, asJSON bool) error {
	cfg, warnings, err := e.load(path)
	if err != nil {
		cli.Warn(&e.Env, warnings)
		return err
	}
	p := &doctor.Patient{Config: cfg, Now: time.Now(), Sample: sample}
	if s, err := currentStatus(ctx, cfg, p.Now); err == nil {
		p.Status, p.Live = s.Status, s.fresh
	}
	if data.Name != "" {
		if p.Pools, err = e.pools(ctx, cfg, data); err != nil {
			return err
		}
	}
	t := cli.NewTable(e.Stdout, cli.Left("", 8), cli.Left("", 24), cli.Left("", 0))
	show := func(f doctor.Finding) {
		if asJSON {
			return
		}
		t.Row(string(f.Grade), f.Check, f.Detail)
		if f.Remedy != "" {
			t.Row("", "", "-> "+f.Remedy)
		}
	}
	first := []doctor.Finding{{Check: "configuration", Grade: doctor.OK, Detail: path}}
	for _, w := range warnings {
		first = append(first, doctor.Finding{Check: "configuration", Grade: doctor.Warning, Detail: w.Key + " " + w.Reason,
			Remedy: w.Suggestion})
	}
	for _, f := range first {
		show(f)
	}
	all := append(first, doctor.Examine(ctx, p, show)...)
	if asJSON {
		t.Err = cli.WriteJSON(e.Stdout, all)
	}
	if t.Err == nil && ctx.Err() != nil {
		t.Err = ctx.Err()
	}
	if t.Err == nil && doctor.Sick(all) {
		return fault.Errorf(fault.Failed, fmt.Sprintf("see the lines marked %s", doctor.Failed),
			"anond cannot run like this, or not for long")
	}
	return t.Err
}
