package kafkatest

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// The trial of shards tries what shards/SCALING.md promises, with real processes and a real
// broker: one dataset in several shards and their union, while processes are killed.
//
// Guarantee: the program is the binary that users have; nothing in it is changed. What a
// trial reports was looked at from outside: the topic as the one who wrote it knows it, the
// private exports, the files of the releases, and what anond audit says of them. A trial
// fails if a record is lost or counted twice, if a person is published twice or is in two
// shards, if the union is not certified, or if a run that was killed again and again leaves
// other parts or other sums than one that was not, created_at apart.
//
// Method: a trial has two topics, keyed by subject. The first has many partitions. Shards and
// two unions read it while it is written; a schedule that the seed fixes kills each of them
// (SIGKILL) several times, and a broker once. Then the same number of shards, and one process
// without shards, read the full topic as fast as they can: that is the rate. The order in
// which a shard reads several partitions is not determined, so what it decided is made again
// from its state by anond audit --replay. The second topic has one partition for each shard,
// so there the order is determined: a run that is killed and an undisturbed one, which begin
// with copies of one state and so with the same seeds, must write the same bytes.
//
// Cost: make trial-shards takes a quarter of an hour on two cores. TestSmallTrial is
// a small one on kfake.
//
// Source: ours.

// Options of a trial.
type Options struct {
	Program string // the binary
	Dir     string // a directory for all that is written, new or empty
	Brokers []string
	Client  []kgo.Opt // of the client that writes the topics
	// Replicas and InSync are those of the topics; 0: the broker's own.
	Replicas, InSync int
	// Bounce kills a broker and starts it again; nil: no broker is killed.
	Bounce func(ctx context.Context) error

	Shards     int           // worker processes, but for a group
	Hosts      int           // processes of a group that run the shards; 0: there is none
	Partitions int           // of the first topic
	Each       int           // records a shard, on average
	Every      int           // accepted records of a shard between two releases
	Pool       int           // initial.min_pool
	Kills      int           // of each process
	Over       time.Duration // in which a topic is written while processes are killed
	Seed       uint64        // of the records and of the kills
	// Worlds is how many worlds anond audit --replay tries besides the records as they are.
	Worlds int
	Log    io.Writer // is told what goes on
}

// records is how many messages a topic gets.
func (o *Options) records() int { return o.Shards * o.Each }

// trial is a trial under way.
type trial struct {
	Options
	client *kgo.Client
	report *trialReport
}

// Try makes a trial. The report says what was measured, and what was found wrong; an error
// is of the trial itself.
func Try(ctx context.Context, o Options) (*trialReport, error) {
	t, err := newTrial(o)
	if err != nil {
		return nil, err
	}
	defer t.client.Close()
	if o.Hosts > 0 {
		return t.report, t.grouped(ctx)
	}
	if err = t.divided(ctx); err == nil {
		err = t.ordered(ctx)
	}
	return t.report, err
}

func newTrial(o Options) (*trial, error) {
	client, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(o.Brokers...), kgo.RecordDeliveryTimeout(trialPatience),
		kgo.ProducerBatchCompression(kgo.NoCompression())}, o.Client...)...)
	if err != nil {
		return nil, err
	}
	t := &trial{Options: o, client: client, report: &trialReport{Shards: o.Shards, Records: o.records()}}
	return t, os.MkdirAll(o.Dir, 0o700)
}

// say tells what goes on.
func (t *trial) say(format string, args ...any) {
	fmt.Fprintf(t.Log, "%s  %d shards: %s\n", time.Now().UTC().Format("15:04:05"), t.Shards, fmt.Sprintf(format, args...))
}

// divided is the part with many partitions: nothing lost or doubled, and the rate.
func (t *trial) divided(ctx context.Context) error {
	topic, err := t.newTopic(ctx, "many", t.Partitions)
	if err != nil {
		return err
	}
	killed, shards, whole := t.newSite("killed", topic, t.Shards), t.newSite("shards", topic, t.Shards), t.newSite("whole", topic, 0)
	for _, s := range []*trialSite{killed, shards, whole} {
		if err := s.prepare(ctx); err != nil {
			return err
		}
	}
	if err := t.disturb(ctx, killed); err != nil {
		return err
	}
	for _, s := range []*trialSite{whole, shards} {
		t.say("%s reads %d records", s.name, topic.sent())
		run, err := s.race(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		t.report.add(run)
	}
	for _, s := range []*trialSite{shards, killed} {
		if err := t.judge(ctx, s); err != nil {
			return err
		}
	}
	return t.replayed(ctx, killed)
}

// ordered is the part in which the order of records is determined: the same bytes.
func (t *trial) ordered(ctx context.Context) error {
	topic, err := t.newTopic(ctx, "ordered", t.Shards)
	if err != nil {
		return err
	}
	calm := t.newSite("ordered, undisturbed", topic, t.Shards)
	if err := calm.prepare(ctx); err != nil {
		return err
	}
	killed, err := calm.copied("ordered, killed")
	if err != nil {
		return err
	}
	if err := t.disturb(ctx, killed); err != nil {
		return err
	}
	t.say("%s reads %d records", calm.name, topic.sent())
	run, err := calm.follow(ctx, schedule{}, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", calm.name, err)
	}
	t.report.add(run)
	for _, s := range []*trialSite{calm, killed} {
		if err := t.judge(ctx, s); err != nil {
			return err
		}
	}
	compared, faults, err := compare(calm.dir, killed.dir, t.Shards)
	t.report.compared(compared, faults)
	return err
}

// disturb writes the topic of a site while its processes are killed.
func (t *trial) disturb(ctx context.Context, s *trialSite) error {
	plan := t.schedule(s)
	t.say("%s: %d records in %v, %d kills of each of %d processes", s.name, t.records(), t.Over, t.Kills, len(plan.kills))
	run, err := s.follow(ctx, plan, func(ctx context.Context) error { return s.topic.feed(ctx, t.records(), t.Over) })
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	t.report.add(run)
	return nil
}

// schedule is when what is killed, since the run began.
type schedule struct {
	kills  [][]time.Duration // by process: shards, then unions; nil: none
	bounce time.Duration     // a broker; 0: none
}

// unions is how many of them there are at once.
const unions = 2

// schedule draws the kills of a site. The first tenth is left to the processes to start.
func (t *trial) schedule(s *trialSite) schedule {
	rng := rand.New(rand.NewPCG(t.Seed, uint64(t.Shards)<<32|uint64(s.topic.partitions)))
	at := func(from, to float64) time.Duration {
		return time.Duration((from + (to-from)*rng.Float64()) * float64(t.Over))
	}
	processes := t.Shards
	if s.hosts > 0 {
		processes = s.hosts
	}
	plan := schedule{kills: make([][]time.Duration, processes+unions)}
	for i := range plan.kills {
		for range t.Kills {
			plan.kills[i] = append(plan.kills[i], at(.1, 1))
		}
		slices.Sort(plan.kills[i])
	}
	if t.Bounce != nil {
		plan.bounce = at(.3, .6)
	}
	return plan
}

// path is a place below the directory of the trial.
func (t *trial) path(name string) string { return filepath.Join(t.Dir, name) }
