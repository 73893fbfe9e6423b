package shards

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"anond/config"
	"anond/internal/cli"
	"anond/internal/clock"
	"anond/internal/dataset"
	"anond/internal/ops/duty"
	"anond/internal/ops/logs"
	"anond/internal/ops/metrics"
	"anond/internal/ops/serve"
	"anond/shards/repartition"
	"anond/shards/repartition/topics"
)

// repartitionOnDuty repartitions, and shows how it stands.
func repartitionOnDuty(ctx context.Context, env *cli.Env, cfg *config.Config, what topics.Topics,
	once bool) (repartition.Counts, error) {
	d := duty.NewDuty(cli.Release, clock.System())
	log := d.Log(logs.New(env.Stderr, cfg.Log, cli.IsTerminal(env.Stderr)))
	what.View = topics.NewView(d, cfg)
	now, listen, asked := what.View.Look, cfg.HTTP.Listen, cfg.HTTP.Asked
	shown := serve.Of(d, log, metrics.Handler(metrics.Of(d, topics.Metrics, now, func(s *topics.Status) string { return s.Dataset })),
		func() any { return now() }, func() []duty.Part { return now().Parts() }, func() string { return now().Line() })
	shown.HTTP = func() (*config.HTTP, error) { // with the secrets that their files hold now
		again, err := cfg.Again(env.Lookup, config.ReadRegular)
		if err != nil {
			return nil, err
		}
		h := again.HTTP
		h.Listen, h.Asked = listen, asked
		return &h, nil
	}
	served, err := shown.Begin(ctx, env, once)
	if err != nil {
		return repartition.Counts{}, err
	}
	served.Renew(ctx)
	defer served.End()
	return topics.Run(ctx, cfg, dataset.Options{Log: log, Once: once}, what)
}

func newRepartitionCommand(env *cli.Env) *cobra.Command {
	var path, listen string
	var once, asJSON bool
	var what topics.Topics
	c := &cobra.Command{
		Use: "repartition", Short: "Rewrite a topic so that each person's records are in one partition",
		Long: `repartition reads a topic and rewrites it for shards: the key of each message is
the keyed digest of its subject (subject.key), and its partition follows from the
key. Values stay as they are. Each message says which message of the source it
was, so that shards count it once even if it is written twice: repartition may be
killed, restarted and run several times at once, and needs no transaction.

A record whose subject cannot be read is passed on, and becomes a dead letter of
the shard that reads it.

While it runs, metrics, health and its status are served at http.listen, as
anond run does, or at --listen.

The target must exist, with as many partitions as it will ever need, and
cleanup.policy delete. It is read with shard.key: digest.`,
		Example: "  anond repartition -c anond.yaml --from admissions",
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, _, err := cli.LoadConfig(c.Context(), env, path)
			if err != nil {
				return err
			}
			cfg.HTTP.Asked = false // http.listen may be what a shard on this machine has taken
			if listen != "" {
				warnings, err := cfg.HTTP.ListenAt(listen)
				if err != nil {
					return cli.Usage("host:port, such as 127.0.0.1:9466, or off", "--listen %v", err)
				}
				cli.Warn(env, warnings)
			}
			counts, err := repartitionOnDuty(c.Context(), env, cfg, what, once)
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(env.Stdout, counts)
			}
			return printRepartitioned(env, counts)
		},
	}
	cli.ConfigFlag(c, &path)
	cli.JSONFlag(c, &asJSON)
	f := c.Flags()
	f.StringVar(&listen, "listen", "", "`address` of metrics, health and status, or off (default: http.listen)")
	f.BoolVar(&once, "once", false, "stop at the present end of the topic")
	f.StringVar(&what.From, "from", "", "`topic` to read (default: source.kafka.topic, without .subjects at its end)")
	f.StringVar(&what.To, "to", "", "`topic` to write (default: that of --from, with .subjects at its end)")
	f.StringVar(&what.Progress, "progress", "", "`file` that keeps how far it is (default: repartition-TOPIC.json next to state.path)")
	f.BoolVar(&what.Again, "again", false, "if the progress file is lost: write everything again; shards drop what they already have")
	return c
}

// printRepartitioned says what became of the records and offsets of the source.
func printRepartitioned(env *cli.Env, counts repartition.Counts) error {
	_, err := fmt.Fprintf(env.Stdout, "%s keyed by subject\n", cli.Count(int(counts.Written), "record"))
	for _, why := range slices.Sorted(maps.Keys(counts.Unreadable)) {
		if err == nil {
			_, err = fmt.Fprintf(env.Stdout, "%s passed on without: %s\n", cli.Count(int(counts.Unreadable[why]), "record"), why)
		}
	}
	if counts.Missing > 0 && err == nil {
		_, err = fmt.Fprintf(env.Stdout, "%s of the source given up\n", cli.Count(int(counts.Missing), "offset"))
	}
	return err
}
