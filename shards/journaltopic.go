package shards

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"anond/config"
	"anond/ingest/kafkasrc"
	"anond/internal/dataset"
	"anond/internal/fault"
	"anond/internal/kafkaclient"
	"anond/shards/journal"
)

// logConfig is how the topic of the journal is reached.
func logConfig(c *config.Config, o dataset.Options) kafkasrc.Config {
	k := dataset.KafkaConfig(c, o)
	k.Topic, k.Source = c.Shard.Journal.Topic, ""
	k.MaxRecord = max(k.MaxRecord, 2*journal.MostBytes)
	return k
}

// ProbeJournal implements dataset.Sharding. A run asks again until a broker answers; this asks once.
func (room) ProbeJournal(ctx context.Context, c *config.Config, o dataset.Options) kafkasrc.Probed {
	p := kafkasrc.Probed{What: "journal", Detail: c.Shard.Journal.Topic}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var away error // says more than that it was stopped
	log, err := kafkasrc.OpenLog(logConfig(c, o), c.Shard.Index, func(err error) { away = err; stop() })
	if err == nil {
		p.Warning, err = checkJournal(ctx, c, log)
		err = errors.Join(err, log.Close())
	}
	if err != nil && ctx.Err() != nil {
		err = cmp.Or(away, err)
	}
	if p.Err = err; err != nil && fault.Hint(err) == "" {
		p.Err = fault.With(0, "create the topic with a partition for each shard, cleanup.policy=delete, retention.ms=-1, retention.bytes=-1 "+
			"and min.insync.replicas=2", err)
	}
	return p
}

// journalSettings decide whether a topic keeps the entries of a journal.
var journalSettings = []string{"cleanup.policy", "retention.ms", "retention.bytes", "min.insync.replicas", "unclean.leader.election.enable"}

// checkJournal demands a topic with a partition for each shard, from which nothing is removed by age, size or
// key. A broker that does not tell its settings is believed. weak is why it may lose entries although it is told not to remove any.
func checkJournal(ctx context.Context, c *config.Config, log *kafkasrc.Log) (weak, err error) {
	n, err := log.Partitions(ctx)
	if err != nil {
		return nil, err
	}
	topic := c.Shard.Journal.Topic
	if n < c.Shard.Of {
		return nil, fault.Errorf(fault.Config, fmt.Sprintf("kafka-topics.sh --alter --topic %s --partitions %d", topic, c.Shard.Of),
			"shard.journal.topic: %s has %d partitions, and there are %d shards", topic, n, c.Shard.Of)
	}
	s, err := log.Settings(ctx, journalSettings...)
	if err != nil {
		return nil, nil
	}
	if what, set := loses(s); what != "" {
		return nil, fault.Errorf(fault.Config, altering(topic, set), "shard.journal.topic: %s %s", topic, what)
	}
	replicas, err := log.Replicas(ctx)
	if err != nil {
		return nil, err
	}
	return weakness(topic, s, replicas), nil
}

// altering is the command that gives a topic settings.
func altering(topic, set string) string {
	return fmt.Sprintf("kafka-configs.sh --alter --topic %s --add-config %s; entries that are gone already are gone", topic, set)
}

// loses says what a topic removes.
func loses(s kafkaclient.Settings) (what, set string) {
	const keeps = "cleanup.policy=delete,retention.ms=-1,retention.bytes=-1"
	switch policy := s["cleanup.policy"]; {
	case strings.Contains(policy, "compact"):
		return fmt.Sprintf("is compacted (cleanup.policy=%s), and a journal needs every entry", policy), keeps
	case s.Forgets():
		return fmt.Sprintf("removes entries by age or size (retention.ms=%s, retention.bytes=%s), and whoever takes the shard over "+
			"needs those behind the backup", s["retention.ms"], s["retention.bytes"]), keeps
	case policy != "" && policy != "delete":
		return fmt.Sprintf("has cleanup.policy=%s, and delete is asked for", policy), keeps
	}
	return "", ""
}

// weakness says why an entry that was acknowledged may be lost with one broker.
func weakness(topic string, s kafkaclient.Settings, replicas int) error {
	least, err := strconv.Atoi(s["min.insync.replicas"])
	switch {
	case replicas == 1:
		return fault.Errorf(fault.Config, "reassign its partitions to three replicas, and set min.insync.replicas=2",
			"%s has one replica: it is lost with the disk of one broker", topic)
	case err == nil && least < 2:
		return fault.Errorf(fault.Config, altering(topic, "min.insync.replicas=2"), "%s takes an entry that one of %d replicas has "+
			"(min.insync.replicas=%d): it may be lost with the disk of one broker", topic, replicas, least)
	case s["unclean.leader.election.enable"] == "true":
		return fault.Errorf(fault.Config, altering(topic, "unclean.leader.election.enable=false"),
			"%s may lose entries in an election (unclean.leader.election.enable=true)", topic)
	}
	return nil
}
