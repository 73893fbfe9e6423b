package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/spf13/cobra"

	"anond/config"
	"anond/deliver"
	"anond/deliver/postgres"
	"anond/deliver/topic"
	"anond/internal/brokeraccess"
	"anond/internal/cli"
	"anond/internal/clock"
	"anond/internal/fault"
	"anond/internal/kafkaclient"
	"anond/internal/ops/logs"
	"anond/internal/ops/serve"
	"anond/internal/pace"
	"anond/internal/retry"
	"anond/snapshot"
)

func newKafkaCommand(env *environment) *cobra.Command {
	return newSinkCommand(env, kafkaListen, &cobra.Command{
		Use: "kafka", Short: "Deliver releases to a topic (outputs.kafka)",
		Long: `kafka writes each release to a topic: a message for each class and bucket that it
adds, the classes that regrouping replaced, its manifest, and a marker. Nothing is
ever overwritten, and rows are deleted only if they have left the releases (a window,
or erasure by buckets), so every release of which nothing has left can be rebuilt from
the topic: anond-deliver consume does that. The topic must exist, with cleanup.policy
compact.`,
		Example: "  anond-deliver kafka\n  anond-deliver kafka --follow -c deliver.yaml",
	}, func(ctx context.Context, d *config.Delivery, log *slog.Logger) (deliver.Sink, func() error, error) {
		if err := d.NeedKafka(); err != nil {
			return nil, nil, err
		}
		brokers, err := outputBrokers(ctx, &d.Outputs.Kafka, log)
		if err != nil {
			return nil, nil, err
		}
		s, err := topic.Open(brokers, d.Dataset, int(d.Outputs.Kafka.MaxMessageBytes))
		if err != nil {
			return nil, nil, fault.Errorf(fault.Config, "", "outputs.kafka: %w", err)
		}
		return s, s.Close, nil
	})
}

func newPostgresCommand(env *environment) *cobra.Command {
	return newSinkCommand(env, postgresListen, &cobra.Command{
		Use: "postgres", Short: "Deliver releases to tables of PostgreSQL (outputs.postgres)",
		Long: `postgres adds each release to tables of a database, in one transaction: readers
see complete releases only. Rows that leave the releases are deleted in the same
transaction. The tables are created at the first delivery. A release that
is there already is compared by the SHA-256 of its manifest and not changed; a
different one ends the command with exit code 5.`,
		Example: "  anond-deliver postgres\n  anond-deliver postgres --follow -c deliver.yaml",
	}, func(_ context.Context, d *config.Delivery, _ *slog.Logger) (deliver.Sink, func() error, error) {
		if err := d.NeedPostgres(); err != nil {
			return nil, nil, err
		}
		p := d.Outputs.Postgres
		s, err := postgres.Open(p.URL.Reveal(), p.Schema, p.Table, d.Dataset)
		if err != nil {
			return nil, nil, fault.With(fault.Config, "docs/OUTPUTS.md has examples", err)
		}
		return s, func() error { return nil }, nil
	})
}

// opener opens a sink, and says how it is closed.
type opener func(ctx context.Context, d *config.Delivery, log *slog.Logger) (deliver.Sink, func() error, error)

// newSinkCommand completes a command that delivers.
func newSinkCommand(env *environment, fallback string, c *cobra.Command, open opener) *cobra.Command {
	var path string
	var follow, verify bool
	shows := serve.Flags{Fallback: fallback}
	patience := time.Minute
	c.Long += `

With --follow it serves metrics, health and its status at --listen. It takes the
block http of the file --http alone, not that of the configuration, which is the
daemon's.`
	c.RunE = func(c *cobra.Command, _ []string) error {
		if !follow && shows.Asked() {
			return cli.Usage("add --follow, or leave them out",
				"--listen, --http and --status show how a delivery goes on, and without --follow it ends")
		}
		d, err := env.loadDelivery(path)
		if err != nil {
			return err
		}
		log := logs.New(env.Stderr, d.Log, cli.IsTerminal(env.Stderr))
		o := deliver.Options{FS: snapshot.OS(), Dir: d.Dir, Follow: follow, Whole: verify, Poll: d.Outputs.Poll,
			Limit: pace.New(clock.System(), d.Outputs.MaxRate), Patience: patience, Reconnect: retry.Policy{Rand: rand.Float64},
			Now: time.Now, Log: log}
		if follow {
			o.Board = &deliver.Board{Dataset: d.Dataset, Kind: c.Name()}
			end, err := env.deliverOnDuty(c.Context(), &shows, &o)
			if err != nil {
				return err
			}
			defer end()
		}
		sink, done, err := open(c.Context(), d, o.Log)
		if err != nil {
			return err
		}
		o.Board.Names(sink.Name())
		sum, err := deliver.Run(c.Context(), sink, o)
		if err := errors.Join(err, done()); err != nil {
			return err
		}
		if verify {
			fmt.Fprintf(env.Stdout, "%s: each row of its releases was compared\n", sink.Name())
		}
		return env.printDelivered(sink, d.Dir, sum)
	}
	cli.ConfigFlag(c, &path)
	c.Flags().BoolVar(&follow, "follow", false, "keep running, and deliver each new release")
	c.Flags().BoolVar(&verify, "verify", false, "first compare each row that is there with the releases; otherwise rows of tables are counted")
	shows.Add(c, "with --follow")
	c.Flags().DurationVar(&patience, "patience", patience, "without --follow: how long to retry if the sink cannot be reached")
	return c
}

func (e *environment) printDelivered(sink deliver.Sink, dir string, s deliver.Summary) error {
	var err error
	switch {
	case s.First == 0 && s.At == 0:
		_, err = fmt.Fprintf(e.Stdout, "%s: there is no release in %s yet\n", sink.Name(), dir)
	case s.First == 0:
		_, err = fmt.Fprintf(e.Stdout, "%s: it has all releases up to %d\n", sink.Name(), s.At)
	case s.First == s.Last:
		_, err = fmt.Fprintf(e.Stdout, "%s: release %d delivered\n", sink.Name(), s.First)
	default:
		_, err = fmt.Fprintf(e.Stdout, "%s: releases %d to %d delivered\n", sink.Name(), s.First, s.Last)
	}
	return err
}

// outputBrokers is how the brokers of outputs.kafka are reached. It connects to nobody.
func outputBrokers(ctx context.Context, k *config.KafkaOutput, log *slog.Logger) (kafkaclient.Config, error) {
	access, _, err := brokeraccess.Open(ctx, brokeraccess.Block{Key: "outputs.kafka", TLS: k.TLS, SASL: k.SASL}, log)
	return kafkaclient.Config{Brokers: k.Brokers, Topic: k.Topic, ClientID: k.ClientID, Access: access,
		Reconnect: retry.Policy{Rand: rand.Float64}, Logger: log}, err
}
