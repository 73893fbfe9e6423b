package dataset

import (
	"fmt"
	"strings"
	"time"

	"anond/config"
	"anond/internal/ops/monitor"
	"anond/snapshot"
)

// MonitorSettings are what the surfaces say about a configuration.
func MonitorSettings(c *config.Config, version string) monitor.Settings {
	s := monitor.Settings{Dataset: c.Dataset, Version: version, Source: c.Source.Name, K: c.Policy.K, L: c.Policy.L,
		Shard: c.Shard.Index, Shards: c.Shard.Of,
		Level: string(c.Policy.Level), Recoding: string(c.Release.Recoding), HoldInCuts: c.Policy.MaxHold.Counted,
		Releases: c.Release.Dir, Ledger: c.Release.Ledger, FS: snapshot.OS(), Trigger: triggerText(&c.Release.Trigger)}
	if c.Source.Type == config.FromKafka {
		s.Topic = c.Source.Kafka.Topic
	}
	return s
}

// triggerText says when a release is due.
func triggerText(t *config.Trigger) string {
	switch t.On {
	case config.OnRecords:
		return fmt.Sprintf("every %d records", t.Records)
	case config.OnInterval:
		return "every " + span(t.Interval)
	case config.OnCron:
		return "cron " + t.At + " (UTC)"
	}
	return "on updates, at most every " + span(t.MinInterval)
}

// span writes a duration without units that are zero: 15m, not 15m0s.
func span(d time.Duration) string {
	text := d.String()
	if d%time.Minute == 0 {
		text = strings.TrimSuffix(text, "0s")
	}
	if d%time.Hour == 0 {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
